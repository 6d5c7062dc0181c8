// Private to the room: the first array of what gives several of equal sizes, such as a variadic reduction.
#pragma once

#include "core/hlo/ir/shape.h"

namespace hilo {

inline Shape firstArray(Shape shape) {
  while (shape.isTuple() && !shape.tupleShapes().empty()) shape = shape.tupleShapes()[0];
  return shape;
}

}  // namespace hilo
