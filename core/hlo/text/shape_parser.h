// Shapes and layouts as text: "f32[2,<=3,?]{2,1,0:T(8,128)S(1)}", "(s32[], b(f32[4]))", "token[]".
// Grammar matched: XLA's hlo_parser.cc ParseShape, ParseLayout. Sizes are only numbers here: nothing is
// allocated by them.
#pragma once

#include "core/hlo/ir/payloads.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// Whether a shape comes next: an element type and '[', a '(', or "b(".
bool atShape(Reader& reader);

bool readShape(Reader& reader, Shape& shape);
// A layout, braces included.
bool readLayout(Reader& reader, Layout& layout);
// "{f32[2], (s32[])}".
bool readShapeList(Reader& reader, std::span<const Shape>& shapes);
// "{(f32[2]{0}, s32[])->f32[]}".
bool readProgramShape(Reader& reader, ProgramShape& shape);

}  // namespace hilo
