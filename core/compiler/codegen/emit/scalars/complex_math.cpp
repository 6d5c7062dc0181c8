// Complex functions, the evaluator's own, under names that compiled kernels call.
#include <complex>

#include "core/base/complex_functions.h"
#include "core/compiler/codegen/emit/scalars/scalars.h"

namespace {

template <typename T>
using C = std::complex<T>;

template <typename T>
void put(C<T> value, T* result) {
  result[0] = value.real();
  result[1] = value.imag();
}

}  // namespace

#define UNARY(name)                                                    \
  void hilo_##name##_c64(const float* x, float* result) {              \
    put(hilo::complex_functions::name(C<float>(x[0], x[1])), result);  \
  }                                                                    \
  void hilo_##name##_c128(const double* x, double* result) {           \
    put(hilo::complex_functions::name(C<double>(x[0], x[1])), result); \
  }
HILO_COMPLEX_UNARY(UNARY)
#undef UNARY
#define BINARY(name)                                                                          \
  void hilo_##name##_c64(const float* x, const float* y, float* result) {                     \
    put(hilo::complex_functions::name(C<float>(x[0], x[1]), C<float>(y[0], y[1])), result);   \
  }                                                                                           \
  void hilo_##name##_c128(const double* x, const double* y, double* result) {                 \
    put(hilo::complex_functions::name(C<double>(x[0], x[1]), C<double>(y[0], y[1])), result); \
  }
HILO_COMPLEX_BINARY(BINARY)
#undef BINARY
float hilo_abs_c64(const float* x) { return std::abs(C<float>(x[0], x[1])); }
double hilo_abs_c128(const double* x) { return std::abs(C<double>(x[0], x[1])); }
