// Complex functions, by the C++ library where it has them. The same formulas as the evaluator's
// (elementwise_unary.cpp, elementwise_binary.cpp), which are XLA's.
#include <complex>
#include <limits>

#include "core/compiler/codegen/scalars/scalars.h"

namespace {

template <typename T>
using C = std::complex<T>;

#define DIRECT(name, function) \
  template <typename T>        \
  C<T> name(C<T> x) {          \
    return std::function(x);   \
  }
DIRECT(c_acos, acos)
DIRECT(c_acosh, acosh)
DIRECT(c_asin, asin)
DIRECT(c_asinh, asinh)
DIRECT(c_atanh, atanh)
DIRECT(c_cosine, cos)
DIRECT(c_cosh, cosh)
DIRECT(c_exponential, exp)
DIRECT(c_log, log)
DIRECT(c_sine, sin)
DIRECT(c_sinh, sinh)
DIRECT(c_sqrt, sqrt)
DIRECT(c_tan, tan)
DIRECT(c_tanh, tanh)
#undef DIRECT

template <typename T>
C<T> c_cbrt(C<T> x) {
  return x == C<T>(0) ? C<T>(0) : std::pow(x, T(1) / T(3));
}
template <typename T>
C<T> c_exponential_minus_one(C<T> x) {
  const T half = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
          std::exp(x.real()) * std::sin(x.imag())};
}
template <typename T>
C<T> c_log_plus_one(C<T> x) {
  const T angle = std::atan2(x.imag(), T(1) + x.real());
  if (std::abs(x) < T(0.5)) return {std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()) / 2, angle};
  return {std::log(std::abs(T(1) + x)), angle};
}
template <typename T>
C<T> c_logistic(C<T> x) {
  return T(1) / (T(1) + std::exp(-x));
}
template <typename T>
C<T> c_rsqrt(C<T> x) {
  return T(1) / std::sqrt(x);
}
template <typename T>
C<T> c_sign(C<T> x) {
  const T modulus = std::abs(x);
  return modulus == 0 ? C<T>(0) : x / modulus;
}

template <typename T>
C<T> c_multiply(C<T> a, C<T> b) {
  return a * b;
}
template <typename T>
C<T> c_divide(C<T> a, C<T> b) {
  return a / b;
}
template <typename T>
C<T> c_atan2(C<T> y, C<T> x) {
  return C<T>(0, -1) * std::log((x + C<T>(0, 1) * y) / std::sqrt(x * x + y * y));
}
template <typename T>
C<T> c_power(C<T> base, C<T> exponent) {
  if (base == C<T>(1) || exponent == C<T>(0)) return C<T>(1);
  // A positive real infinity to a real power is decided by the power's sign.
  if (base.imag() == 0 && base.real() == std::numeric_limits<T>::infinity() && exponent.imag() == 0) {
    if (exponent.real() > 0) return base;
    if (exponent.real() < 0) return C<T>(0);
  }
  return std::pow(base, exponent);
}

template <typename T>
void put(C<T> value, T* result) {
  result[0] = value.real();
  result[1] = value.imag();
}

}  // namespace

#define UNARY(name)                                                                                      \
  void hilo_##name##_c64(const float* x, float* result) { put(c_##name(C<float>(x[0], x[1])), result); } \
  void hilo_##name##_c128(const double* x, double* result) { put(c_##name(C<double>(x[0], x[1])), result); }
HILO_COMPLEX_UNARY(UNARY)
#undef UNARY
#define BINARY(name)                                                          \
  void hilo_##name##_c64(const float* x, const float* y, float* result) {     \
    put(c_##name(C<float>(x[0], x[1]), C<float>(y[0], y[1])), result);        \
  }                                                                           \
  void hilo_##name##_c128(const double* x, const double* y, double* result) { \
    put(c_##name(C<double>(x[0], x[1]), C<double>(y[0], y[1])), result);      \
  }
HILO_COMPLEX_BINARY(BINARY)
#undef BINARY
float hilo_abs_c64(const float* x) { return std::abs(C<float>(x[0], x[1])); }
double hilo_abs_c128(const double* x) { return std::abs(C<double>(x[0], x[1])); }
