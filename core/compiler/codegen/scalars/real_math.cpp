// Real functions. Written without branches so that loops over them vectorise.
#include <math.h>

#include <bit>

#include "core/compiler/codegen/scalars/scalars.h"

namespace {

// Unsigned, so that what a caller throws away (the logarithm of a negative number) may wrap.
inline double bitsToDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t doubleToBits(double value) { return std::bit_cast<uint64_t>(value); }

// x rounded to a whole number by adding and taking away 1.5 * 2^52; |x| < 2^51. The number also stands in the
// low bits of the sum.
constexpr double kShifter = 0x1.8p52;

// e^x - 1 for |x| <= ln(2)/2, to 2^-34 relative: the Taylor series to x^10, whose rest is below 2^-42.
inline double expm1Core(double r) {
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  return r + r * r * p;
}

// e^x = 2^n (1 + core), |x| < 700.
struct Exponential {
  double scale, core;
};
inline Exponential split(double x) {
  const double shifted = x * 0x1.71547652b82fep0 + kShifter;
  const double n = shifted - kShifter;
  const double r = (x - n * 0x1.62e42fefa39efp-1) - n * 0x1.abc9e3b39803fp-56;
  // The exponent field takes n; bits above fall off.
  return {bitsToDouble((doubleToBits(shifted) + 1023) << 52), expm1Core(r)};
}
inline double clamped(double x, double low, double high) {
  x = x < low ? low : x;  // NaN stays: the comparison is false
  return x > high ? high : x;
}
inline double exponential(double x) {
  const auto [scale, core] = split(clamped(x, -200, 200));
  return scale * core + scale;
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
  p = p * w + 1.0 / 13;
  p = p * w + 1.0 / 11;
  p = p * w + 1.0 / 9;
  p = p * w + 1.0 / 7;
  p = p * w + 1.0 / 5;
  p = p * w + 1.0 / 3;
  // |exponent| < 2^11: exact through the shifter, and without a conversion that AVX2 lacks.
  const double e = bitsToDouble(exponent + doubleToBits(kShifter)) - kShifter;
  return e * 0x1.62e42fefa39efp-1 + (2 * z + 2 * z * w * p);
}

}  // namespace

float hilo_exponential_f32(float x) { return static_cast<float>(exponential(x)); }

float hilo_exponential_minus_one_f32(float x) {
  const auto [scale, core] = split(clamped(x, -200, 200));
  const double value = scale * core + (scale - 1);
  return x == 0 ? x : static_cast<float>(value);
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

float hilo_logistic_f32(float x) {
  return static_cast<float>(1 / (1 + exponential(-static_cast<double>(x))));
}

float hilo_tanh_f32(float x) {
  // tanh x = t / (t + 2) with t = e^2x - 1.
  const auto [scale, core] = split(clamped(2 * static_cast<double>(x), -60, 60));
  const double t = scale * core + (scale - 1);
  return x == 0 ? x : static_cast<float>(t / (t + 2));
}

float hilo_rsqrt_f32(float x) { return static_cast<float>(1 / sqrt(static_cast<double>(x))); }

// By its series, whose terms have one sign, to 4, where erf is 1 in f32.
float hilo_erf_f32(float x) {
  const double a = clamped(fabs(static_cast<double>(x)), 0, 4), w = a * a;
  // erf a = 2/sqrt(pi) e^-w sum of 2^n a^(2n+1) / (1 3 5 ... 2n+1): all terms of one sign, so none cancel.
  double sum = 0;
  for (int n = 64; n >= 1; --n) sum = (1 + sum) * (2 * w) * (1.0 / (2 * n + 1));
  const double gauss = 1 / exponential(w);
  const double value = 0x1.20dd750429b6dp0 * gauss * a * (1 + sum);
  const double capped = fabs(static_cast<double>(x)) >= 4 ? 1 : value;
  return x != x ? x : (x == 0 ? x : static_cast<float>(x < 0 ? -capped : capped));
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
