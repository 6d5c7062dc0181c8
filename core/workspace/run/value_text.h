// Arrays as a person writes or pastes them, in place of a file.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// Whether the text is a value rather than the path of a file: it begins with a bracket, a number, a type with
// dimensions, "array(", or is one of the words below.
bool isValueText(std::string_view text);

// The array of this shape that the text says:
//  - as HLO writes it, "{1, 2.5}", "-inf", also with the type in front: "f32[2,2] { { 1, 2 }, { 3, 4 } }";
//  - as NumPy prints it, "[[1. 2.]\n [3. 4.]]", "array([1, 2], dtype=int32)", commas or not;
//  - "zeros", "ones", "iota" (0, 1, 2, ... in row-major order), "normal(SEED)", "uniform(SEED)": in [0, 1).
// Kinds: "bad-value" where it is none of these, is of other dimensions, or leaves elements out ("..."); those
// of Literal::tryMake(), for a shape too large.
Result<Literal> valueOfText(std::string_view text, Shape shape);

}  // namespace hilo
