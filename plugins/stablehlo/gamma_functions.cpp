// lgamma and digamma by Lanczos' approximation (g = 7, 9 terms), Hurwitz' zeta by Euler and Maclaurin's
// formula (F. Johansson, Numerical Algorithms 69, 2015, formula 5). Source: XLA's builder/lib/math.cc.
#include <cmath>
#include <limits>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/numbers.h"

namespace hilo::stablehlo {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kG = 7;
constexpr double kBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                               771.3234287776530788486528258894,   -176.61502916214059906584551354,
                               12.507343278686904814458936853,     -0.13857109526572011689554707,
                               9.984369578019570859563e-6,         1.50563273514931155834e-7};

// What both functions are made of, at x, or at 1 - x where x is below 1/2.
struct Lanczos {
  Number reflects, z, sum, derivative, t, logT;
};

Lanczos lanczosAt(Number x) {
  const Number reflects = x.is("LT", 0.5);
  const Number z = reflects.select(-x, x - 1);
  Number sum = x.like(kBase), derivative = x.like(0);
  for (size_t n = 0; n < std::size(kLanczos); ++n) {
    const Number term = z + static_cast<double>(n + 1);
    derivative = derivative - kLanczos[n] / (term * term);
    sum = sum + kLanczos[n] / term;
  }
  // log(t) by way of log1p keeps its precision for small z.
  return {reflects, z, sum, derivative, z + (kG + 0.5), std::log(kG + 0.5) + log1p(z / (kG + 0.5))};
}

Number lgammaOf(Number x) {
  const Lanczos l = lanczosAt(x);
  const Number direct = std::log(std::sqrt(2 * kPi)) + (l.z + 0.5 - l.t / l.logT) * l.logT + log(l.sum);
  // log |sin(pi x)| from x's distance to the nearest integer.
  const Number fraction = abs(x) - floor(abs(x));
  const Number distance = fraction.is("GT", 0.5).select(1 - fraction, fraction);
  const Number sineLog = log(sine(kPi * distance));
  // At a pole the sine's logarithm wins.
  const Number reflected = sineLog.is("EQ", -kInfinity).select(-sineLog, std::log(kPi) - sineLog - direct);
  return abs(x).is("EQ", kInfinity).select(x.like(kInfinity), l.reflects.select(reflected, direct));
}

Number digammaOf(Number x) {
  const Lanczos l = lanczosAt(x);
  const Number direct = l.logT + l.derivative / l.sum - kG / l.t;
  const Number reduced = kPi * (x + abs(floor(x + 0.5)));
  const Number reflected = direct - kPi * cosine(reduced) / sine(reduced);
  const Number isPole = x.is("LE", 0) & x.is("EQ", floor(x));
  return isPole.select(x.like(kNan), l.reflects.select(reflected, direct));
}

// (2k)! / B(2k), k from 12 down to 1.
constexpr double kZeta[] = {-7.1661652561756670113e18,
                            1.8152105401943546773e17,
                            -4.5979787224074726105e15,
                            1.1646782814350067249e14,
                            -2.950130727918164224e12,
                            7.47242496e10,
                            -1.8924375803183791606e9,
                            47900160.0,
                            -1209600.0,
                            30240.0,
                            -720.0,
                            12.0};

Number zetaOf(Number x, Number q, bool f64) {
  constexpr int kTerms = std::size(kZeta), kDirectTerms = 9;
  Number at = q, sum = power(q, -x);
  for (int n = 0; n < kDirectTerms; ++n) {
    at = at + 1;
    sum = sum + power(at, -x);
  }
  at = at + 1;
  const Number last = power(at, -x);
  const Number integral = last * at / (x - 1);
  const Number inverseSquare = 1 / (at * at);
  Number tail = x.like(0);
  for (int n = 0; n < kTerms - 1; ++n) {
    const double m = 2 * (kTerms - 1 - n);
    tail = (x + m) * (x + (m - 1)) * (inverseSquare * (tail + 1 / kZeta[n]));
  }
  const Number correction = last * (0.5 + x / at * (1 / kZeta[kTerms - 1] + tail));
  const double epsilon =
      f64 ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<float>::denorm_min();
  const Number value = abs(last).is("LT", abs(sum) * epsilon).select(sum, sum + integral + correction);
  const Number nan = x.like(kNan), infinity = x.like(kInfinity);
  const Number xIsWhole = x.is("EQ", floor(x)), qIsWhole = q.is("EQ", floor(q)), qIsLow = q.is("LE", 0);
  const Number xIsEven = xIsWhole & x.apply("remainder", x.like(2)).is("EQ", 0);
  Number result = x.is("LT", 1).select(nan, value);
  result = (qIsLow & x.is("NE", floor(x))).select(nan, result);
  result = (qIsLow & qIsWhole).select(xIsEven.select(infinity, nan), result);
  return x.is("EQ", 1).select(infinity, result);
}

Number polygammaOf(Number n, Number x, bool f64) {
  const Number sign = 2 * n.apply("remainder", n.like(2)) - 1;
  const Number higher = sign * exp(lgammaOf(n + 1)) * zetaOf(n + 1, x, f64);
  const Number value = n.is("EQ", 0).select(digammaOf(x), higher);
  return (n.is("NE", floor(n)) | n.is("LT", 0)).select(x.like(kNan), value);
}

}  // namespace

LogicalResult convertLgamma(OpConversion& c) {
  return computeWith(c, 1, [](llvm::ArrayRef<Number> x, bool) { return lgammaOf(x[0]); });
}
LogicalResult convertDigamma(OpConversion& c) {
  return computeWith(c, 1, [](llvm::ArrayRef<Number> x, bool) { return digammaOf(x[0]); });
}
LogicalResult convertZeta(OpConversion& c) {
  return computeWith(c, 2, [](llvm::ArrayRef<Number> x, bool f64) { return zetaOf(x[0], x[1], f64); });
}
LogicalResult convertPolygamma(OpConversion& c) {
  return computeWith(c, 2, [](llvm::ArrayRef<Number> x, bool f64) { return polygammaOf(x[0], x[1], f64); });
}

}  // namespace hilo::stablehlo
