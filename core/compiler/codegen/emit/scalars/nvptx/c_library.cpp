// The functions of the C library that the scalar functions call, for GPUs, which have none. Natively they
// have other names, hilo_gpu_exp, for the test that holds them to at most 2 units in the last place (f64; f32
// is f64 rounded). Special values are those of C's Annex F.
//
// Series are Taylor's where nothing else is said, cut off where the next term is below 2^-56 of the sum.
#include <math.h>

#include <bit>
#include <cstdint>
#include <limits>

#ifdef __NVPTX__
#define HILO_C(name) name
#else
#define HILO_C(name) hilo_gpu_##name
#endif
#define HILO_C_FUNCTION extern "C" __attribute__((visibility("default")))

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2 = 0x1.62e42fefa3000p-1, kLog2Low = 0x1.3de6af278ece6p-42;  // ln(2); times 2^11 exact
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

inline uint64_t bitsOf(double x) { return std::bit_cast<uint64_t>(x); }
inline double fromBits(uint64_t bits) { return std::bit_cast<double>(bits); }
inline double fused(double a, double b, double c) { return __builtin_elementwise_fma(a, b, c); }
inline double root(double x) { return __builtin_elementwise_sqrt(x); }
inline double magnitude(double x) { return fromBits(bitsOf(x) & ~(uint64_t{1} << 63)); }
inline double withSign(double x, double sign) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  return fromBits((bitsOf(x) & ~kSign) | (bitsOf(sign) & kSign));
}
inline bool isNan(double x) { return x != x; }
inline bool isInfinite(double x) { return magnitude(x) == kInfinity; }
// 2^n, -1022 <= n <= 1023.
inline double power2(int n) { return fromBits(static_cast<uint64_t>(n + 1023) << 52); }
// x 2^n, rounded once.
inline double scaledBy(double x, int n) {
  if (n > 1023) return x * power2(1023) * (n > 2046 ? kInfinity : power2(n - 1023));
  if (n >= -1022) return x * power2(n);
  // In two steps, of which only the last rounds.
  if (n < -2100) return x * 0.0;
  int rest = n;
  while (rest < -1022 + 54) {
    const int step = rest < -1022 - 968 ? -968 : rest + 54;
    if (step >= 0 || rest - step < -1022) break;
    x *= power2(step);
    rest -= step;
  }
  return x * power2(rest);
}

template <typename... Terms>
inline double polynomial(double x, double first, Terms... terms) {
  double p = first;
  ((p = fused(p, x, terms)), ...);
  return p;
}

// A number as the sum of two, the second below half a unit of the first.
struct Pair {
  double high, low;
};
inline Pair sumOf(double a, double b) {
  const double high = a + b, taken = high - a;
  return {high, (a - (high - taken)) + (b - taken)};
}
// |a| >= |b|
inline Pair quickSum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}
inline Pair productOf(double a, double b) {
  const double high = a * b;
  return {high, fused(a, b, -high)};
}
inline Pair add(Pair a, Pair b) {
  const Pair high = sumOf(a.high, b.high);
  return quickSum(high.high, high.low + (a.low + b.low));
}
inline Pair multiply(Pair a, Pair b) {
  const Pair high = productOf(a.high, b.high);
  return quickSum(high.high, high.low + fused(a.high, b.low, a.low * b.high));
}

// e^(high + low) = 2^n (1 + core), |high| < 1100.
struct Exponential {
  double core;
  int n;
};
inline Exponential splitExp(Pair x) {
  constexpr double kShifter = 0x1.8p52;
  const double n = fused(x.high, 0x1.71547652b82fep+0, kShifter) - kShifter;
  const double first = fused(n, -kLog2, x.high), r = fused(n, -kLog2Low, first);
  const double lost = fused(n, -kLog2Low, first - r) + x.low;
  const double p =
      polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  const double rest = r * r * p;
  return {r + fused(lost, 1 + (r + rest), rest), static_cast<int>(n)};
}
inline double expOf(Pair x) {
  if (isNan(x.high)) return x.high;
  if (x.high > 710) return kInfinity;
  if (x.high < -746) return 0;
  const auto [core, n] = splitExp(x);
  return scaledBy(1 + core, n);
}

// The mantissa of a positive finite number in [sqrt(1/2), sqrt(2)), and its exponent.
struct Scaled {
  double mantissa;
  int exponent;
};
inline Scaled scaled(double x) {
  int below = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    below = 54;
  }
  const uint64_t bits = bitsOf(x);
  const auto exponent = static_cast<int>(static_cast<int64_t>(bits - bitsOf(0x1.6a09e667f3bcdp-1)) >> 52);
  return {fromBits(bits - (static_cast<uint64_t>(static_cast<int64_t>(exponent)) << 52)), exponent - below};
}

// The sum of 2 w^k / (2k + 3): log((1 + z) / (1 - z)) is 2z + z w times it, w = z^2 <= 0.0295.
inline double logSeries(double w) {
  return polynomial(w, 2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                    2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3);
}

// log(x) of a positive finite x, to 2^-65 or so.
inline Pair logOf(double x) {
  const auto [m, e] = scaled(x);
  const double f = m - 1;  // exact
  const Pair sum = sumOf(m, 1);
  const double z = f / sum.high;
  const double zLow = fused(-z, sum.low, fused(-z, sum.high, f)) / sum.high;
  const Pair zz{z, zLow}, w = multiply(zz, zz);
  // The first two terms of the series in two numbers, the others in one.
  const Pair third{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const double rest = w.high * polynomial(w.high, 2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15,
                                          2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5);
  const Pair series = multiply(multiply(zz, w), add(third, {rest, 0}));
  const Pair mantissa = add({2 * z, 2 * zLow}, series);
  const auto whole = static_cast<double>(e);
  return add(add({whole * kLog2, 0}, productOf(whole, kLog2Low)), mantissa);
}

// The bits of 2 / pi behind the point.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

// 64 bits of 2 / pi from bit `at` on; in front of the first stand zeros.
inline uint64_t twoOverPiFrom(int at) {
  if (at <= -64) return 0;
  if (at < 0) return kTwoOverPi[0] >> -at;
  const int word = at / 64, shift = at % 64;
  return shift == 0 ? kTwoOverPi[word] : (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> (64 - shift));
}

// An angle as quarter turns and what is left, in [-pi/4, pi/4].
struct Turn {
  Pair rest;
  unsigned quarters;
};

// Of 2^20 and more (Payne and Hanek's way): the mantissa, an integer times 2^e, times the 192 bits of 2 / pi
// whose product says where in a turn it is.
inline Turn farTurn(double x) {
  const uint64_t bits = bitsOf(x), mantissa = (bits & 0xfffffffffffff) | (uint64_t{1} << 52);
  const int e = static_cast<int>(bits >> 52) - 1075;
  const int from = e - 2;  // the bit of 2 / pi that stands for two quarters more
  const uint64_t a = twoOverPiFrom(from), b = twoOverPiFrom(from + 64), c = twoOverPiFrom(from + 128);
  // The product's upper 128 bits of those that count; its uppermost two are quarters.
  const auto wide = [](uint64_t p, uint64_t q) { return static_cast<unsigned __int128>(p) * q; };
  const unsigned __int128 low = wide(mantissa, b) + static_cast<uint64_t>(wide(mantissa, c) >> 64);
  const uint64_t high = mantissa * a + static_cast<uint64_t>(low >> 64), next = static_cast<uint64_t>(low);
  unsigned __int128 fraction = (static_cast<unsigned __int128>(high) << 64 | next) << 2;
  auto quarters = static_cast<unsigned>(high >> 62);
  const bool isMore = (fraction >> 127) != 0;
  quarters += isMore ? 1 : 0;
  if (isMore) fraction = -fraction;
  const double upper = static_cast<double>(static_cast<uint64_t>(fraction >> 64)) * 0x1p-64;
  // What rounding the upper half to a double lost comes back with the lower one.
  const auto taken = static_cast<unsigned __int128>(static_cast<uint64_t>(upper * 0x1p64)) << 64;
  const bool isOver = taken > fraction;
  const unsigned __int128 left = isOver ? taken - fraction : fraction - taken;
  const double tail = (static_cast<double>(static_cast<uint64_t>(left >> 64)) * 0x1p-64 +
                       static_cast<double>(static_cast<uint64_t>(left)) * 0x1p-128) *
                      (isOver ? -1 : 1);
  Pair rest = multiply({upper, tail}, {kHalfPi, kHalfPiLow});
  if (isMore) rest = {-rest.high, -rest.low};
  return {rest, quarters};
}

// Of |x|, finite.
inline Turn turnOf(double x) {
  if (x > 0x1p20) return farTurn(x);
  constexpr double kShifter = 0x1.8p52;
  const double n = fused(x, 0x1.45f306dc9c883p-1, kShifter) - kShifter;
  // pi / 2 in three parts, each product with n brought off exactly.
  const double first = fused(n, -kHalfPi, x);
  const Pair second = productOf(n, -kHalfPiLow);
  const Pair sum = sumOf(first, second.high);
  const Pair rest = quickSum(sum.high, sum.low + fused(n, 0x1.f1976b7ed8fbcp-110, second.low));
  return {rest, static_cast<unsigned>(static_cast<int>(n))};
}

inline double sineOf(Pair r) {
  const double w = r.high * r.high;
  const double p =
      polynomial(w, -1.0 / 121645100408832000, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800,
                 -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  return r.high + fused(r.high * w, p, r.low * (1 - 0.5 * w));
}
inline double cosineOf(Pair r) {
  const double w = r.high * r.high;
  const double p =
      polynomial(w, 1.0 / 2432902008176640000, -1.0 / 6402373705728000, 1.0 / 20922789888000,
                 -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24);
  const double half = 0.5 * w, near = 1 - half;
  return near + (((1 - near) - half) + fused(w * w, p, -r.high * r.low));
}

// atan(t) = t + t^3 q(t^2), |t| <= 7/16; q is Chebyshev's, within 2^-57.
inline double atanSeries(double t) {
  const double w = t * t;
  const double q =
      polynomial(w, 0.01460871268590087, -0.03296154658623588, 0.04484988183724837, -0.05214890369180336,
                 0.05876673715882235, -0.0666621529306149, 0.07692283890257043, -0.09090908290960198,
                 0.1111111109518639, -0.14285714285550002, 0.19999999999999335, -0.3333333333333333);
  return t * w * q;
}

// The angle of (x, y), both positive or zero, not both zero, finite: atan(y / x), by way of the angles
// whose tangents are 0, 1/2, 1, 3/2 and infinity.
inline double firstQuadrant(double y, double x) {
  if (y <= 0.4375 * x) {
    const double t = y / x, low = x > 0x1p-960 ? fused(-t, x, y) / x : 0;
    return t + (atanSeries(t) + low);
  }
  const auto from = [&](double angle, double angleLow, double top, double bottom) {
    const double t = top / bottom, low = fused(-t, bottom, top) / bottom;
    return angle + (t + (atanSeries(t) + (low + angleLow)));
  };
  // Scaled, so that sums neither overflow nor lose what is tiny.
  const int shift = -scaled(y > x ? y : x).exponent;
  const double a = scaledBy(y, shift), b = scaledBy(x, shift);
  if (a < 0.6875 * b) return from(0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56, 2 * a - b, 2 * b + a);
  if (a < 1.1875 * b) return from(0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55, a - b, a + b);
  if (a < 2.4375 * b) return from(0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56, 2 * a - 3 * b, 2 * b + 3 * a);
  return from(kHalfPi, kHalfPiLow, -b, a);
}

inline double expMinusOne(double x) {
  const auto [core, n] = splitExp({x, 0});
  if (n == 0) return core;
  if (n > 60) return scaledBy(1 + core, n);
  const double scale = power2(n);
  return fused(scale, core, scale - 1);
}

}  // namespace

#define FUNCTION(name, ...) HILO_C_FUNCTION double HILO_C(name)(__VA_ARGS__)

FUNCTION(sqrt, double x) { return root(x); }
FUNCTION(fma, double a, double b, double c) { return fused(a, b, c); }
FUNCTION(ldexp, double x, int n) { return scaledBy(x, n); }

FUNCTION(exp, double x) { return expOf({x, 0}); }

FUNCTION(expm1, double x) {
  if (isNan(x) || x == 0) return x;
  if (x > 710) return kInfinity;
  return x < -40 ? -1 : expMinusOne(x);
}

FUNCTION(log, double x) {
  if (isNan(x) || x == kInfinity) return x;
  if (x <= 0) return x == 0 ? -kInfinity : kNan;
  const auto [m, e] = scaled(x);
  const double f = m - 1, z = f / (2 + f), w = z * z, half = 0.5 * f * f;
  const auto whole = static_cast<double>(e);
  const double rest = fused(z, fused(w, logSeries(w), half), whole * kLog2Low);
  return fused(whole, kLog2, -((half - rest) - f));
}

// log(u) x / (u - 1), u = 1 + x rounded: the quotient puts right what rounding lost.
FUNCTION(log1p, double x) {
  if (isNan(x) || x == kInfinity || magnitude(x) < 0x1p-54) return x;
  if (x <= -1) return x == -1 ? -kInfinity : kNan;
  const Pair u = sumOf(1, x);
  const Pair log = logOf(u.high);
  return log.high + (log.low + u.low / u.high);
}

FUNCTION(sin, double x) {
  if (isNan(x) || isInfinite(x)) return x - x;
  if (magnitude(x) < 0x1p-27) return x;
  const auto [rest, quarters] = turnOf(magnitude(x));
  const double value = (quarters & 1) != 0 ? cosineOf(rest) : sineOf(rest);
  return ((quarters & 2) != 0) != (x < 0) ? -value : value;
}
FUNCTION(cos, double x) {
  if (isNan(x) || isInfinite(x)) return x - x;
  const auto [rest, quarters] = turnOf(magnitude(x));
  const double value = (quarters & 1) != 0 ? sineOf(rest) : cosineOf(rest);
  return ((quarters + 1) & 2) != 0 ? -value : value;
}
FUNCTION(tan, double x) {
  if (isNan(x) || isInfinite(x)) return x - x;
  if (magnitude(x) < 0x1p-27) return x;
  const auto [rest, quarters] = turnOf(magnitude(x));
  const double sine = sineOf(rest), cosine = cosineOf(rest);
  const double value = (quarters & 1) != 0 ? -cosine / sine : sine / cosine;
  return x < 0 ? -value : value;
}

FUNCTION(atan2, double y, double x) {
  if (isNan(x) || isNan(y)) return x + y;
  const double a = magnitude(y), b = magnitude(x);
  const bool isLeft = (bitsOf(x) >> 63) != 0;
  double angle;
  if (a == kInfinity || b == kInfinity) {
    angle = a == b ? 0.5 * kHalfPi : (a == kInfinity ? kHalfPi : 0);
    if (isLeft) angle = a == b ? 1.5 * kHalfPi : (a == kInfinity ? kHalfPi : 2 * kHalfPi);
  } else {
    angle = a == 0 ? 0 : (b == 0 ? kHalfPi : firstQuadrant(a, b));
    if (isLeft) angle = 2 * kHalfPi - (angle - 2 * kHalfPiLow);
  }
  return withSign(angle, y);
}

// The angle whose sine and cosine are x and the root of 1 - x^2, which is a product without cancellation.
FUNCTION(asin, double x) {
  if (isNan(x) || magnitude(x) > 1) return isNan(x) ? x : kNan;
  if (magnitude(x) < 0x1p-27) return x;
  const double other = root((1 - x) * (1 + x));
  return withSign(other == 0 ? kHalfPi : firstQuadrant(magnitude(x), other), x);
}
FUNCTION(acos, double x) {
  if (isNan(x) || magnitude(x) > 1) return isNan(x) ? x : kNan;
  if (x == -1) return 2 * kHalfPi;
  return x == 1 ? 0 : 2 * firstQuadrant(root(1 - x), root(1 + x));
}

FUNCTION(sinh, double x) {
  if (isNan(x) || isInfinite(x) || x == 0) return x;
  const double a = magnitude(x);
  if (a > 711) return withSign(kInfinity, x);
  if (a > 40) {
    const auto [core, n] = splitExp({a, 0});
    return withSign(scaledBy(1 + core, n - 1), x);
  }
  const double e = expMinusOne(a);
  return withSign(0.5 * (e + e / (e + 1)), x);
}
FUNCTION(cosh, double x) {
  if (isNan(x)) return x;
  const double a = magnitude(x);
  if (a > 711) return kInfinity;
  const auto [core, n] = splitExp({a, 0});
  const double half = scaledBy(1 + core, n - 1);
  return a > 40 ? half : half + 0.25 / half;
}
FUNCTION(tanh, double x) {
  if (isNan(x) || x == 0) return x;
  const double a = magnitude(x);
  if (a > 22) return withSign(1, x);
  if (a < 0x1p-28) return x;
  const double e = expMinusOne(a > 1 ? 2 * a : -2 * a);
  return withSign(a > 1 ? 1 - 2 / (e + 2) : -e / (e + 2), x);
}

FUNCTION(asinh, double x) {
  if (isNan(x) || isInfinite(x)) return x;
  const double a = magnitude(x);
  if (a < 0x1p-28) return x;
  if (a > 0x1p28) return withSign(HILO_C(log)(a) + (kLog2 + kLog2Low), x);
  return withSign(HILO_C(log1p)(a + a * a / (1 + root(fused(a, a, 1)))), x);
}
FUNCTION(acosh, double x) {
  if (isNan(x) || x < 1) return isNan(x) ? x : kNan;
  if (x > 0x1p28) return HILO_C(log)(x) + (kLog2 + kLog2Low);
  const double t = x - 1;
  return HILO_C(log1p)(t + root(fused(t, t, 2 * t)));
}
FUNCTION(atanh, double x) {
  const double a = magnitude(x);
  if (isNan(x) || a < 0x1p-28) return x;
  if (a >= 1) return a == 1 ? withSign(kInfinity, x) : kNan;
  return withSign(0.5 * HILO_C(log1p)(2 * a / (1 - a)), x);
}

// Newton's steps from an estimate whose exponent is a third of x's.
FUNCTION(cbrt, double x) {
  if (isNan(x) || isInfinite(x) || x == 0) return x;
  auto [m, e] = scaled(magnitude(x));
  const int third = (e + 3000) / 3 - 1000, rest = e - 3 * third;  // 0, 1 or 2
  m *= power2(rest);
  double y = rest == 0 ? 0.6 + 0.4 * m : 0.85 + 0.23 * m;
  for (int step = 0; step < 5; ++step) y -= (y - m / (y * y)) / 3;
  const Pair square = productOf(y, y), cube = multiply(square, {y, 0});
  y -= ((cube.high - m) + cube.low) / (3 * square.high);
  return withSign(scaledBy(y, third), x);
}

// Up to 1.5 the series of positive terms 2/sqrt(pi) e^(-x^2) x (1 + 2x^2/3 (1 + 2x^2/5 (...))), beyond the
// continued fraction of 1 - erf.
FUNCTION(erf, double x) {
  if (isNan(x)) return x;
  const double a = magnitude(x);
  if (a > 6) return withSign(1, x);
  const Pair square = productOf(a, a);
  const double power = expOf({-square.high, -square.low});
  if (a < 1.5) {
    double sum = 1;
    for (int k = 40; k > 0; --k) sum = fused(sum, 2 * square.high / (2 * k + 1), 1);
    return withSign(0x1.20dd750429b6dp+0 * a * sum * power, x);
  }
  double fraction = a;
  for (int k = 90; k > 0; --k) fraction = a + 0.5 * k / fraction;
  return withSign(1 - power * (0.5 * 0x1.20dd750429b6dp+0) / fraction, x);
}

FUNCTION(pow, double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (isNan(x) || isNan(y)) return x + y;
  const double a = magnitude(x);
  const bool isWhole = magnitude(y) >= 0x1p53 || static_cast<double>(static_cast<int64_t>(y)) == y;
  const bool isOdd = isWhole && magnitude(y) < 0x1p53 && (static_cast<int64_t>(y) & 1) != 0;
  const double sign = isOdd && (bitsOf(x) >> 63) != 0 ? -1 : 1;
  if (isInfinite(y)) return a == 1 ? 1 : ((a > 1) == (y > 0) ? kInfinity : 0);
  if (a == 0 || a == kInfinity) return sign * ((a == 0) == (y > 0) ? 0 : kInfinity);
  if (x < 0 && !isWhole) return kNan;
  const Pair log = logOf(a);
  const double power = log.high * y;
  if (!(magnitude(power) < 1100)) return sign * (power > 0 ? kInfinity : 0);
  return sign * expOf({power, fused(log.high, y, -power) + log.low * y});
}

// The remainder is exact: the mantissas are divided as integers, eleven bits at a time.
FUNCTION(fmod, double x, double y) {
  const double a = magnitude(x), b = magnitude(y);
  if (isNan(x) || isNan(y) || a == kInfinity || b == 0) return kNan;
  if (a < b) return x;
  const auto wholeOf = [](double v, int& exponent) {
    const uint64_t bits = bitsOf(v);
    const auto field = static_cast<int>(bits >> 52);
    exponent = field == 0 ? 1 : field;
    return (bits & 0xfffffffffffff) | (field == 0 ? 0 : uint64_t{1} << 52);
  };
  int ea, eb;
  uint64_t rest = wholeOf(a, ea);
  const uint64_t divisor = wholeOf(b, eb);
  rest %= divisor;
  for (int left = ea - eb; left > 0; left -= 11) rest = (rest << (left < 11 ? left : 11)) % divisor;
  return withSign(scaledBy(static_cast<double>(rest), eb - 1075), x);
}

FUNCTION(hypot, double x, double y) {
  double a = magnitude(x), b = magnitude(y);
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (isNan(a) || isNan(b)) return kNan;
  if (a < b) {
    const double larger = b;
    b = a;
    a = larger;
  }
  if (b == 0) return a;
  const int shift = -scaled(a).exponent;
  const double p = scaledBy(a, shift), q = scaledBy(b, shift), squares = fused(p, p, q * q),
               value = root(squares);
  // One step of Newton's with the squares in two numbers.
  const Pair pp = productOf(p, p), qq = productOf(q, q), vv = productOf(value, value);
  const double error = ((pp.high - vv.high) + qq.high) + ((pp.low - vv.low) + qq.low);
  return scaledBy(value + error / (2 * value), -shift);
}

#undef FUNCTION

// f32 through f64: all that is rounded twice is within a unit and a bit.
#define NARROW(name) \
  HILO_C_FUNCTION float HILO_C(name##f)(float x) { return static_cast<float>(HILO_C(name)(double{x})); }
NARROW(acos)
NARROW(acosh)
NARROW(asin)
NARROW(asinh)
NARROW(atanh)
NARROW(cbrt)
NARROW(cosh)
NARROW(sinh)
NARROW(tan)
#undef NARROW

#ifdef __NVPTX__

// What the compiler would write in place of a call, were it not told to leave the functions above alone.
HILO_C_FUNCTION double fabs(double x) { return magnitude(x); }
HILO_C_FUNCTION float fabsf(float x) { return __builtin_elementwise_abs(x); }
HILO_C_FUNCTION double trunc(double x) { return __builtin_elementwise_trunc(x); }
HILO_C_FUNCTION float truncf(float x) { return __builtin_elementwise_trunc(x); }
HILO_C_FUNCTION double copysign(double x, double sign) { return withSign(x, sign); }
HILO_C_FUNCTION float copysignf(float x, float sign) { return __builtin_elementwise_copysign(x, sign); }

// Here long double is double.
#define LONG(name) \
  HILO_C_FUNCTION long double name##l(long double x) { return name(static_cast<double>(x)); }
#define LONG_BINARY(name)                                             \
  HILO_C_FUNCTION long double name##l(long double x, long double y) { \
    return name(static_cast<double>(x), static_cast<double>(y));      \
  }
LONG(sqrt)
LONG(log)
LONG(exp)
LONG(cos)
LONG(sin)
LONG(cosh)
LONG(sinh)
LONG(expm1)
LONG(log1p)
LONG_BINARY(atan2)
LONG_BINARY(pow)
LONG_BINARY(hypot)
#undef LONG
#undef LONG_BINARY
HILO_C_FUNCTION long double fmal(long double a, long double b, long double c) {
  return __builtin_elementwise_fma(a, b, c);
}

// Products and quotients of complex numbers, by C's Annex G: where both parts come out as NaN though an
// operand is infinite, the result is infinite (or zero) all the same.
namespace {

template <typename T>
struct Complex {
  T real, imaginary;
};

template <typename T>
T oneIfInfinite(T x) {
  return __builtin_copysign(__builtin_isinf(x) ? T(1) : T(0), x);
}
template <typename T>
T zeroIfNan(T x) {
  return __builtin_isnan(x) ? __builtin_copysign(T(0), x) : x;
}
template <typename T>
bool isInfinite(Complex<T> x) {
  return __builtin_isinf(x.real) || __builtin_isinf(x.imaginary);
}

template <typename T>
Complex<T> productOf(Complex<T> x, Complex<T> y) {
  const auto plain = [](Complex<T> a, Complex<T> b) {
    return Complex<T>{a.real * b.real - a.imaginary * b.imaginary,
                      a.real * b.imaginary + a.imaginary * b.real};
  };
  const Complex<T> result = plain(x, y);
  if (!__builtin_isnan(result.real) || !__builtin_isnan(result.imaginary)) return result;
  const bool overflows = __builtin_isinf(x.real * y.real) || __builtin_isinf(x.imaginary * y.imaginary) ||
                         __builtin_isinf(x.real * y.imaginary) || __builtin_isinf(x.imaginary * y.real);
  if (!isInfinite(x) && !isInfinite(y) && !overflows) return result;
  const auto settled = [](Complex<T> a, bool other) {
    if (isInfinite(a)) return Complex<T>{oneIfInfinite(a.real), oneIfInfinite(a.imaginary)};
    return other ? Complex<T>{zeroIfNan(a.real), zeroIfNan(a.imaginary)} : a;
  };
  const Complex<T> sign = plain(settled(x, true), settled(y, true));
  const T infinity = std::numeric_limits<T>::infinity();
  return {infinity * sign.real, infinity * sign.imaginary};
}

template <typename T>
int exponentOf(T x) {
  return scaled(static_cast<double>(x)).exponent;
}

template <typename T>
Complex<T> quotientOf(Complex<T> x, Complex<T> y) {
  const T larger = magnitude(y.real) > magnitude(y.imaginary) ? static_cast<T>(magnitude(y.real))
                                                              : static_cast<T>(magnitude(y.imaginary));
  const bool scales = larger > 0 && !__builtin_isinf(larger) && !__builtin_isnan(larger);
  const int shift = scales ? exponentOf(larger) : 0;
  const auto scale = [&](T v, int n) { return static_cast<T>(scaledBy(static_cast<double>(v), n)); };
  const T c = scale(y.real, -shift), d = scale(y.imaginary, -shift), bottom = c * c + d * d;
  const Complex<T> result{scale((x.real * c + x.imaginary * d) / bottom, -shift),
                          scale((x.imaginary * c - x.real * d) / bottom, -shift)};
  if (!__builtin_isnan(result.real) || !__builtin_isnan(result.imaginary)) return result;
  const T infinity = std::numeric_limits<T>::infinity();
  const bool isNanOnly = __builtin_isnan(x.real) && __builtin_isnan(x.imaginary);
  if (bottom == 0 && !isNanOnly) {
    const T by = __builtin_copysign(infinity, y.real);
    return {by * x.real, by * x.imaginary};
  }
  const bool isYFinite = __builtin_isfinite(y.real) && __builtin_isfinite(y.imaginary);
  if (isInfinite(x) && isYFinite) {
    const T a = oneIfInfinite(x.real), b = oneIfInfinite(x.imaginary);
    return {infinity * (a * c + b * d), infinity * (b * c - a * d)};
  }
  const bool isXFinite = __builtin_isfinite(x.real) && __builtin_isfinite(x.imaginary);
  if (isInfinite(y) && isXFinite) {
    const T e = oneIfInfinite(y.real), f = oneIfInfinite(y.imaginary);
    return {T(0) * (x.real * e + x.imaginary * f), T(0) * (x.imaginary * e - x.real * f)};
  }
  return result;
}

}  // namespace

#define COMPLEX(name, T, function)                                          \
  HILO_C_FUNCTION T _Complex name(T a, T b, T c, T d) {                     \
    const Complex<T> result = function(Complex<T>{a, b}, Complex<T>{c, d}); \
    return __builtin_complex(result.real, result.imaginary);                \
  }
COMPLEX(__mulsc3, float, productOf)
COMPLEX(__muldc3, double, productOf)
COMPLEX(__divsc3, float, quotientOf)
COMPLEX(__divdc3, double, quotientOf)
#undef COMPLEX

#endif

HILO_C_FUNCTION float HILO_C(sqrtf)(float x) { return __builtin_elementwise_sqrt(x); }
HILO_C_FUNCTION float HILO_C(fmaf)(float a, float b, float c) { return __builtin_elementwise_fma(a, b, c); }
HILO_C_FUNCTION float HILO_C(atan2f)(float y, float x) {
  return static_cast<float>(HILO_C(atan2)(double{y}, double{x}));
}
HILO_C_FUNCTION float HILO_C(fmodf)(float x, float y) {
  return static_cast<float>(HILO_C(fmod)(double{x}, double{y}));
}
