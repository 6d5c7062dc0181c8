// Cases of tests/data/eval: operands and results as the scripts there worked them out, by other means than
// the evaluator's. tests/data/eval/elementwise.py says what a line holds.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/literal.h"

namespace hilo {

// Parts between `separator`s, empty ones included; none of an empty text.
std::vector<std::string> splitAt(const std::string& text, char separator);

// An array literal from elements as bits: "3f800000 n", complex as "re:im".
Literal literalOfBits(Shape shape, const std::string& bits);

// What differs from the expected elements, "" when nothing does: "[2]: 3f800000, expected 3f800001". "n"
// stands for any NaN, "?" for any zero, "*" for anything. `tolerance`: units in the last place; of a complex
// number, of its modulus.
std::string differenceFrom(const Literal& got, const std::string& expected, double tolerance);

// The same where values may be `distance` apart, in both parts of a complex number.
std::string distanceFrom(const Literal& got, const std::string& expected, double distance);

}  // namespace hilo
