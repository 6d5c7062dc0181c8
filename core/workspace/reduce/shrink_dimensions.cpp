#include <absl/container/btree_set.h>

#include <algorithm>
#include <cstring>

#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// A size and its multiples become as many times smaller, so that what is reshaped
// into one dimension still fits.
struct Shrinking {
  int64_t from = 0, to = 0;
  int64_t of(int64_t size) const { return size > 0 && size % from == 0 ? size / from * to : size; }

  std::vector<int64_t> of(std::span<const int64_t> sizes) const {
    std::vector<int64_t> made;
    for (const int64_t size : sizes) made.push_back(of(size));
    return made;
  }
  Shape of(Shape shape) const {
    if (shape.isTuple()) {
      std::vector<Shape> elements;
      for (const Shape element : shape.tupleShapes()) elements.push_back(of(element));
      return Shape::tuple(elements);
    }
    if (!shape.isArray() || shape.isDynamic()) return shape;
    return Shape::array(shape.elementType(), of(shape.dimensions()), shape.layout());
  }
  // The first elements of each dimension.
  Literal of(const Literal& value) const;
};

// Copies the elements of `from` that `to` has room for, from one dimension on.
struct Corner {
  const Shape from, to;
  const std::byte* source;
  std::byte* target;
  size_t elementBytes;

  void copy(size_t dimension, int64_t sourceAt, int64_t targetAt) const {
    if (dimension == from.rank()) {
      std::memcpy(target + static_cast<size_t>(targetAt) * elementBytes,
                  source + static_cast<size_t>(sourceAt) * elementBytes, elementBytes);
      return;
    }
    for (int64_t i = 0; i < to.dimension(dimension); ++i)
      copy(dimension + 1, sourceAt * from.dimension(dimension) + i, targetAt * to.dimension(dimension) + i);
  }
};

Literal Shrinking::of(const Literal& value) const {
  if (value.isTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : value.elements()) elements.push_back(of(element));
    return Literal::tuple(std::move(elements));
  }
  const Shape shape = of(value.shape());
  if (shape == value.shape() || !shape.isArray()) return value;
  if (value.isElided()) return Literal::elided(shape);
  Literal made(shape);
  const Corner corner{value.shape(), shape, value.bytes().data(), made.mutableBytes().data(),
                      static_cast<size_t>(elementStorageBytes(shape.elementType()))};
  if (shape.elementCount() > 0) corner.copy(0, 0, 0);
  return made;
}

template <Attr A>
void shrinkList(Instruction& instruction, const Shrinking& shrinking) {
  if (!instruction.has(A)) return;
  const std::vector<int64_t> sizes = shrinking.of(instruction.get<A>());
  instruction.set<A>(std::span<const int64_t>(sizes));
}

void shrinkAttributes(Instruction& instruction, const Shrinking& shrinking) {
  shrinkList<Attr::DynamicSliceSizes>(instruction, shrinking);
  shrinkList<Attr::SliceSizes>(instruction, shrinking);
  shrinkList<Attr::FftLength>(instruction, shrinking);
  if (instruction.has(Attr::Slice)) {
    std::vector<SliceRange> ranges(instruction.get<Attr::Slice>().begin(),
                                   instruction.get<Attr::Slice>().end());
    for (SliceRange& range : ranges) {
      range.start = shrinking.of(range.start);
      range.limit = shrinking.of(range.limit);
    }
    instruction.set<Attr::Slice>(std::span<const SliceRange>(ranges));
  }
  if (instruction.opcode() == Opcode::Constant) {
    Module& module = instruction.module();
    instruction.set<Attr::Literal>(module.own(shrinking.of(instruction.literal())));
  }
}

void collectSizes(Shape shape, absl::btree_set<int64_t>& sizes) {
  for (const Shape element : shape.isTuple() ? shape.tupleShapes() : std::span<const Shape>())
    collectSizes(element, sizes);
  if (!shape.isArray()) return;
  for (const int64_t size : shape.dimensions()) {
    if (size > 1) sizes.insert(size);
  }
}

}  // namespace

// Each size there is: to 1, to 2, to half, to a divisor of its own. The boldest is tried
// first, and that is the last.
std::vector<MoveSite> shrinkDimensionsSites(const Module& module) {
  absl::btree_set<int64_t> sizes;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions())
      collectSizes(instruction->shape(), sizes);
  }
  std::vector<MoveSite> sites;
  for (const int64_t size : sizes) {
    absl::btree_set<int64_t, std::greater<>> smaller = {1};
    if (size > 2) smaller.insert(2);
    if (size > 4) smaller.insert(size / 2);
    for (const int64_t to : smaller) sites.push_back({InstructionId(), size, to});
  }
  return sites;
}

bool shrinkDimensions(Draft& draft, std::span<const MoveSite> at) {
  if (at.size() != 1) return false;  // sizes hang together: one at a time
  const Shrinking shrinking{at[0].part, at[0].to};
  bool changed = false;
  for (Computation* computation : draft.module->computations()) {
    for (Instruction* instruction : computation->instructions()) {
      const Shape shape = shrinking.of(instruction->shape());
      changed |= shape != instruction->shape();
      shrinkAttributes(*instruction, shrinking);
      instruction->setShape(shape);
    }
  }
  for (Literal& argument : draft.arguments) argument = shrinking.of(argument);
  draft.values = nullptr;
  return changed;
}

}  // namespace hilo
