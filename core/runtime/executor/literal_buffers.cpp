#include "core/runtime/executor/literal_buffers.h"

#include <cstring>

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

void copyToBuffer(std::byte* buffer, const Literal& literal, Shape shape) {
  const auto bytes = literal.bytes();
  if (isRowMajor(shape)) {
    if (!bytes.empty()) std::memcpy(buffer, bytes.data(), bytes.size());
    return;
  }
  const auto width = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  forEachPlace(shape, [&](int64_t from, int64_t to) {
    std::memcpy(buffer + to * static_cast<int64_t>(width), bytes.data() + from * static_cast<int64_t>(width),
                width);
  });
}

void copyFromBuffer(Literal& literal, const std::byte* buffer, Shape shape) {
  const auto bytes = literal.mutableBytes();
  if (isRowMajor(shape)) {
    if (!bytes.empty()) std::memcpy(bytes.data(), buffer, bytes.size());
    return;
  }
  const auto width = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  forEachPlace(shape, [&](int64_t to, int64_t from) {
    std::memcpy(bytes.data() + to * static_cast<int64_t>(width), buffer + from * static_cast<int64_t>(width),
                width);
  });
}

}  // namespace hilo
