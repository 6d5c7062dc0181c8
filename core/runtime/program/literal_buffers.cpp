#include "core/runtime/program/literal_buffers.h"

#include <cstring>

#include "core/runtime/program/program.h"

namespace hilo {
namespace {

// Calls body(row-major place, place in the layout) for every element.
template <typename F>
void forEachPlace(Shape shape, F&& body) {
  const size_t rank = shape.rank();
  std::vector<int64_t> strides(rank), index(rank);
  int64_t stride = 1;
  for (const int64_t d : shape.layout()->minorToMajor) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimension(static_cast<size_t>(d));
  }
  int64_t place = 0;
  for (int64_t i = 0; i < shape.elementCount(); ++i) {
    body(i, place);
    for (size_t d = rank; d-- > 0;) {
      place += strides[d];
      if (++index[d] < shape.dimension(d)) break;
      place -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace

bool isRowMajor(Shape array) {
  if (array.layout() == nullptr || array.layout()->isDescending()) return true;
  // Dimensions of one element stand anywhere.
  int64_t last = std::numeric_limits<int64_t>::max();
  for (const int64_t d : array.layout()->minorToMajor) {
    if (array.dimension(static_cast<size_t>(d)) == 1) continue;
    if (d > last) return false;
    last = d;
  }
  return true;
}

namespace {

void copyWhole(std::byte* to, const std::byte* from, Shape shape) {
  const auto bytes = static_cast<size_t>(bufferBytes(shape));
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void copyToBuffer(std::byte* buffer, const std::byte* rowMajor, Shape shape) {
  if (isRowMajor(shape)) return copyWhole(buffer, rowMajor, shape);
  const auto width = static_cast<int64_t>(elementStorageBytes(shape.elementType()));
  forEachPlace(shape, [&](int64_t from, int64_t to) {
    std::memcpy(buffer + to * width, rowMajor + from * width, static_cast<size_t>(width));
  });
}

void copyFromBuffer(std::byte* rowMajor, const std::byte* buffer, Shape shape) {
  if (isRowMajor(shape)) return copyWhole(rowMajor, buffer, shape);
  const auto width = static_cast<int64_t>(elementStorageBytes(shape.elementType()));
  forEachPlace(shape, [&](int64_t to, int64_t from) {
    std::memcpy(rowMajor + to * width, buffer + from * width, static_cast<size_t>(width));
  });
}

namespace {

void collectArrays(const Literal& literal, std::vector<const Literal*>& leaves) {
  if (literal.isTuple()) {
    for (const Literal& element : literal.elements()) collectArrays(element, leaves);
  } else if (literal.shape().isArray()) {
    leaves.push_back(&literal);
  }
}

void collectArrays(Literal& literal, std::vector<Literal*>& leaves) {
  if (literal.isTuple()) {
    for (Literal& element : literal.mutableElements()) collectArrays(element, leaves);
  } else if (literal.shape().isArray()) {
    leaves.push_back(&literal);
  }
}

}  // namespace

std::vector<const Literal*> arrayLeaves(std::span<const Literal> list) {
  std::vector<const Literal*> leaves;
  for (const Literal& literal : list) collectArrays(literal, leaves);
  return leaves;
}

std::vector<Literal*> mutableArrayLeaves(Literal& literal) {
  std::vector<Literal*> leaves;
  collectArrays(literal, leaves);
  return leaves;
}

bool shareBytes(std::span<const Literal> a, std::span<const Literal> b) {
  return std::ranges::equal(arrayLeaves(a), arrayLeaves(b), [](const Literal* x, const Literal* y) {
    return x->bytes().data() == y->bytes().data() && x->bytes().size() == y->bytes().size() &&
           std::ranges::equal(x->dynamicSizes(), y->dynamicSizes());
  });
}

}  // namespace hilo
