// cuSOLVER of f32 on the host: columns one after the other.
#include <cmath>

#include "core/runtime/libraries/cusolver.h"

namespace hilo::fake_cusolver {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cusolver_functions.def"

int create(void** handle) {
  static char one;
  *handle = &one;
  return 0;
}
int setStream(void*, void*) { return 0; }
int factorRoomF32(void*, int, int size, void*, int, int* elements) {
  *elements = size;
  return 0;
}
int factorF32(void*, int half, int size, void* matrix, int leading, void* room, int elements, int* info) {
  if (room == nullptr || elements != size) return 3;
  auto* a = static_cast<float*>(matrix);
  const auto at = [&](int i, int j) -> float& { return half == 0 ? a[i + j * leading] : a[j + i * leading]; };
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) {
      double sum = double{at(i, j)};
      for (int k = 0; k < j; ++k) sum -= double{at(i, k)} * double{at(j, k)};
      if (i == j && sum <= 0) {
        *info = j + 1;
        return 0;
      }
      at(i, j) = static_cast<float>(i == j ? std::sqrt(sum) : sum / double{at(j, j)});
    }
  }
  *info = 0;
  return 0;
}
int factorRoomF64(void*, int, int, void*, int, int*) { return 15; }
int factorF64(void*, int, int, void*, int, void*, int, int*) { return 15; }
int factorRoomC64(void*, int, int, void*, int, int*) { return 15; }
int factorC64(void*, int, int, void*, int, void*, int, int*) { return 15; }
int factorRoomC128(void*, int, int, void*, int, int*) { return 15; }
int factorC128(void*, int, int, void*, int, void*, int, int*) { return 15; }

}  // namespace hilo::fake_cusolver
