#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

#include "quillmate/error.hpp"
#include "quillmate/random_streams.hpp"

namespace quillmate::exact {

// A whole number of any size.
using Integer = boost::multiprecision::cpp_int;
// A fraction of two.
using Rational = boost::multiprecision::cpp_rational;

// The number that a double is. Errors: INVALID_WEIGHT (not finite).
[[nodiscard]] Result<Rational> to_rational(double value);

// A decimal number or a fraction of two whole ones: "3", "-0.25", "1e-3", "2/7". At most 4096 characters, and exponents from
// -4096 to 4096. Errors: INVALID_WEIGHT.
[[nodiscard]] Result<Rational> to_rational(std::string_view text);

// "2/7"; a whole number has the denominator 1.
[[nodiscard]] std::string to_text(const Rational& value);

// A number from 0 to below - 1, each as likely: below must be positive. Words of the stream at this position, low word first,
// cut to the bits of below - 1, are a candidate; one that is too large is passed over for the next words (rejection), so that
// nothing is rounded. Below 2 takes no word.
[[nodiscard]] Integer random_below(const Integer& below, const RandomStream& stream, std::uint32_t position);

}  // namespace quillmate::exact
