#pragma once

#include "quillmate/error.hpp"
#include "quillmate/generator.hpp"

namespace quillmate::detail {

// Whether a state with this identity can be read again. Error: INVALID_MODEL.
[[nodiscard]] Result<void> validate(const ModelIdentity& model);

}  // namespace quillmate::detail
