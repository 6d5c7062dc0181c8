// The scalar operations that are more than an instruction or two, as plain functions. They are compiled
// twice: to LLVM bitcode that the emitter links into kernels and inlines there, and natively for the tests
// that measure them. What a function is called says what it is: hilo_<opcode>_<type>; an operation on a type
// is supported when its function is here or the emitter writes it itself.
//
// How far each may be from the true value stands in docs/cpu_engine.md; scalars_test.cpp holds them
// to it. The f32 functions written here have no branches and no calls, and vectorise; the others are
// the C library's.
#pragma once

#include <stdint.h>

#define HILO_SCALAR extern "C" __attribute__((visibility("default")))

// Lists, which clang-format 22 writes another way each time.
// clang-format off
#define HILO_REAL_UNARY(X)                                                                           \
  X(acos) X(acosh) X(asin) X(asinh) X(atanh) X(cbrt) X(cosine) X(cosh) X(erf) X(exponential)         \
  X(exponential_minus_one) X(log) X(log_plus_one) X(logistic) X(rsqrt) X(sine) X(sinh) X(tan) X(tanh)
#define HILO_REAL_BINARY(X) X(atan2) X(power) X(remainder)
#define HILO_COMPLEX_UNARY(X)                                                                        \
  X(acos) X(acosh) X(asin) X(asinh) X(atanh) X(cbrt) X(cosine) X(cosh) X(exponential)                \
  X(exponential_minus_one) X(log) X(log_plus_one) X(logistic) X(rsqrt) X(sign) X(sine) X(sinh)       \
  X(sqrt) X(tan) X(tanh)
#define HILO_COMPLEX_BINARY(X) X(atan2) X(divide) X(multiply) X(power)
// Every float narrower than f32.
#define HILO_NARROW(X)                                                                               \
  X(f16, F16) X(bf16, BF16) X(f8e5m2, F8E5M2) X(f8e4m3, F8E4M3) X(f8e3m4, F8E3M4)                    \
  X(f8e4m3fn, F8E4M3FN) X(f8e4m3b11fnuz, F8E4M3B11FNUZ) X(f8e5m2fnuz, F8E5M2FNUZ)                    \
  X(f8e4m3fnuz, F8E4M3FNUZ) X(f8e8m0fnu, F8E8M0FNU) X(f6e2m3fn, F6E2M3FN) X(f6e3m2fn, F6E3M2FN)      \
  X(f4e2m1fn, F4E2M1FN)
// clang-format on

#define DECLARE_UNARY(name)                     \
  HILO_SCALAR float hilo_##name##_f32(float x); \
  HILO_SCALAR double hilo_##name##_f64(double x);
HILO_REAL_UNARY(DECLARE_UNARY)
#undef DECLARE_UNARY

#define DECLARE_BINARY(name)                             \
  HILO_SCALAR float hilo_##name##_f32(float x, float y); \
  HILO_SCALAR double hilo_##name##_f64(double x, double y);
HILO_REAL_BINARY(DECLARE_BINARY)
#undef DECLARE_BINARY

// Sine and cosine of angles of up to kNearAngle either way, which gives what the functions of all angles give
// there, at a third of the cost.
constexpr float kNearAngle = 0x1p15F;
HILO_SCALAR float hilo_sine_near_f32(float x);
HILO_SCALAR float hilo_cosine_near_f32(float x);

// A complex number is its two parts in memory.
#define DECLARE_COMPLEX_UNARY(name)                                  \
  HILO_SCALAR void hilo_##name##_c64(const float* x, float* result); \
  HILO_SCALAR void hilo_##name##_c128(const double* x, double* result);
HILO_COMPLEX_UNARY(DECLARE_COMPLEX_UNARY)
#undef DECLARE_COMPLEX_UNARY
#define DECLARE_COMPLEX_BINARY(name)                                                 \
  HILO_SCALAR void hilo_##name##_c64(const float* x, const float* y, float* result); \
  HILO_SCALAR void hilo_##name##_c128(const double* x, const double* y, double* result);
HILO_COMPLEX_BINARY(DECLARE_COMPLEX_BINARY)
#undef DECLARE_COMPLEX_BINARY
HILO_SCALAR float hilo_abs_c64(const float* x);
HILO_SCALAR double hilo_abs_c128(const double* x);

// Bits of the format, in the low end, and the value they stand for. Rounding is once, to nearest even.
#define DECLARE_NARROW(name, type)                           \
  HILO_SCALAR uint16_t hilo_narrow_##name##_f32(float x);    \
  HILO_SCALAR uint16_t hilo_narrow_##name##_f64(double x);   \
  HILO_SCALAR uint16_t hilo_narrow_##name##_s64(int64_t x);  \
  HILO_SCALAR uint16_t hilo_narrow_##name##_u64(uint64_t x); \
  HILO_SCALAR float hilo_widen_##name(uint16_t bits);
HILO_NARROW(DECLARE_NARROW)
#undef DECLARE_NARROW

HILO_SCALAR int64_t hilo_power_s64(int64_t base, int64_t exponent);
HILO_SCALAR uint64_t hilo_power_u64(uint64_t base, uint64_t exponent);
HILO_SCALAR float hilo_reduce_precision_f32(float x, int32_t exponentBits, int32_t mantissaBits);
HILO_SCALAR double hilo_reduce_precision_f64(double x, int32_t exponentBits, int32_t mantissaBits);

// Threefry-2x32-20: both words of a counter, the first in the low half.
HILO_SCALAR uint64_t hilo_threefry(uint64_t counter, uint64_t key);
// Philox-4x32-10: words 0 and 1 (half 0) or 2 and 3 (half 1) of a 128-bit counter.
HILO_SCALAR uint64_t hilo_philox(uint64_t counterLow, uint64_t counterHigh, uint64_t key, int32_t half);

// Rounds towards zero, or away from it when the random number (of `randomBits` bits, a fraction of its range)
// is below what was cut off; to a signed integer of `bits` bits.
HILO_SCALAR int64_t hilo_stochastic_convert(double value, uint64_t random, int32_t randomBits, int32_t bits);

// Lines and matrices of f64, or of complex numbers as pairs of f64.
// The lower factor of an n by n matrix whose lower triangle is given, in its place, zero above; rows are
// `stride` elements apart, a multiple of 16. From where the matrix is not positive definite on it is NaN.
HILO_SCALAR void hilo_cholesky_f64(double* a, int64_t n, int64_t stride);
HILO_SCALAR void hilo_cholesky_c128(double* a, int64_t n, int64_t stride);
// Solves a x = b for right-hand sides that are columns of x, which lies in tiles of 16 columns one after the
// other. Rows of a are `stride` elements apart. Reads one triangle only.
HILO_SCALAR void hilo_triangular_solve_f64(const double* a, int64_t stride, double* x, int64_t n,
                                           int64_t tiles, int32_t lower, int32_t unitDiagonal);
HILO_SCALAR void hilo_triangular_solve_c128(const double* a, int64_t stride, double* x, int64_t n,
                                            int64_t tiles, int32_t lower, int32_t unitDiagonal);
// Transforms n complex numbers in place, unscaled. roots[k] = exp(+-2 pi i k / n); room for n more.
HILO_SCALAR void hilo_fft(double* line, int64_t n, const double* roots, double* room);
// The same for any n. chirp[k] = exp(+-pi i k^2 / n), n of them; padded: a power of two, 2n - 1 or more;
// response: the transform of the conjugate chirp wrapped around padded places; roots: exp(-2 pi i k /
// padded); room for 2 * padded.
HILO_SCALAR void hilo_fft_by_convolution(double* line, int64_t n, const double* chirp, int64_t padded,
                                         const double* response, const double* roots, double* room);
// The same of eight lines at once: the numbers i of all lie side by side, real parts before imaginary ones,
// on whole lines of memory.
HILO_SCALAR void hilo_fft_lanes(double* lines, int64_t n, const double* roots, double* room);
HILO_SCALAR void hilo_fft_by_convolution_lanes(double* lines, int64_t n, const double* chirp, int64_t padded,
                                               const double* response, const double* roots, double* room);
