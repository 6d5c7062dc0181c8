#include "core/runtime/program/program.h"

namespace hilo {

std::vector<Shape> arrayLeaves(Shape shape) {
  std::vector<Shape> leaves;
  const auto collect = [&](auto&& self, Shape part) -> void {
    if (part.isArray()) leaves.push_back(part);
    if (part.isTuple()) {
      for (const Shape element : part.tupleShapes()) self(self, element);
    }
  };
  collect(collect, shape);
  return leaves;
}

std::vector<ArgumentSizePlace> argumentSizePlaces(std::span<const Shape> parameters) {
  std::vector<ArgumentSizePlace> places;
  uint32_t number = 0;
  for (const Shape parameter : parameters) {
    for (const Shape leaf : arrayLeaves(parameter)) {
      for (uint32_t d = 0; d < leaf.rank(); ++d) {
        if (leaf.isDynamicDimension(d)) places.push_back({number, d});
      }
      ++number;
    }
  }
  return places;
}

bool isInHostMemory(Shape array) {
  return array.layout() != nullptr && array.layout()->memorySpace == kHostMemorySpace;
}

int64_t bufferBytes(Shape array) {
  const int64_t elements = array.elementCount(), bytes = elementStorageBytes(array.elementType());
  return elements > std::numeric_limits<int64_t>::max() / bytes ? std::numeric_limits<int64_t>::max()
                                                                : elements * bytes;
}

bool isForGrids(const Program& program) { return program.target.triple.starts_with("nvptx"); }

std::vector<Shape> infeedShapes(const Program& program) {
  std::vector<Shape> shapes;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* infeed = std::get_if<InfeedThunk>(&thunk.body);
      if (infeed == nullptr) continue;
      const Shape shape = infeed->shape.withoutLayout();
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
    }
  }
  return shapes;
}

std::vector<BufferUse> allBufferUses(const Program& program, const Thunk& thunk) {
  std::vector<BufferUse> uses = bufferUses(thunk);
  for (const uint32_t sequence : nestedSequences(thunk)) {
    for (const Thunk& inner : program.sequences[sequence]) {
      const auto innerUses = allBufferUses(program, inner);
      uses.insert(uses.end(), innerUses.begin(), innerUses.end());
    }
  }
  return uses;
}

bool mustKeepOrder(const Program& program, const Thunk& thunk) {
  if (hasOwnOrder(thunk)) return true;
  return std::ranges::any_of(nestedSequences(thunk), [&](uint32_t sequence) {
    return std::ranges::any_of(program.sequences[sequence],
                               [&](const Thunk& inner) { return mustKeepOrder(program, inner); });
  });
}

}  // namespace hilo
