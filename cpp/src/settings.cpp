#include "quillmate/settings.hpp"

#include <cmath>

namespace quillmate {

Result<void> validate(const Settings& settings) {
    const auto refuse = [](ErrorCode code, std::string value) {
        return std::unexpected(Error{.code = code, .value = std::move(value)});
    };
    if (!(settings.temperature >= 0) || std::isinf(settings.temperature)) {
        return refuse(ErrorCode::INVALID_TEMPERATURE, to_text(settings.temperature));
    }
    if (settings.top_k < 0) return refuse(ErrorCode::INVALID_TOP_K, std::to_string(settings.top_k));
    if (!(settings.top_p >= 0 && settings.top_p <= 1)) return refuse(ErrorCode::INVALID_TOP_P, to_text(settings.top_p));
    return {};
}

Result<void> validate_u(double u) {
    if (u >= 0 && u < 1) return {};
    return std::unexpected(Error{.code = ErrorCode::INVALID_U, .value = to_text(u)});
}

}  // namespace quillmate
