// Literals as text: "1.5", "{1, 2}", "{ { 1, 2 }, { 3, 4 } }", "(1, -2)", "{...}" (elided), "( 1, {2} )"
// (tuple). Grammar matched: XLA's hlo_parser.cc ParseLiteral, ParseDenseLiteral, and what literal.cc prints.
#pragma once

#include "core/hlo/ir/literal.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// The value of a literal whose shape is known. What is allocated is bounded by the text, not by the shape.
bool readLiteral(Reader& reader, Shape shape, Literal& literal);

// A literal that names its shape: "f32[2]{0} {1, 2}", "s32[<=4](2) {1, 2}"; in a tuple each element does.
bool readShapedLiteral(Reader& reader, Literal& literal);

}  // namespace hilo
