// Functions of complex numbers, as StableHLO and XLA's compiled programs have them. The evaluator and
// compiled kernels call the same ones, so that they agree to the last bit.
//
// F32 pairs are computed in F64 and F64 pairs in long double, then rounded once: no cancellation that the
// result would show, and no overflow on the way to a finite one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace hilo::complex_functions {

template <typename T>
using Wide = std::complex<std::conditional_t<std::is_same_v<T, float>, double, long double>>;

// ---- formulas, in the wide type

// exp(a) (cos b + i sin b). Where a is -inf and b no number the result is none, for which C's exp gives 0.
template <typename W>
std::complex<W> wideExp(std::complex<W> x) {
  if (x.imag() == 0) return {std::exp(x.real()), x.imag()};
  const W modulus = std::exp(x.real());
  return {modulus * std::cos(x.imag()), modulus * std::sin(x.imag())};
}

// exp(a + bi) - 1: the real part is expm1(a) cos b - 2 sin^2(b / 2), where nothing cancels near 0.
template <typename W>
std::complex<W> wideExpm1(std::complex<W> x) {
  if (x.imag() == 0) return {std::expm1(x.real()), x.imag()};
  const W half = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
          std::exp(x.real()) * std::sin(x.imag())};
}

// log|1 + a + bi| is half of log1p(d), where d = |1 + x|^2 - 1 = 2a + a^2 + b^2. The terms of d may cancel,
// so each square brings its rounding error, and the errors of the sums are added at the end.
template <typename W>
W logModulusOfOnePlus(W a, W b) {
  const W squareA = a * a, squareB = b * b;
  const std::array<W, 5> terms{2 * a, squareB, squareA, std::fma(b, b, -squareB), std::fma(a, a, -squareA)};
  W sum = 0, error = 0;
  for (const W term : terms) {
    const W next = sum + term, taken = next - sum;
    error += (sum - (next - taken)) + (term - taken);
    sum = next;
  }
  return std::log1p(sum + error) / 2;
}

template <typename W>
std::complex<W> wideLog1p(std::complex<W> x) {
  const W a = x.real(), b = x.imag(), angle = std::atan2(b, W(1) + a);
  const bool nearMinusOne = std::abs(W(1) + a) + std::abs(b) < W(0.2);
  if (nearMinusOne || !(std::max(std::abs(a), std::abs(b)) < W(2)))
    return {std::log(std::hypot(W(1) + a, b)), angle};
  return {logModulusOfOnePlus(a, b), angle};
}

template <typename W>
std::complex<W> widePower(std::complex<W> base, std::complex<W> exponent) {
  using C = std::complex<W>;
  if (base == C(1) || exponent == C(0)) return C(1);
  // A positive real infinity to a real power is decided by the power's sign (Kahan, Branch Cuts, section 10).
  if (base.imag() == 0 && base.real() == std::numeric_limits<W>::infinity() && exponent.imag() == 0) {
    if (exponent.real() > 0) return base;
    if (exponent.real() < 0) return C(0);
  }
  return std::pow(base, exponent);
}

// ---- the functions

template <typename T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return a * b;
}
template <typename T>
std::complex<T> divide(std::complex<T> a, std::complex<T> b) {
  return a / b;
}

#define HILO_DIRECT(name, function)               \
  template <typename T>                           \
  std::complex<T> name(std::complex<T> x) {       \
    return std::complex<T>(function(Wide<T>(x))); \
  }
HILO_DIRECT(acos, std::acos)
HILO_DIRECT(acosh, std::acosh)
HILO_DIRECT(asin, std::asin)
HILO_DIRECT(asinh, std::asinh)
HILO_DIRECT(atanh, std::atanh)
HILO_DIRECT(cosine, std::cos)
HILO_DIRECT(cosh, std::cosh)
HILO_DIRECT(exponential, wideExp)
HILO_DIRECT(exponential_minus_one, wideExpm1)
HILO_DIRECT(log, std::log)
HILO_DIRECT(log_plus_one, wideLog1p)
HILO_DIRECT(sine, std::sin)
HILO_DIRECT(sinh, std::sinh)
HILO_DIRECT(sqrt, std::sqrt)
HILO_DIRECT(tan, std::tan)
HILO_DIRECT(tanh, std::tanh)
#undef HILO_DIRECT

template <typename T>
std::complex<T> cbrt(std::complex<T> x) {
  using W = Wide<T>;
  using R = typename W::value_type;
  return x == T(0) ? x : std::complex<T>(std::pow(W(x), R(1) / R(3)));
}
template <typename T>
std::complex<T> rsqrt(std::complex<T> x) {
  using W = Wide<T>;
  return std::complex<T>(W(1) / std::sqrt(W(x)));
}
template <typename T>
std::complex<T> logistic(std::complex<T> x) {
  using W = Wide<T>;
  return std::complex<T>(W(1) / (W(1) + wideExp(-W(x))));
}
template <typename T>
std::complex<T> sign(std::complex<T> x) {
  const T modulus = std::abs(x);
  return modulus == 0 ? std::complex<T>(0) : x / modulus;
}
template <typename T>
std::complex<T> power(std::complex<T> base, std::complex<T> exponent) {
  return std::complex<T>(widePower(Wide<T>(base), Wide<T>(exponent)));
}
// -i log((x + iy) / sqrt(x^2 + y^2))
template <typename T>
std::complex<T> atan2(std::complex<T> y, std::complex<T> x) {
  using W = Wide<T>;
  const W a(x), b(y);
  return std::complex<T>(W(0, -1) * std::log((a + W(0, 1) * b) / std::sqrt(a * a + b * b)));
}

}  // namespace hilo::complex_functions
