// Factors and solutions of one matrix or line, in f64 throughout. Matrices are dense, row by row.
#include <cmath>
#include <complex>

#include "core/compiler/codegen/scalars/scalars.h"

namespace {

using Complex = std::complex<double>;

inline double conjugate(double x) { return x; }
inline Complex conjugate(Complex x) { return std::conj(x); }
inline double realPart(double x) { return x; }
inline double realPart(Complex x) { return x.real(); }

// Element i of an array: f64, or the two parts of a complex number.
inline double get(const double* x, int64_t i, double) { return x[i]; }
inline Complex get(const double* x, int64_t i, Complex) { return {x[2 * i], x[2 * i + 1]}; }
inline void put(double* x, int64_t i, double value) { x[i] = value; }
inline void put(double* x, int64_t i, Complex value) {
  x[2 * i] = value.real();
  x[2 * i + 1] = value.imag();
}

template <typename T>
inline void cholesky(double* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T sum = get(a, i * n + j, T());
      for (int64_t k = 0; k < j; ++k) sum -= get(a, i * n + k, T()) * conjugate(get(a, j * n + k, T()));
      put(a, i * n + j, i == j ? T(std::sqrt(realPart(sum))) : sum / get(a, j * n + j, T()));
    }
    for (int64_t j = i + 1; j < n; ++j) put(a, i * n + j, T());
  }
}

template <typename T>
inline void solve(const double* a, double* x, int64_t n, bool lower, bool unitDiagonal) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T sum = get(x, i, T());
    for (int64_t k = 0; k < step; ++k) {
      const int64_t j = lower ? k : n - 1 - k;
      sum -= get(a, i * n + j, T()) * get(x, j, T());
    }
    put(x, i, unitDiagonal ? sum : sum / get(a, i * n + i, T()));
  }
}

}  // namespace

void hilo_cholesky_f64(double* a, int64_t n) { cholesky<double>(a, n); }
void hilo_cholesky_c128(double* a, int64_t n) { cholesky<Complex>(a, n); }
void hilo_triangular_solve_f64(const double* a, double* x, int64_t n, int32_t lower, int32_t unitDiagonal) {
  solve<double>(a, x, n, lower != 0, unitDiagonal != 0);
}
void hilo_triangular_solve_c128(const double* a, double* x, int64_t n, int32_t lower, int32_t unitDiagonal) {
  solve<Complex>(a, x, n, lower != 0, unitDiagonal != 0);
}
