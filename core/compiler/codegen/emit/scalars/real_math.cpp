// Real functions. Written without branches so that loops over them vectorise.
#include <math.h>

#include <bit>

#include "core/compiler/codegen/emit/scalars/scalars.h"

namespace {

// Unsigned, so that what a caller throws away (the logarithm of a negative number) may wrap.
inline double bitsToDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t doubleToBits(double value) { return std::bit_cast<uint64_t>(value); }

// a * b + c, rounded once. Kernels run where this is one instruction; sums of products are written with it so
// that tests measure what kernels compute.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// The polynomial of x with these coefficients, the highest power's first. A loop over them would stand in a
// loop over elements as it is, and keep that from being vectorised.
template <typename T, typename... Terms>
inline T polynomial(T x, T first, Terms... terms) {
  T p = first;
  ((p = fused(p, x, terms)), ...);
  return p;
}

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

// e^x = 2^n e^r, |x| < 128 and |r| <= ln(2)/2.
struct Reduced {
  float rest;
  uint32_t shifted;  // its low bits: n + `added`
};
inline Reduced reduced(float x, int added) {
  const float shifter = kShifterF32 + static_cast<float>(added);
  const float sum = fused(x, 0x1.715476p0F, shifter), n = sum - shifter;
  // ln(2) in two parts, the first so short that its product with n is exact.
  const float rest = fused(n, -0x1.7f7d1cp-20F, fused(n, -0x1.62e4p-1F, x));
  return {rest, std::bit_cast<uint32_t>(sum)};
}

// e^x = 2^n (1 + core). core = r + r^2 p(r); p is Chebyshev's, within 2^-32.
struct Exponential {
  float core;
  uint32_t shifted;
};
inline Exponential split(float x, int added) {
  const auto [r, shifted] = reduced(x, added);
  const float p = polynomial(r, 0.0001989933431F, 0.001393368836F, 0.008333298411F, 0.04166646457F,
                             0.1666666672F, 0.5000000014F);
  return {fused(r * r, p, r), shifted};
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
  const double p = polynomial(w, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3);
  // |exponent| < 2^11: exact through the shifter, and without a conversion that AVX2 lacks.
  const double e = bitsToDouble(exponent + doubleToBits(kShifter)) - kShifter;
  return fused(e, 0x1.62e42fefa39efp-1, fused(2 * z * w, p, 2 * z));
}

// x = 2^exponent mantissa, the mantissa in [sqrt(1/2), sqrt(2)), of a positive finite x.
struct Scaled {
  float exponent, mantissa;
};
inline Scaled scaled(float x) {
  const bool isTiny = x < 0x1p-126F;
  const auto bits = std::bit_cast<uint32_t>(isTiny ? x * 0x1p23F : x);
  const auto whole = static_cast<int32_t>(bits - std::bit_cast<uint32_t>(0x1.6a09e6p-1F)) >> 23;
  const uint32_t mantissa = bits - (static_cast<uint32_t>(whole) << 23);
  return {static_cast<float>(whole) - (isTiny ? 23.0F : 0.0F), std::bit_cast<float>(mantissa)};
}

// A number as the sum of two.
struct Pair {
  float high, low;
};

// log2(x) of a positive finite x, within 2^-32 of itself: of the mantissa 2/ln(2) atanh(z) with z = (m - 1) /
// (m + 1), each number that may be seen in the result with what it lacks beside it. atanh(z) = z (1 + w/3 +
// w^2 p(w)) with w = z^2 <= 0.0295; p is Chebyshev's, within 2^-23.
inline Pair binaryLog(float x) {
  constexpr float kThird = 0x1.555556p-2F, kThirdLow = -0x1.555556p-27F;
  constexpr float kFactor = 0x1.715476p+1F, kFactorLow = 0x1.4ae0cp-25F;
  const auto [exponent, m] = scaled(x);
  const float sum = m + 1, sumLow = m - (sum - 1), inverse = 1 / sum;
  const float z = (m - 1) * inverse, zLow = fused(-z, sumLow, fused(-z, sum, m - 1)) * inverse;
  const float w = z * z, wLow = fused(z, z, -w), u = w * kThird;
  const float rest = polynomial(w, 0.115249653156F, 0.142810928461F, 0.200000076215F, kThirdLow);
  const float uLow = fused(w, rest, fused(wLow, kThird, fused(w, kThird, -u)));
  const float more = z * u, tangent = z + more;
  const float moreLow = fused(z, uLow, fused(zLow, w, fused(z, u, -more)));
  const float tangentLow = (more - (tangent - z)) + (moreLow + zLow);
  const float log = tangent * kFactor;
  const float logLow = fused(tangentLow, kFactor, fused(tangent, kFactorLow, fused(tangent, kFactor, -log)));
  const float high = exponent + log;
  return {high, (log - (high - exponent)) + logLow};
}

// An angle as quarter turns and what is left of it, in [-pi/4, pi/4]: the low two bits of `quarters` count.
struct Turn {
  double rest;
  uint64_t quarters;
};

inline uint64_t pick(uint64_t which, uint64_t zero, uint64_t one, uint64_t two) {
  return which == 0 ? zero : (which == 1 ? one : two);
}

// Of 2^15 and more, by its bits: the mantissa times those 96 bits of 2/pi whose product says where in a turn
// it is (Payne and Hanek's way). In front of them stand zeros.
inline Turn farTurn(uint32_t bits) {
  constexpr uint64_t kA = 0xa2f9836e4e441529, kB = 0xfc2757d1f534ddc0, kC = 0xdb6295993c439041,
                     kD = 0xfe5163abdebbc561;
  const uint64_t mantissa = (bits & 0x7fffff) | 0x800000, start = (bits >> 23) - 88;
  const uint64_t word = start >> 6, shift = start & 63;
  const uint64_t first = pick(word, 0, kA, kB), second = pick(word, kA, kB, kC),
                 third = pick(word, kB, kC, kD);
  const uint64_t high = (first << shift) | ((second >> 1) >> (63 - shift)),
                 low = ((second << shift) | ((third >> 1) >> (63 - shift))) >> 32;
  // Two bits of quarters, the others of a quarter's fraction.
  const uint64_t product = mantissa * high + ((mantissa * low) >> 32);
  const double fraction = static_cast<double>(static_cast<int64_t>(product << 2)) * 0x1p-64;
  return {fraction * 0x1.921fb54442d18p+0, (product >> 62) + ((product >> 61) & 1)};
}

// The sine of `rest` after so many quarter turns, its sign that of `sign` turned likewise. Both polynomials
// are Chebyshev's, within 2^-30.
inline float turned(float rest, uint32_t quarters, float sign) {
  const float u = rest * rest;
  const float s = polynomial(u, 2.724931405e-06F, -0.0001984008201F, 0.008333331866F, -0.1666666666F);
  const float sine = fused(rest * u, s, rest);
  const float cosine = polynomial(u, 2.454743721e-05F, -0.00138883007F, 0.04166664465F, -0.5F, 1.0F);
  const auto bits = std::bit_cast<uint32_t>((quarters & 1) != 0 ? cosine : sine);
  return std::bit_cast<float>(bits ^ (((quarters << 30) ^ std::bit_cast<uint32_t>(sign)) & 0x80000000));
}

// |x| <= kNearAngle: pi/2 in three parts, the quarter turns times the first of which come off exactly.
inline float nearWave(float x, uint32_t more, float sign) {
  const float magnitude = fabsf(x), sum = fused(magnitude, 0x1.45f306p-1F, kShifterF32),
              n = sum - kShifterF32;
  const float first = fused(n, -0x1.921fb6p+0F, magnitude), second = fused(n, 0x1.777a5cp-25F, first);
  const float rest = fused(n, 0x1.ee59dap-50F, second);
  return turned(rest, std::bit_cast<uint32_t>(sum) + more, sign);
}

inline float wave(float x, uint32_t more, float sign) {
  const Turn turn = farTurn(std::bit_cast<uint32_t>(fabsf(x)));
  const float far = turned(static_cast<float>(turn.rest), static_cast<uint32_t>(turn.quarters) + more, sign);
  const float value = fabsf(x) <= kNearAngle ? nearWave(x, more, sign) : far;
  return fabsf(x) < INFINITY ? value : x - x;
}

}  // namespace

float hilo_sine_f32(float x) { return wave(x, 0, x); }
float hilo_sine_near_f32(float x) { return nearWave(x, 0, x); }
float hilo_cosine_f32(float x) { return wave(x, 1, 1); }
float hilo_cosine_near_f32(float x) { return nearWave(x, 1, 1); }

float hilo_exponential_f32(float x) { return exponential(x); }

float hilo_exponential_minus_one_f32(float x) {
  const float value = powerMinusOne(clamped(x, -100.0F, 100.0F));
  return x == 0 ? x : value;
}

// exponent ln(2) + r with r = log(mantissa) = f + f^2 p(f), f = mantissa - 1; p is Chebyshev's, within 2^-28.
// ln(2) in two parts, the first so short that its product is exact; what adding f to it loses is kept.
float hilo_log_f32(float x) {
  const auto [exponent, mantissa] = scaled(x);
  const float f = mantissa - 1, whole = exponent * 0x1.62e4p-1F, sum = whole + f, lost = f - (sum - whole);
  const float p =
      polynomial(f, 0.0711940485391F, -0.117534698859F, 0.117625195467F, -0.123848834738F, 0.142341371928F,
                 -0.166696293175F, 0.200014392757F, -0.249999712979F, 0.333333226342F, -0.500000000619F);
  const float value = sum + fused(f * f, p, fused(exponent, 0x1.7f7d1cp-20F, lost));
  const float special = x == 0 ? -INFINITY : NAN;
  return x > 0 ? (x == INFINITY ? x : value) : (x != x ? x : special);
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

// e^2|x| = 16^n (v + r) / (v - r) with |r| <= ln(16)/4 and v = r coth r, a polynomial of r^2 within 2^-29.
// tanh |x| is N / (N + v - r), where N = (16^n - 1) / 2 (v + r) + r: exact where n is 0, and past 9.01, where
// tanh is 1 in f32, what rounding loses of N is lost on both sides of the quotient.
float hilo_tanh_f32(float x) {
  const float magnitude = fabsf(x), a = magnitude > 10.0F ? 10.0F : magnitude;
  constexpr float kBiased = kShifterF32 + 32;  // 16^32 is 2^128, one more than the bias of an exponent
  const float sum = fused(a, 0x1.715476p-1F, kBiased), n = sum - kBiased;
  const float r = fused(n, -0x1.62e43p0F, a);
  const float v = polynomial(r * r, -0.0001886310368F, 0.002107445223F, -0.02222083523F, 0.3333332666F, 1.0F);
  const float twice = std::bit_cast<float>(std::bit_cast<uint32_t>(sum) << 25);
  const float most = fused(fused(twice, 0.25F, -0.5F), v + r, r);
  return copysignf(most / (most + (v - r)), x);
}

// 2^(y log2 |x|) = 2^n 2^r with |r| <= 1/2; 2^r = 1 + r ln(2) + r^2 p(r), p Chebyshev's, within 2^-26. The
// rest is what IEEE 754 says of zeros, infinities, NaN and signs.
float hilo_power_f32(float x, float y) {
  const float magnitude = fabsf(x), half = 0.5F * y;
  const Pair finite = binaryLog(magnitude);
  const float positive = magnitude == 0 ? -INFINITY : finite.high;
  const float log = magnitude < INFINITY ? positive : magnitude;
  constexpr float kMost = 160, kShifter = kShifterF32 + 2 * kBias;
  const float power = clamped(y * log, -kMost, kMost);
  const float powerLow = fabsf(power) < kMost ? fused(y, finite.low, fused(y, log, -power)) : 0;
  const float sum = power + kShifter, r = (power - (sum - kShifter)) + powerLow;
  const float p = polynomial(r, 0.000154697379303F, 0.00133908692022F, 0.00961803076235F, 0.0555035710106F,
                             0.240226510843F);
  const auto shifted = std::bit_cast<uint32_t>(sum), first = shifted >> 1;
  const float scale = powerOfTwo(first), core = fused(r, 0.69314718803F, r * r * p);
  const float result = fused(scale, core, scale) * powerOfTwo(shifted - first);
  const bool isWhole = truncf(y) == y, isOdd = isWhole && truncf(half) != half;
  const float real = isOdd ? copysignf(result, x) : result;
  const float value = x < 0 && magnitude < INFINITY && !isWhole ? NAN : real;
  return x == 1 || y == 0 || (x == -1 && fabsf(half) == INFINITY) ? 1 : value;
}

float hilo_rsqrt_f32(float x) { return 1 / sqrtf(x); }

// Up to 1 x + x p(x^2), p within 2^-29 of erf(x) / x - 1. Beyond 1 - e^-q(|x|), q that close, weighed by what
// it leaves of 1, to -log(1 - erf) up to 4, where erf is 1 in f32; so is the polynomial of its exponential.
// One of p and q is computed, with the coefficients that are right: to choose those costs processors less
// than the other one would.
float hilo_erf_f32(float x) {
  const float magnitude = fabsf(x), a = magnitude > 4 ? 4 : magnitude;
  const bool isNear = magnitude < 1;
  const auto either = [isNear](float near, float far) { return isNear ? near : far; };
  const float sum =
      polynomial(either(x * x, a), either(7.8824971101e-5F, -0.0001855702278F),
                 either(-0.00080188549928F, 0.0029395719925F), either(0.0051893119427F, -0.021805183938F),
                 either(-0.026854328796F, 0.10303710161F), either(0.11283597463F, 0.63822597007F),
                 either(-0.37612626904F, 1.127039868F), either(0.12837916588F, 0.00035375894562F));
  const auto [r, shifted] = reduced(-sum, kBias);
  const float p = polynomial(r, 0.0013926183588F, 0.0083631790527F, 0.041666554617F, 0.1666657699F, 0.5F);
  const float scale = powerOfTwo(shifted), far = fused(-scale, fused(r * r, p, r), 1 - scale);
  return isNear ? fused(x, sum, x) : copysignf(far, x);
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
FROM_LIBRARY_F64(cosine, cos)
FROM_LIBRARY(cosh, cosh)
FROM_LIBRARY_F64(erf, erf)
FROM_LIBRARY_F64(exponential, exp)
FROM_LIBRARY_F64(exponential_minus_one, expm1)
FROM_LIBRARY_F64(log, log)
FROM_LIBRARY_F64(log_plus_one, log1p)
FROM_LIBRARY_F64(sine, sin)
FROM_LIBRARY(sinh, sinh)
FROM_LIBRARY(tan, tan)
FROM_LIBRARY_F64(tanh, tanh)
double hilo_logistic_f64(double x) { return 1 / (1 + exp(-x)); }
double hilo_rsqrt_f64(double x) { return 1 / sqrt(x); }

float hilo_atan2_f32(float x, float y) { return atan2f(x, y); }
double hilo_atan2_f64(double x, double y) { return atan2(x, y); }
double hilo_power_f64(double x, double y) { return pow(x, y); }
float hilo_remainder_f32(float x, float y) { return fmodf(x, y); }
double hilo_remainder_f64(double x, double y) { return fmod(x, y); }
