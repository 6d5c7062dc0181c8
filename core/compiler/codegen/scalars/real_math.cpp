// Real functions. Written without branches so that loops over them vectorise.
#include <math.h>

#include <bit>

#include "core/compiler/codegen/scalars/scalars.h"

namespace {

// Unsigned, so that what a caller throws away (the logarithm of a negative number) may wrap.
inline double bitsToDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t doubleToBits(double value) { return std::bit_cast<uint64_t>(value); }

// a * b + c, rounded once. Kernels run where this is one instruction; sums of products are written with it so
// that tests measure what kernels compute.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// 1.5 * 2^52: x plus this, less this, is x rounded to a whole number, |x| < 2^51. The number also stands in
// the low bits of the sum. For f32 1.5 * 2^23.
constexpr double kShifter = 0x1.8p52;
constexpr float kShifterF32 = 0x1.8p23F;
constexpr int kBias = 127;  // of an f32's exponent

template <typename T>
inline T clamped(T x, T low, T high) {
  x = x < low ? low : x;  // NaN stays: the comparison is false
  return x > high ? high : x;
}

// e^x = 2^n (1 + core), |x| < 128. core = r + r^2 p(r) with |r| <= ln(2)/2; p is Chebyshev's, within 2^-32.
struct Exponential {
  float core;
  uint32_t shifted;  // its low bits: n + `added`
};
inline Exponential split(float x, int added) {
  const float shifter = kShifterF32 + static_cast<float>(added);
  const float sum = fused(x, 0x1.715476p0F, shifter), n = sum - shifter;
  // ln(2) in two parts, the first so short that its product with n is exact.
  const float r = fused(n, -0x1.7f7d1cp-20F, fused(n, -0x1.62e4p-1F, x));
  float p = 0.0001989933431F;
  p = fused(p, r, 0.001393368836F);
  p = fused(p, r, 0.008333298411F);
  p = fused(p, r, 0.04166646457F);
  p = fused(p, r, 0.1666666672F);
  p = fused(p, r, 0.5000000014F);
  return {fused(r * r, p, r), std::bit_cast<uint32_t>(sum)};
}
// 2^(n - 127), 1 <= n <= 254, from the low bits; those above fall off.
inline float powerOfTwo(uint32_t n) { return std::bit_cast<float>(n << 23); }

// In two steps, so that results below the normal numbers round once and those above all become infinite.
inline float exponential(float x) {
  const auto [core, shifted] = split(clamped(x, -104.0F, 89.0F), 2 * kBias);
  const uint32_t half = shifted >> 1;
  const float first = powerOfTwo(half);
  return fused(first, core, first) * powerOfTwo(shifted - half);
}

// |x| <= 100.
inline float powerMinusOne(float x) {
  const auto [core, shifted] = split(clamped(x, -80.0F, 88.0F), kBias);
  const float scale = powerOfTwo(shifted);
  const float value = fused(scale, core, scale - 1);
  return x > 88.0F ? exponential(x) : value;
}

// log(x) of a positive normal double: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log m by the series of
// 2 atanh((m-1)/(m+1)); its argument is at most 0.1716, so the terms to z^15 leave 2^-44.
inline double logCore(double x) {
  const uint64_t bits = doubleToBits(x);
  const auto shifted = static_cast<int64_t>(bits - doubleToBits(0x1.6a09e667f3bcdp-1));
  const auto exponent = static_cast<uint64_t>(shifted >> 52);
  const double m = bitsToDouble(bits - (exponent << 52));
  const double z = (m - 1) / (m + 1), w = z * z;
  double p = 1.0 / 15;
  for (int n = 13; n >= 3; n -= 2) p = fused(p, w, 1.0 / n);
  // |exponent| < 2^11: exact through the shifter, and without a conversion that AVX2 lacks.
  const double e = bitsToDouble(exponent + doubleToBits(kShifter)) - kShifter;
  return fused(e, 0x1.62e42fefa39efp-1, fused(2 * z * w, p, 2 * z));
}

}  // namespace

float hilo_exponential_f32(float x) { return exponential(x); }

float hilo_exponential_minus_one_f32(float x) {
  const float value = powerMinusOne(clamped(x, -100.0F, 100.0F));
  return x == 0 ? x : value;
}

float hilo_log_f32(float x) {
  const double value = logCore(x);  // every f32 but 0 is a normal double
  const float special = x == 0 ? -INFINITY : NAN;
  return x > 0 ? (x == INFINITY ? x : static_cast<float>(value)) : (x != x ? x : special);
}

float hilo_log_plus_one_f32(float x) {
  // 1 + x is exact in f64 but for |x| < 2^-29, where log1p(x) = x - x^2/2 to f32's precision.
  const double wide = x, sum = 1 + wide;
  const double near = wide - wide * wide * (0.5 - wide * (1.0 / 3));
  const double value = fabs(wide) < 0x1p-12 ? near : logCore(sum);
  const float special = x == -1 ? -INFINITY : NAN;
  return x > -1 ? (x == INFINITY || x == 0 ? x : static_cast<float>(value)) : (x != x ? x : special);
}

// e^-|x| / (1 + e^-|x|) below 0, 1 / (1 + e^-|x|) above. What rounding the divisor lost is put right to first
// order; the quotient tells the divisor's inverse.
float hilo_logistic_f32(float x) {
  const float power = exponential(-fabsf(x)), divisor = 1 + power;
  const float lost = power - (divisor - 1);
  const float value = (x < 0 ? power : 1) / divisor, inverse = x < 0 ? 1 - value : value;
  return fused(-value, lost * inverse, value);
}

// With h = (e^2|x| - 1) / 2 tanh |x| is h / (h + 1), and 1 in f32 past 9.01. Of small ones h - h (h / (h +
// 1)) rounds less. h = (2^n - 1) / 2 + 2^n (r + r^2 p(r)) with |r| <= ln(2)/4; p is Chebyshev's, within
// 2^-33. n is at most 29, and what ln(2)/2 in one part lacks is lost where n is large.
float hilo_tanh_f32(float x) {
  const float magnitude = fabsf(x), a = magnitude > 10.0F ? 10.0F : magnitude;
  constexpr float kBiased = kShifterF32 + static_cast<float>(kBias);
  const float sum = fused(a, 0x1.715476p1F, kBiased), n = sum - kBiased;
  const float r = fused(n, -0x1.62e43p-2F, a);
  float p = 0.01273561118F;
  p = fused(p, r, 0.04458794629F);
  p = fused(p, r, 0.1333327734F);
  p = fused(p, r, 0.3333317133F);
  p = fused(p, r, 0.6666666688F);
  p = fused(p, r, 1.0F);
  const float power = powerOfTwo(std::bit_cast<uint32_t>(sum));
  const float h = fused(power, fused(r * r, p, r), fused(power, 0.5F, -0.5F)), quotient = h / (h + 1);
  return copysignf(h < 0.6F ? fused(-h, quotient, h) : quotient, x);
}

float hilo_rsqrt_f32(float x) { return 1 / sqrtf(x); }

// erf(a) / a as a polynomial of a^2, brought to [-1, 1]: Chebyshev's, within 2^-34 to a = 4, where erf is 1
// in f32.
float hilo_erf_f32(float x) {
  constexpr double kTerms[] = {
      -3.5566795785810665e-5,  9.7256637699241594e-5, -7.7758922494168756e-5, 0.0001587696196752785,
      -0.00066221949664613631, 0.0014372159312613071, -0.0025422212206154075, 0.0047476391993702011,
      -0.0086223413586865908,  0.014397091965097183,  -0.022469199937727328,  0.033047750256227792,
      -0.045765787725826116,   0.059888903555390776,  -0.074727812570748412,  0.09020883714494015,
      -0.10771044414410302,    0.13167512166462025,   -0.17657623329328919,   0.35353099561954217};
  const double a = clamped<double>(x, -4, 4), u = a * a * 0.125 - 1;
  double p = 0;
  for (const double term : kTerms) p = fused(p, u, term);
  return x == 0 ? x : (fabsf(x) >= 4 ? copysignf(1, x) : static_cast<float>(a * p));
}

#define FROM_LIBRARY_F32(name, function) \
  float hilo_##name##_f32(float x) { return function##f(x); }
#define FROM_LIBRARY_F64(name, function) \
  double hilo_##name##_f64(double x) { return function(x); }
#define FROM_LIBRARY(name, function) FROM_LIBRARY_F32(name, function) FROM_LIBRARY_F64(name, function)
FROM_LIBRARY(acos, acos)
FROM_LIBRARY(acosh, acosh)
FROM_LIBRARY(asin, asin)
FROM_LIBRARY(asinh, asinh)
FROM_LIBRARY(atanh, atanh)
FROM_LIBRARY(cbrt, cbrt)
FROM_LIBRARY(cosine, cos)
FROM_LIBRARY(cosh, cosh)
FROM_LIBRARY_F64(erf, erf)
FROM_LIBRARY_F64(exponential, exp)
FROM_LIBRARY_F64(exponential_minus_one, expm1)
FROM_LIBRARY_F64(log, log)
FROM_LIBRARY_F64(log_plus_one, log1p)
FROM_LIBRARY(sine, sin)
FROM_LIBRARY(sinh, sinh)
FROM_LIBRARY(tan, tan)
FROM_LIBRARY_F64(tanh, tanh)
double hilo_logistic_f64(double x) { return 1 / (1 + exp(-x)); }
double hilo_rsqrt_f64(double x) { return 1 / sqrt(x); }

float hilo_atan2_f32(float x, float y) { return atan2f(x, y); }
double hilo_atan2_f64(double x, double y) { return atan2(x, y); }
float hilo_power_f32(float x, float y) { return powf(x, y); }
double hilo_power_f64(double x, double y) { return pow(x, y); }
float hilo_remainder_f32(float x, float y) { return fmodf(x, y); }
double hilo_remainder_f64(double x, double y) { return fmod(x, y); }
