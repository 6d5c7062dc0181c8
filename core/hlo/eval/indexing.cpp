#include "core/hlo/eval/indexing.h"

#include <cstring>

#include "core/hlo/eval/element_dispatch.h"

namespace hilo {
namespace {

// Drops dimensions of size 1 and merges neighbours that lie behind each other on both sides, so that the
// innermost loop is as long as it can be.
struct Loop {
  DimVector sizes, toStrides, fromStrides;

  Loop(std::span<const int64_t> allSizes, std::span<const int64_t> to, std::span<const int64_t> from) {
    for (size_t d = 0; d < allSizes.size(); ++d) {
      if (allSizes[d] == 1) continue;
      if (!sizes.empty() && toStrides.back() == to[d] * allSizes[d] &&
          fromStrides.back() == from[d] * allSizes[d]) {
        sizes.back() *= allSizes[d];
        toStrides.back() = to[d];
        fromStrides.back() = from[d];
      } else {
        sizes.push_back(allSizes[d]);
        toStrides.push_back(to[d]);
        fromStrides.push_back(from[d]);
      }
    }
    if (sizes.empty()) {
      sizes.push_back(1);
      toStrides.push_back(1);
      fromStrides.push_back(1);
    }
  }
};

template <typename T>
void moveRow(T* to, int64_t toStride, const T* from, int64_t fromStride, int64_t count) {
  if (toStride == 1 && fromStride == 1) {
    std::memmove(to, from, static_cast<size_t>(count) * sizeof(T));
  } else if (toStride == 1 && fromStride == 0) {
    std::fill_n(to, count, *from);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * toStride] = from[i * fromStride];
  }
}

}  // namespace

DimVector rowMajorStrides(std::span<const int64_t> dimensions) {
  DimVector strides(dimensions.size());
  int64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dimensions[d];
  }
  return strides;
}

void moveStrided(void* out, StridedView to, const void* in, StridedView from, int elementBytes,
                 std::span<const int64_t> sizes) {
  if (productOf(sizes) == 0) return;
  Loop loop(sizes, to.strides, from.strides);
  const int64_t count = loop.sizes.back(), toStride = loop.toStrides.back(),
                fromStride = loop.fromStrides.back();
  loop.sizes.pop_back();
  loop.toStrides.pop_back();
  loop.fromStrides.pop_back();
  visitElementSize(elementBytes, [&]<typename T>() {
    T* target = static_cast<T*>(out) + to.base;
    const T* source = static_cast<const T*>(in) + from.base;
    for (StridedCounter<2> outer(loop.sizes, {loop.toStrides, loop.fromStrides}); !outer.done();
         outer.next()) {
      moveRow(target + outer.offset(0), toStride, source + outer.offset(1), fromStride, count);
    }
  });
}

void copyStrided(void* out, const void* in, int elementBytes, std::span<const int64_t> sizes,
                 StridedView from) {
  moveStrided(out, {0, rowMajorStrides(sizes)}, in, from, elementBytes, sizes);
}

void fillElements(void* out, const void* element, int elementBytes, int64_t count) {
  visitElementSize(elementBytes, [&]<typename T>() {
    if (count > 0) std::fill_n(static_cast<T*>(out), count, *static_cast<const T*>(element));
  });
}

}  // namespace hilo
