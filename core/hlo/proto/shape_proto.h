// ShapeProto and LayoutProto to Shape and back (shape.cc and layout.cc of XLA say what the fields mean).
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/shape.h"
#include "core/hlo/proto/schema/data.pb.h"

namespace hilo {

// Error kinds: "bad-shape" (unknown element type, negative or contradictory sizes), "bad-layout"
// (minor_to_major is no permutation of the dimensions).
Result<Shape> readShape(const pb::ShapeProto& proto);
void writeShape(Shape shape, pb::ShapeProto& proto);

void writeLayout(const Layout& layout, pb::LayoutProto& proto);

}  // namespace hilo
