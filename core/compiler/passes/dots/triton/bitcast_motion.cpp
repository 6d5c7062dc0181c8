#include "core/compiler/passes/dots/triton/bitcast_motion.h"

#include <algorithm>

#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Neighbouring dimensions of two arrays that hold the same elements: all of `from` are those of `to`, and no
// smaller part is. One of a single element belongs to the group behind it.
struct Group {
  std::vector<int64_t> from, to;
  int64_t realFrom = 0, realTo = 0;  // how many have more than one element
};

std::vector<Group> matchingGroups(Shape from, Shape to) {
  std::vector<Group> groups;
  Group group;
  size_t a = 0, b = 0;
  int64_t sizeA = 1, sizeB = 1;
  const auto take = [](Shape shape, size_t& at, std::vector<int64_t>& dims, int64_t& real) {
    const int64_t size = shape.dimension(at);
    dims.push_back(static_cast<int64_t>(at++));
    real += size != 1;
    return size;
  };
  while (a < from.rank() || b < to.rank()) {
    if (a < from.rank() && (sizeA <= sizeB || b == to.rank())) {
      sizeA *= take(from, a, group.from, group.realFrom);
    } else {
      sizeB *= take(to, b, group.to, group.realTo);
    }
    if (sizeA == sizeB && sizeA != 1) {
      groups.push_back(std::move(group));
      group = {};
      sizeA = sizeB = 1;
    }
  }
  if (group.from.empty() && group.to.empty()) return groups;
  if (groups.empty()) return {group};
  groups.back().from.insert(groups.back().from.end(), group.from.begin(), group.from.end());
  groups.back().to.insert(groups.back().to.end(), group.to.begin(), group.to.end());
  return groups;
}

bool isWork(const Instruction& i) {
  return isElementwise(i.opcode()) && i.opcode() != Opcode::Copy && i.operandCount() > 0;
}

// The shape with the elements of another array: their type, and how many bits each takes.
Shape withElementsOf(Shape shape, Shape elements) {
  const Shape typed = shape.withElementType(elements.elementType());
  if (shape.layout() == nullptr || elements.layout() == nullptr) return typed;
  Layout layout = *shape.layout();
  layout.elementSizeInBits = elements.layout()->elementSizeInBits;
  return typed.withLayout(&layout);
}

// Each operand has the elements of the result at the same places.
bool isUniform(const Instruction& i) {
  return std::ranges::all_of(i.operands(), [&](const Instruction* operand) {
    return withElementsOf(operand->shape(), i.shape()) == i.shape();
  });
}

MovedOperation uniform(const Instruction& i, Shape shape) {
  MovedOperation moved{.operands = {}, .result = withElementsOf(shape, i.shape()), .dimensions = {}};
  for (const Instruction* operand : i.operands())
    moved.operands.push_back(withElementsOf(shape, operand->shape()));
  return moved;
}

Shape arrayOf(Shape like, Shape sizes, const std::vector<int64_t>& dims) {
  std::vector<int64_t> taken;
  for (const int64_t d : dims) taken.push_back(sizes.dimension(static_cast<size_t>(d)));
  return arrayLike(like, like.elementType(), taken);
}

bool contains(std::span<const int64_t> dims, int64_t d) { return std::ranges::find(dims, d) != dims.end(); }

// An array with its dimensions in the order they lie in memory, the outermost first.
struct AsItLies {
  explicit AsItLies(Shape array) {
    const Layout layout = array.layout() == nullptr ? Layout::descending(array.rank()) : *array.layout();
    dims.assign(layout.minorToMajor.rbegin(), layout.minorToMajor.rend());
    std::vector<int64_t> sizes;
    for (const int64_t d : dims) sizes.push_back(array.dimension(static_cast<size_t>(d)));
    shape = arrayLike(array, array.elementType(), sizes);
    places.resize(dims.size());
    for (size_t k = 0; k < dims.size(); ++k) places[static_cast<size_t>(dims[k])] = static_cast<int64_t>(k);
  }

  Shape shape;
  std::vector<int64_t> dims;    // of the array, by place
  std::vector<int64_t> places;  // by dimension of the array
};

// A broadcast or transpose of arrays as they lie.
struct Rearranged {
  Shape operand, result;
  std::vector<int64_t> dimensions;
};

Rearranged asItLies(const Instruction& i) {
  const AsItLies operand(i.operand(0)->shape()), result(i.shape());
  Rearranged lies{operand.shape, result.shape, {}};
  if (i.opcode() == Opcode::Broadcast) {
    for (const int64_t d : operand.dims)
      lies.dimensions.push_back(result.places[static_cast<size_t>(i.dimensions()[static_cast<size_t>(d)])]);
  } else {
    for (const int64_t d : result.dims)
      lies.dimensions.push_back(operand.places[static_cast<size_t>(i.dimensions()[static_cast<size_t>(d)])]);
  }
  return lies;
}

std::optional<MovedOperation> broadcastUp(const Rearranged& broadcast, Shape result) {
  if (!std::ranges::is_sorted(broadcast.dimensions)) return std::nullopt;
  std::vector<int64_t> kept;
  for (const Group& group : matchingGroups(broadcast.result, result)) {
    int64_t read = 0;
    for (const int64_t d : group.from) {
      const bool isReal = broadcast.result.dimension(static_cast<size_t>(d)) != 1;
      read += isReal && contains(broadcast.dimensions, d);
    }
    if (read != 0 && read != group.realFrom) return std::nullopt;
    for (const int64_t d : group.to) {
      if (read != 0 && result.dimension(static_cast<size_t>(d)) != 1) kept.push_back(d);
    }
  }
  return MovedOperation{{arrayOf(broadcast.operand, result, kept)}, result, kept};
}

std::optional<MovedOperation> transposeUp(const Rearranged& transpose, Shape result) {
  const Shape operand = transpose.operand;
  std::vector<std::vector<int64_t>> parts(operand.rank());  // of each dimension of the operand
  for (const Group& group : matchingGroups(transpose.result, result)) {
    if (group.realFrom != 1) return std::nullopt;
    for (const int64_t d : group.from) {
      if (transpose.result.dimension(static_cast<size_t>(d)) != 1)
        parts[static_cast<size_t>(transpose.dimensions[static_cast<size_t>(d)])] = group.to;
    }
  }
  std::vector<int64_t> order, dimensions(result.rank());
  for (const auto& part : parts) order.insert(order.end(), part.begin(), part.end());
  if (order.size() != result.rank()) return std::nullopt;
  for (size_t k = 0; k < order.size(); ++k)
    dimensions[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  return MovedOperation{{arrayOf(operand, result, order)}, result, dimensions};
}

std::optional<MovedOperation> transposeDown(const Rearranged& transpose, Shape operand) {
  const Shape was = transpose.operand;
  std::vector<std::vector<int64_t>> parts(was.rank());
  for (const Group& group : matchingGroups(was, operand)) {
    if (group.realFrom != 1) return std::nullopt;
    for (const int64_t d : group.from) {
      if (was.dimension(static_cast<size_t>(d)) != 1) parts[static_cast<size_t>(d)] = group.to;
    }
  }
  std::vector<int64_t> order;
  for (const int64_t d : transpose.dimensions) {
    const auto& part = parts[static_cast<size_t>(d)];
    order.insert(order.end(), part.begin(), part.end());
  }
  if (order.size() != operand.rank()) return std::nullopt;
  return MovedOperation{{operand}, arrayOf(transpose.result, operand, order), order};
}

// The dimensions that a group of the operand becomes stay side by side in the result.
std::optional<MovedOperation> broadcastDown(const Rearranged& broadcast, Shape operand) {
  const std::vector<int64_t>& dims = broadcast.dimensions;
  if (!std::ranges::is_sorted(dims)) return std::nullopt;
  std::vector<int64_t> sizes, kept;
  int64_t next = 0;
  const auto addNewUpTo = [&](int64_t end) {
    for (; next < end; ++next) {
      if (!contains(dims, next)) sizes.push_back(broadcast.result.dimension(static_cast<size_t>(next)));
    }
  };
  for (const Group& group : matchingGroups(broadcast.operand, operand)) {
    const int64_t first = group.from.empty() ? next : dims[static_cast<size_t>(group.from.front())];
    addNewUpTo(first);
    for (const int64_t d : group.from) {
      const int64_t place = dims[static_cast<size_t>(d)];
      if (place != next) return std::nullopt;
      next = place + 1;
    }
    for (const int64_t d : group.to) {
      kept.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(operand.dimension(static_cast<size_t>(d)));
    }
  }
  addNewUpTo(static_cast<int64_t>(broadcast.result.rank()));
  const Shape like = broadcast.result;
  return MovedOperation{{operand}, arrayLike(like, like.elementType(), sizes), kept};
}

bool isPlain(const Instruction& i, Shape other) {
  return (i.opcode() == Opcode::Broadcast || i.opcode() == Opcode::Transpose) && isPlainArray(i.shape()) &&
         isPlainArray(i.operand(0)->shape()) && isPlainArray(other) && i.shape().elementCount() > 0;
}

// What is new lies in row-major order; what was asked for lies as it was asked for.
std::optional<MovedOperation> rearrangedUp(const Instruction& i, Shape result) {
  const bool isBroadcast = i.opcode() == Opcode::Broadcast;
  const AsItLies wanted(result);
  auto moved = isBroadcast ? broadcastUp(asItLies(i), wanted.shape) : transposeUp(asItLies(i), wanted.shape);
  if (!moved) return moved;
  std::vector<int64_t> dimensions = moved->dimensions;
  for (size_t k = 0; k < dimensions.size(); ++k) {
    if (isBroadcast) dimensions[k] = wanted.dims[static_cast<size_t>(moved->dimensions[k])];
    if (!isBroadcast) dimensions[static_cast<size_t>(wanted.dims[k])] = moved->dimensions[k];
  }
  return MovedOperation{moved->operands, result, dimensions};
}

std::optional<MovedOperation> rearrangedDown(const Instruction& i, Shape operand) {
  const bool isBroadcast = i.opcode() == Opcode::Broadcast;
  const AsItLies given(operand);
  auto moved =
      isBroadcast ? broadcastDown(asItLies(i), given.shape) : transposeDown(asItLies(i), given.shape);
  if (!moved) return moved;
  std::vector<int64_t> dimensions = moved->dimensions;
  for (size_t k = 0; k < dimensions.size(); ++k) {
    if (isBroadcast) dimensions[static_cast<size_t>(given.dims[k])] = moved->dimensions[k];
    if (!isBroadcast) dimensions[k] = given.dims[static_cast<size_t>(moved->dimensions[k])];
  }
  return MovedOperation{{operand}, moved->result, dimensions};
}

}  // namespace

std::optional<MovedOperation> movedUp(const Instruction& i, Shape result) {
  if (isWork(i)) return isUniform(i) ? std::optional(uniform(i, result)) : std::nullopt;
  return isPlain(i, result) ? rearrangedUp(i, result) : std::nullopt;
}

std::optional<MovedOperation> movedDown(const Instruction& i, size_t index, Shape operand) {
  if (isWork(i)) return isUniform(i) ? std::optional(uniform(i, operand)) : std::nullopt;
  return index == 0 && isPlain(i, operand) ? rearrangedDown(i, operand) : std::nullopt;
}

}  // namespace hilo
