// cuBLAS of f32 on the host.
#include <utility>

#include "core/runtime/libraries/cublas.h"

namespace hilo::fake_cublas {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cublas_functions.def"

constexpr int kNotSupported = 15;

int create(void** handle) {
  static char one;
  *handle = &one;
  return 0;
}
int setStream(void*, void*) { return 0; }

// By substitution, column by column (row by row where A is on the right), columns one after the other.
int solveF32(void*, int side, int half, int transpose, int unit, int rows, int columns, const void* alpha,
             const void* matrix, int leadingA, void* sides, int leadingB) {
  const auto* a = static_cast<const float*>(matrix);
  auto* b = static_cast<float*>(sides);
  const bool isRight = side == 1, turns = transpose != 0, isUpper = half == 1;
  const int size = isRight ? columns : rows, count = isRight ? rows : columns;
  // op(A), of which X op(A) = B is the transpose's.
  const auto at = [&](int i, int j) {
    if (turns != isRight) std::swap(i, j);
    if (i != j && (isUpper ? i > j : i < j)) return 0.0F;
    return i == j && unit == 1 ? 1.0F : a[i + j * leadingA];
  };
  const bool isLower = isUpper == (turns != isRight);
  for (int one = 0; one < count; ++one) {
    const auto x = [&](int i) -> float& { return isRight ? b[one + i * leadingB] : b[i + one * leadingB]; };
    for (int step = 0; step < size; ++step) {
      const int i = isLower ? step : size - 1 - step;
      double sum = double{x(i)} * *static_cast<const float*>(alpha);
      for (int other = 0; other < step; ++other) {
        const int j = isLower ? other : size - 1 - other;
        sum -= double{at(i, j)} * double{x(j)};
      }
      x(i) = static_cast<float>(sum / at(i, i));
    }
  }
  return 0;
}
int solveF64(void*, int, int, int, int, int, int, const void*, const void*, int, void*, int) {
  return kNotSupported;
}
int solveC64(void*, int, int, int, int, int, int, const void*, const void*, int, void*, int) {
  return kNotSupported;
}
int solveC128(void*, int, int, int, int, int, int, const void*, const void*, int, void*, int) {
  return kNotSupported;
}

int scale(void*, int count, const void* factor, int factorType, void* x, int type, int step, int) {
  if (type != 0 || factorType != 0 || step != 1) return kNotSupported;
  for (int i = 0; i < count; ++i) static_cast<float*>(x)[i] *= *static_cast<const float*>(factor);
  return 0;
}

}  // namespace hilo::fake_cublas
