#include "core/runtime/program/checks/matrices.h"

#include <fmt/format.h>

namespace hilo {

Status checkLibraryTypes(ElementType type, ElementType result, const CheckedThunk& at) {
  const bool known = type == ElementType::F32 || type == ElementType::BF16;
  if (known && (result == type || result == ElementType::F32)) return {};
  return at.malformed(
      fmt::format("multiplies {} and makes {}", elementTypeName(type), elementTypeName(result)));
}

Status checkStridedMatrix(const std::vector<int64_t>& strides, std::vector<int64_t> batch, int64_t rows,
                          int64_t columns, const BufferSlice& slice, int bytes, const CheckedThunk& at) {
  std::vector<int64_t> sizes = std::move(batch);
  sizes.insert(sizes.end(), {rows, columns});
  if (strides.size() != sizes.size()) return at.malformed("has a matrix with other strides than sizes");
  __int128 last = 0, count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return at.malformed("has a negative size");
    if (sizes[d] > 0) last += static_cast<__int128>(sizes[d] - 1) * strides[d];
    count = std::min<__int128>(count * sizes[d], INT64_MAX);
    if (last > INT64_MAX) return at.malformed("reaches outside a matrix");
  }
  if (count > 0 && (last + 1) * bytes > slice.sizeBytes) return at.malformed("reaches outside a matrix");
  if (count == INT64_MAX) return at.malformed("has more products than can be counted");
  return {};
}

}  // namespace hilo
