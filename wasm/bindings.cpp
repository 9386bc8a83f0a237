// The WebAssembly module's whole surface, one row each. Sizes are in elements, addresses in bytes; see conversions.hpp.
#include <emscripten/bind.h>

#include "conversions.hpp"

EMSCRIPTEN_BINDINGS(quillmate) {
    using namespace emscripten;
    using namespace quillmate;

    register_type<wasm::StringList>("string[]");

    enum_<Dtype>("Dtype")
        .value("float32", Dtype::float32)
        .value("float64", Dtype::float64)
        .value("float16", Dtype::float16)
        .value("bfloat16", Dtype::bfloat16);

    enum_<AuditMode>("AuditMode").value("off", AuditMode::off).value("light", AuditMode::light).value("full", AuditMode::full);

    value_object<wasm::MismatchReport>("MismatchReport")
        .field("first", &wasm::MismatchReport::first)
        .field("last", &wasm::MismatchReport::last);

    value_object<wasm::SpeculationReport>("SpeculationReport")
        .field("token", &wasm::SpeculationReport::token)
        .field("accepted", &wasm::SpeculationReport::accepted);

    class_<wasm::Buffer>("Buffer")  //
        .constructor<>()
        .function("reserve(bytes)", &wasm::Buffer::reserve);

    class_<Generator>("Generator")
        .class_function("create(prompt, size, seed, temperature, topK, topP, identity, audit)", &wasm::create_generator,
                        allow_raw_pointers())
        .class_function("fromState(json)", &wasm::generator_from_state, allow_raw_pointers())
        .class_function("replay(json, identity)", &wasm::replay_generator, allow_raw_pointers())
        .function("branch(position, seed)", &wasm::branch_generator, allow_raw_pointers())
        .function("mismatch", &wasm::generator_mismatch)
        .function("step(logits, size, dtype)", &wasm::generator_step)
        .function("state", &Generator::state);

    function("errorCode", &wasm::error_code);
    function("errorIndex", &wasm::error_index);
    function("errorValue", &wasm::error_value);
    function("errorDetail", &wasm::error_detail);
    function("sampleToken(logits, size, dtype, temperature, topK, topP, u)", &wasm::sample_token);
    function("distribution(logits, size, dtype, temperature, topK, topP, ids, probabilities)", &wasm::distribution);
    function("uniform(seed, step, stream)", &uniform);
    function("speculativeStep(p, pSize, q, qSize, draftToken, uAccept, uResample)", &wasm::speculative_step);
    function("emittedDistribution(p, pSize, q, qSize, out)", &wasm::emitted_distribution);
}
