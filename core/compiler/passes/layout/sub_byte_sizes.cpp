#include "core/compiler/passes/layout/sub_byte_sizes.h"

#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

Shape withSizes(Shape shape) {
  if (shape.isTuple()) {
    std::vector<Shape> elements;
    for (const Shape element : shape.tupleShapes()) elements.push_back(withSizes(element));
    return Shape::tuple(elements);
  }
  if (!shape.isArray() || shape.layout() == nullptr) return shape;
  const int bits = elementBits(shape.elementType());
  Layout layout = *shape.layout();
  layout.elementSizeInBits = bits < 8 ? bits : 0;
  return layout == *shape.layout() ? shape : shape.withLayout(&layout);
}

}  // namespace

Result<bool> setSubByteSizes(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      const Shape shape = withSizes(i->shape());
      if (shape == i->shape()) continue;
      i->setShape(shape);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
