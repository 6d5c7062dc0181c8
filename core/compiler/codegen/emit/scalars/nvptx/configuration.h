// Included before each scalar function's file where it is compiled for GPUs: the standard library's complex
// functions are its own formulas on real functions then, with hypot for moduli, which knows infinities.
#pragma once

#include <bits/c++config.h>
#undef _GLIBCXX_USE_C99_COMPLEX
#undef _GLIBCXX_USE_C99_COMPLEX_TR1
#include <complex>

namespace std {
template <>
inline float abs<float>(const complex<float>& x) {
  return static_cast<float>(::hypot(double{x.real()}, double{x.imag()}));
}
template <>
inline double abs<double>(const complex<double>& x) {
  return ::hypot(x.real(), x.imag());
}
template <>
inline long double abs<long double>(const complex<long double>& x) {
  return ::hypotl(x.real(), x.imag());
}
}  // namespace std
