// Discrete Fourier transforms of lines of complex numbers in f64, one by itself or a vector of them at once.
// Lengths whose prime factors are small go by mixed radices (Stockham, which needs no reordering); others are
// a convolution done by transforms of a power of two (Bluestein). Roots of unity are the caller's, so that
// their sign is the transform's.
#include "core/compiler/codegen/emit/scalars/scalars.h"

namespace {

// A number of each of eight lines; on processors of narrower vectors it is several of theirs.
using Lanes = double __attribute__((vector_size(64)));

// T: double, of one line, or Lanes.
template <typename T>
struct Complex {
  T real, imaginary;
};
using Root = Complex<double>;

template <typename T>
inline T all(double x) {
  if constexpr (sizeof(T) == sizeof(double))
    return x;
  else
    return T{x, x, x, x, x, x, x, x};
}
template <typename T>
inline Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <typename T>
inline Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
template <typename T>
inline Complex<T> times(Complex<T> a, Root b) {
  const T real = all<T>(b.real), imaginary = all<T>(b.imaginary);
  return {__builtin_elementwise_fma(a.real, real, -(a.imaginary * imaginary)),
          __builtin_elementwise_fma(a.real, imaginary, a.imaginary * real)};
}

int64_t smallestFactor(int64_t n) {
  for (int64_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) return factor;
  }
  return n;
}

// What the first pass divides by: four while it can, which takes the fewest multiplications.
int64_t radixOf(int64_t n) { return n % 4 == 0 ? 4 : smallestFactor(n); }

// As pass below does with radix 4. quarter: the imaginary part of the first root of four, whose real
// part is 0.
template <typename T>
void passByFour(const Complex<T>* __restrict from, Complex<T>* __restrict to, int64_t n, int64_t rest,
                int64_t blocks, const Root* __restrict roots) {
  const int64_t part = rest / 4, step = n / rest, stride = blocks * part;
  const T quarter = all<T>(roots[n / 4].imaginary);
  for (int64_t p = 0; p < part; ++p) {
    const Root one = roots[p * step], two = roots[2 * p * step], three = roots[3 * p * step];
    const Complex<T>* in = from + blocks * p;
    Complex<T>* out = to + 4 * blocks * p;
    for (int64_t q = 0; q < blocks; ++q) {
      const Complex<T> a = in[q], b = in[q + stride], c = in[q + 2 * stride], d = in[q + 3 * stride];
      const Complex<T> even = a + c, odd = a - c, sum = b + d, difference = b - d;
      const Complex<T> turned = {-quarter * difference.imaginary, quarter * difference.real};
      out[q] = even + sum;
      out[q + blocks] = times(odd + turned, one);
      out[q + 2 * blocks] = times(even - sum, two);
      out[q + 3 * blocks] = times(odd - turned, three);
    }
  }
}

// One pass: `blocks` transforms of length `rest`, interleaved, become `blocks` * radix of length
// rest / radix.
template <typename T>
void pass(const Complex<T>* from, Complex<T>* to, int64_t n, int64_t rest, int64_t blocks, int64_t radix,
          const Root* roots) {
  const int64_t part = rest / radix, step = n / rest;
  for (int64_t p = 0; p < part; ++p) {
    for (int64_t q = 0; q < blocks; ++q) {
      const Complex<T>* in = from + q + blocks * p;
      Complex<T>* out = to + q + blocks * radix * p;
      const int64_t stride = blocks * part;
      if (radix == 2) {
        const Complex<T> a = in[0], b = in[stride];
        out[0] = a + b;
        out[blocks] = times(a - b, roots[p * step]);
        continue;
      }
      for (int64_t j = 0; j < radix; ++j) {
        Complex<T> sum = in[0];
        int64_t turn = 0;
        for (int64_t k = 1; k < radix; ++k) {
          turn += j;
          if (turn >= radix) turn -= radix;
          sum = sum + times(in[k * stride], roots[turn * (n / radix)]);
        }
        out[j * blocks] = times(sum, roots[p * j * step]);
      }
    }
  }
}

template <typename T>
inline void transform(Complex<T>* line, int64_t n, const Root* roots, Complex<T>* room) {
  Complex<T>*from = line, *to = room;
  for (int64_t rest = n, blocks = 1; rest > 1;) {
    const int64_t radix = radixOf(rest);
    radix == 4 ? passByFour(from, to, n, rest, blocks, roots) : pass(from, to, n, rest, blocks, radix, roots);
    rest /= radix;
    blocks *= radix;
    Complex<T>* const swap = from;
    from = to;
    to = swap;
  }
  if (from != line) {
    for (int64_t i = 0; i < n; ++i) line[i] = from[i];
  }
}

template <typename T>
inline void transformByConvolution(Complex<T>* x, int64_t n, const Root* chirp, int64_t padded,
                                   const Root* response, const Root* roots, Complex<T>* a) {
  Complex<T>* other = a + padded;
  for (int64_t i = 0; i < n; ++i) a[i] = times(x[i], chirp[i]);
  for (int64_t i = n; i < padded; ++i) a[i] = {};
  transform(a, padded, roots, other);
  // The way back is the way there of the conjugates.
  for (int64_t i = 0; i < padded; ++i) {
    const Complex<T> product = times(a[i], response[i]);
    a[i] = {product.real, -product.imaginary};
  }
  transform(a, padded, roots, other);
  const T scale = all<T>(1.0 / static_cast<double>(padded));
  for (int64_t i = 0; i < n; ++i)
    x[i] = times(Complex<T>{a[i].real * scale, -a[i].imaginary * scale}, chirp[i]);
}

template <typename T>
inline Complex<T>* numbers(double* at) {
  return reinterpret_cast<Complex<T>*>(at);
}
inline const Root* rootsAt(const double* at) { return reinterpret_cast<const Root*>(at); }

}  // namespace

void hilo_fft(double* line, int64_t n, const double* roots, double* room) {
  transform(numbers<double>(line), n, rootsAt(roots), numbers<double>(room));
}
void hilo_fft_lanes(double* lines, int64_t n, const double* roots, double* room) {
  transform(numbers<Lanes>(lines), n, rootsAt(roots), numbers<Lanes>(room));
}

void hilo_fft_by_convolution(double* line, int64_t n, const double* chirp, int64_t padded,
                             const double* response, const double* roots, double* room) {
  transformByConvolution(numbers<double>(line), n, rootsAt(chirp), padded, rootsAt(response), rootsAt(roots),
                         numbers<double>(room));
}
void hilo_fft_by_convolution_lanes(double* lines, int64_t n, const double* chirp, int64_t padded,
                                   const double* response, const double* roots, double* room) {
  transformByConvolution(numbers<Lanes>(lines), n, rootsAt(chirp), padded, rootsAt(response), rootsAt(roots),
                         numbers<Lanes>(room));
}
