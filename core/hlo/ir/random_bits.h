// What an rng-bit-generator gives: (state, bits), or the bits alone.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

inline Shape randomBitsShape(const Instruction& generator) {
  const Shape shape = generator.shape();
  return shape.isTuple() && shape.tupleShapes().size() == 2 ? shape.tupleShapes()[1] : shape;
}

}  // namespace hilo
