// Private to the room: of what gives several arrays of equal sizes, such as a reduction of several, the first.
#pragma once

#include "core/hlo/ir/shape.h"

namespace hilo {

inline Shape firstArray(Shape shape) {
  while (shape.isTuple() && !shape.tupleShapes().empty()) shape = shape.tupleShapes()[0];
  return shape;
}

}  // namespace hilo
