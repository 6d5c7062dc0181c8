// cuFFT of f32 along one dimension on the host, by the sum that defines it, not scaled.
#include <complex>
#include <numbers>

#include "core/runtime/libraries/cufft.h"

namespace hilo::fake_cufft {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cufft_functions.def"

struct Kept {
  int length, from, to, batch;
};
std::vector<Kept>& plans() {
  static std::vector<Kept> all;
  return all;
}
using Number = std::complex<float>;

// The sum for place k of a line whose second half is the conjugate of the first where `isHalf`.
std::complex<double> sumAt(const Number* line, int length, int k, int sign, bool isHalf) {
  std::complex<double> sum;
  for (int i = 0; i < length; ++i) {
    const bool mirrors = isHalf && i > length / 2;
    const std::complex<double> x(mirrors ? std::conj(line[length - i]) : line[i]);
    sum += x * std::polar(1.0, sign * 2 * std::numbers::pi * i * k / length);
  }
  return sum;
}

int plan(int* number, int rank, int* lengths, int*, int, int fromDistance, int*, int, int toDistance, int,
         int batch) {
  if (rank != 1) return 16;
  plans().push_back({lengths[0], fromDistance, toDistance, batch});
  *number = static_cast<int>(plans().size() - 1);
  return 0;
}
int forget(int) { return 0; }
int setStream(int, void*) { return 0; }
int complexF32(int number, void* from, void* to, int direction) {
  const Kept& p = plans()[static_cast<size_t>(number)];
  for (int b = 0; b < p.batch; ++b) {
    for (int k = 0; k < p.length; ++k)
      static_cast<Number*>(to)[b * p.to + k] =
          Number(sumAt(static_cast<Number*>(from) + b * p.from, p.length, k, direction, false));
  }
  return 0;
}
int fromRealF32(int number, void* from, void* to) {
  const Kept& p = plans()[static_cast<size_t>(number)];
  for (int b = 0; b < p.batch; ++b) {
    std::vector<Number> line(static_cast<float*>(from) + b * p.from,
                             static_cast<float*>(from) + (b + 1) * p.from);
    for (int k = 0; k < p.to; ++k)
      static_cast<Number*>(to)[b * p.to + k] = Number(sumAt(line.data(), p.length, k, -1, false));
  }
  return 0;
}
// Writes over what it read, as cuFFT may.
int toRealF32(int number, void* from, void* to) {
  const Kept& p = plans()[static_cast<size_t>(number)];
  for (int b = 0; b < p.batch; ++b) {
    auto* line = static_cast<Number*>(from) + b * p.from;
    for (int k = 0; k < p.length; ++k)
      static_cast<float*>(to)[b * p.to + k] = static_cast<float>(sumAt(line, p.length, k, 1, true).real());
    std::fill(line, line + p.from, Number(-1, -1));
  }
  return 0;
}
int complexF64(int, void*, void*, int) { return 16; }
int fromRealF64(int, void*, void*) { return 16; }
int toRealF64(int, void*, void*) { return 16; }

}  // namespace hilo::fake_cufft
