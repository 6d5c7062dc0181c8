// Discrete Fourier transforms of one line of complex numbers in f64. Lengths whose prime factors are small go
// by mixed radices (Stockham, which needs no reordering); others are a convolution done by transforms of a
// power of two (Bluestein). Roots of unity are the caller's, so that their sign is the transform's.
#include "core/compiler/codegen/scalars/scalars.h"

namespace {

struct Complex {
  double real, imaginary;
};
inline Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
inline Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imaginary - b.imaginary}; }
inline Complex operator*(Complex a, Complex b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

int64_t smallestFactor(int64_t n) {
  for (int64_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) return factor;
  }
  return n;
}

// What the first pass divides by: four while it can, which takes the fewest multiplications.
int64_t radixOf(int64_t n) { return n % 4 == 0 ? 4 : smallestFactor(n); }

// As pass below does with radix 4. quarter: the imaginary part of the first root of four, whose real part is
// 0.
void passByFour(const Complex* __restrict from, Complex* __restrict to, int64_t n, int64_t rest,
                int64_t blocks, const Complex* __restrict roots) {
  const int64_t part = rest / 4, step = n / rest, stride = blocks * part;
  const double quarter = roots[n / 4].imaginary;
  for (int64_t p = 0; p < part; ++p) {
    const Complex one = roots[p * step], two = roots[2 * p * step], three = roots[3 * p * step];
    const Complex* in = from + blocks * p;
    Complex* out = to + 4 * blocks * p;
    for (int64_t q = 0; q < blocks; ++q) {
      const Complex a = in[q], b = in[q + stride], c = in[q + 2 * stride], d = in[q + 3 * stride];
      const Complex even = a + c, odd = a - c, sum = b + d, difference = b - d;
      const Complex turned = {-quarter * difference.imaginary, quarter * difference.real};
      out[q] = even + sum;
      out[q + blocks] = (odd + turned) * one;
      out[q + 2 * blocks] = (even - sum) * two;
      out[q + 3 * blocks] = (odd - turned) * three;
    }
  }
}

// One pass: `blocks` transforms of length `rest`, interleaved, become `blocks` * radix of length rest /
// radix.
void pass(const Complex* from, Complex* to, int64_t n, int64_t rest, int64_t blocks, int64_t radix,
          const Complex* roots) {
  const int64_t part = rest / radix, step = n / rest;
  for (int64_t p = 0; p < part; ++p) {
    for (int64_t q = 0; q < blocks; ++q) {
      const Complex* in = from + q + blocks * p;
      Complex* out = to + q + blocks * radix * p;
      const int64_t stride = blocks * part;
      if (radix == 2) {
        const Complex a = in[0], b = in[stride];
        out[0] = a + b;
        out[blocks] = (a - b) * roots[p * step];
        continue;
      }
      for (int64_t j = 0; j < radix; ++j) {
        Complex sum = in[0];
        int64_t turn = 0;
        for (int64_t k = 1; k < radix; ++k) {
          turn += j;
          if (turn >= radix) turn -= radix;
          sum = sum + in[k * stride] * roots[turn * (n / radix)];
        }
        out[j * blocks] = sum * roots[p * j * step];
      }
    }
  }
}

void transform(Complex* line, int64_t n, const Complex* roots, Complex* room) {
  Complex *from = line, *to = room;
  for (int64_t rest = n, blocks = 1; rest > 1;) {
    const int64_t radix = radixOf(rest);
    radix == 4 ? passByFour(from, to, n, rest, blocks, roots) : pass(from, to, n, rest, blocks, radix, roots);
    rest /= radix;
    blocks *= radix;
    Complex* const swap = from;
    from = to;
    to = swap;
  }
  if (from != line) {
    for (int64_t i = 0; i < n; ++i) line[i] = from[i];
  }
}

}  // namespace

void hilo_fft(double* line, int64_t n, const double* roots, double* room) {
  transform(reinterpret_cast<Complex*>(line), n, reinterpret_cast<const Complex*>(roots),
            reinterpret_cast<Complex*>(room));
}

void hilo_fft_by_convolution(double* line, int64_t n, const double* chirpParts, int64_t padded,
                             const double* responseParts, const double* rootParts, double* room) {
  const auto *chirp = reinterpret_cast<const Complex*>(chirpParts),
             *response = reinterpret_cast<const Complex*>(responseParts),
             *roots = reinterpret_cast<const Complex*>(rootParts);
  auto *x = reinterpret_cast<Complex*>(line), *a = reinterpret_cast<Complex*>(room), *other = a + padded;
  for (int64_t i = 0; i < n; ++i) a[i] = x[i] * chirp[i];
  for (int64_t i = n; i < padded; ++i) a[i] = {0, 0};
  transform(a, padded, roots, other);
  // The way back is the way there of the conjugates.
  for (int64_t i = 0; i < padded; ++i) {
    const Complex product = a[i] * response[i];
    a[i] = {product.real, -product.imaginary};
  }
  transform(a, padded, roots, other);
  const double scale = 1.0 / static_cast<double>(padded);
  for (int64_t i = 0; i < n; ++i) x[i] = Complex{a[i].real * scale, -a[i].imaginary * scale} * chirp[i];
}
