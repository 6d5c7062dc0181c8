// Memory without contents, and arrays between sizes of their own and their bounds.
#include "core/hlo/expand/expansion.h"

namespace hilo::library {

Result<Instruction*> expandAllocateBuffer(Expansion& call) {
  TRY_STATUS(call.needsOperands(0, 0));
  TRY_STATUS(call.needsResults(0, SIZE_MAX));
  return call.give({});
}

// The seed that a run was given: 0, as none is.
Result<Instruction*> expandRandomSeed(Expansion& call) {
  TRY_STATUS(call.needsOperands(0, 0));
  TRY_STATUS(call.needsResults(1, 1));
  return call.give({call.zeros(call.result(0))});
}

// An array with sizes of its own -> the array at its bounds, then its sizes.
Result<Instruction*> expandPadToStatic(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  const Shape from = call.operand(0)->shape();
  if (!from.isArray()) return call.malformed("takes no array");
  TRY_STATUS(call.needsResults(1 + from.rank(), 1 + from.rank()));
  Instruction* padded = call.operand(0);
  std::vector<Instruction*> sizes;
  for (size_t n = 0; n < from.rank(); ++n) {
    const std::array dimension = {static_cast<int64_t>(n)};
    Instruction* size =
        call.add(Opcode::GetDimensionSize, Shape::scalar(ElementType::S32), {call.operand(0)});
    size->set<Attr::Dimensions>(dimension);
    sizes.push_back(size);
    if (!from.isDynamicDimension(n)) continue;
    std::vector<bool> flags(from.dynamicDimensions().begin(), from.dynamicDimensions().end());
    const Shape before = padded->shape();
    auto dynamic = std::make_unique<bool[]>(from.rank());
    for (size_t k = 0; k < from.rank(); ++k) dynamic[k] = before.isDynamicDimension(k) && k != n;
    const Shape shape = Shape::dynamicArray(from.elementType(), from.dimensions(),
                                            {dynamic.get(), from.rank()}, from.layout());
    Instruction* bound = call.splat(Shape::scalar(ElementType::S32), static_cast<double>(from.dimension(n)));
    padded = call.add(Opcode::SetDimensionSize, shape, {padded, bound});
    padded->set<Attr::Dimensions>(dimension);
  }
  sizes.insert(sizes.begin(), padded);
  return call.give(std::move(sizes));
}

// An array at its bounds and its sizes -> the array with them.
Result<Instruction*> expandSliceToDynamic(Expansion& call) {
  TRY_STATUS(call.needsResults(1, 1));
  const Shape to = call.result(0);
  TRY_STATUS(call.needsOperands(1 + to.rank(), 1 + to.rank()));
  Instruction* sliced = call.operand(0);
  if (!std::ranges::equal(sliced->shape().dimensions(), to.dimensions()))
    return call.refuse("gives other bounds than its operand's");
  auto dynamic = std::make_unique<bool[]>(to.rank());
  for (size_t n = 0; n < to.rank(); ++n) {
    if (!to.isDynamicDimension(n)) continue;
    dynamic[n] = true;
    const Shape shape =
        Shape::dynamicArray(to.elementType(), to.dimensions(), {dynamic.get(), to.rank()}, to.layout());
    sliced = call.add(Opcode::SetDimensionSize, shape, {sliced, call.operand(1 + n)});
    sliced->set<Attr::Dimensions>(std::array{static_cast<int64_t>(n)});
  }
  return call.give({sliced});
}

}  // namespace hilo::library
