#pragma once

#include "quillmate/error.hpp"
#include "quillmate/generator.hpp"
#include "quillmate/logits.hpp"
#include "quillmate/row_hash.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/settings.hpp"
#include "quillmate/speculative.hpp"
#include "quillmate/uniform.hpp"
