// Factors and solutions of matrices, in f64 throughout. Matrices lie row by row; those of f64 are worked on
// in tiles of a few rows by two vectors, which stay in registers while products are taken off them.
#include <algorithm>
#include <cmath>
#include <complex>

#include "core/compiler/codegen/emit/scalars/scalars.h"

namespace {

using Complex = std::complex<double>;

// On processors of narrower vectors it is several of theirs.
using Vector = double __attribute__((vector_size(64)));
constexpr int64_t kLanes = 8, kVectors = 2, kTileColumns = kLanes * kVectors, kTileRows = 8;

// Numbers that rows are multiplied by: one for row r and step k of a product. They may lie either way
// round, and backwards.
struct Factors {
  const double* start;
  int64_t perRow, perStep;
  double at(int64_t row, int64_t step) const { return start[row * perRow + step * perStep]; }
  Factors from(int64_t row) const { return {start + row * perRow, perRow, perStep}; }
};

// Row r of a tile: kTileColumns numbers from start + r * stride on.
struct Lines {
  double* start;
  int64_t stride;
  double* at(int64_t row, int64_t v) const { return start + row * stride + v * kLanes; }
  Lines from(int64_t row) const { return {start + row * stride, stride}; }
};

// From where any number may lie.
inline void load(Vector& to, const double* from) { __builtin_memcpy(&to, from, sizeof(Vector)); }
inline void store(double* to, const Vector& from) { __builtin_memcpy(to, &from, sizeof(Vector)); }

// x[r] -= factors(r, k) * lines[k], for kRows rows and all k below `depth`.
template <int64_t kRows>
inline void takeOff(Lines x, Factors factors, Lines lines, int64_t depth) {
  Vector sums[kRows][kVectors];
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < kVectors; ++v) load(sums[r][v], x.at(r, v));
  }
  for (int64_t k = 0; k < depth; ++k) {
    Vector line[kVectors];
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < kVectors; ++v) load(line[v], lines.at(k, v));
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < kRows; ++r) {
      const double factor = -factors.at(r, k);
      const Vector all = {factor, factor, factor, factor, factor, factor, factor, factor};
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = __builtin_elementwise_fma(all, line[v], sums[r][v]);
    }
  }
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < kVectors; ++v) store(x.at(r, v), sums[r][v]);
  }
}

inline void takeOffRows(Lines x, Factors factors, Lines lines, int64_t rows, int64_t depth) {
  int64_t r = 0;
  for (; r + kTileRows <= rows; r += kTileRows) takeOff<kTileRows>(x.from(r), factors.from(r), lines, depth);
  for (; r < rows; ++r) takeOff<1>(x.from(r), factors.from(r), lines, depth);
}

// Rows [from, to) of the tile whose rows before are solved: the matrix's element (r, k) is a(r, k).
inline void solveRows(Lines x, Factors a, int64_t from, int64_t to, bool unitDiagonal) {
  takeOffRows(x.from(from), a.from(from), x, to - from, from);
  for (int64_t r = from; r < to; ++r) {
    const Factors row{a.start + r * a.perRow + from * a.perStep, a.perRow, a.perStep};
    takeOff<1>(x.from(r), row, x.from(from), r - from);
    if (unitDiagonal) continue;
    for (int64_t c = 0; c < kTileColumns; ++c) x.at(r, 0)[c] /= a.at(r, r);
  }
}

// The upper factor of the square at `a`, in place; its rows are longer.
inline void factorSquare(double* a, int64_t size, int64_t stride) {
  for (int64_t j = 0; j < size; ++j) {
    double* pivot = a + j * stride;
    const double diagonal = std::sqrt(pivot[j]);
    pivot[j] = diagonal;
    for (int64_t i = j + 1; i < size; ++i) pivot[i] /= diagonal;
    for (int64_t r = j + 1; r < size; ++r) {
      double* row = a + r * stride;
      const double factor = pivot[r];
      for (int64_t i = r; i < size; ++i) row[i] -= factor * pivot[i];
    }
  }
}

// Moves what lies on one side of the diagonal to its mirror image.
inline void mirror(double* a, int64_t n, int64_t stride, bool toUpper) {
  constexpr int64_t kSquare = 16;
  for (int64_t i0 = 0; i0 < n; i0 += kSquare) {
    for (int64_t j0 = 0; j0 <= i0; j0 += kSquare) {
      for (int64_t i = i0; i < std::min(n, i0 + kSquare); ++i) {
        for (int64_t j = j0; j < std::min(i, j0 + kSquare); ++j) {
          double &below = a[i * stride + j], &above = a[j * stride + i];
          (toUpper ? above : below) = toUpper ? below : above;
          if (!toUpper) above = 0;
        }
      }
    }
  }
}

// Worked on as the upper factor, whose rows take part in products as they lie. Square after square down the
// diagonal: the rows right of it are solved, and their products taken off what lies below, a tile of columns
// at a time.
inline void factor(double* a, int64_t n, int64_t stride) {
  constexpr int64_t kSquare = 64;
  mirror(a, n, stride, true);
  for (int64_t i = 0; i < n; ++i) std::fill(a + i * stride + n, a + (i + 1) * stride, 0.0);
  double room[kSquare * kTileColumns];
  for (int64_t first = 0; first < n; first += kSquare) {
    const int64_t size = std::min(kSquare, n - first), below = first + size;
    double* square = a + first * stride + first;
    factorSquare(square, size, stride);
    for (int64_t column = below; column < n; column += kTileColumns) {
      const Lines tile{room, kTileColumns}, there{a + first * stride + column, stride};
      const auto move = [&](Lines from, Lines to) {
        for (int64_t r = 0; r < size; ++r) {
          std::copy_n(from.at(r, 0), kTileColumns, to.at(r, 0));
        }
      };
      move(there, tile);
      for (int64_t r = 0; r < size; r += kTileRows)
        solveRows(tile, {square, 1, stride}, r, std::min(size, r + kTileRows), false);
      move(tile, there);
      takeOffRows({a + below * stride + column, stride}, {a + first * stride + below, 1, stride}, tile,
                  std::min(n, column + kTileColumns) - below, size);
    }
  }
  mirror(a, n, stride, false);
}

inline Complex get(const double* x, int64_t i) { return {x[2 * i], x[2 * i + 1]}; }
inline void put(double* x, int64_t i, Complex value) {
  x[2 * i] = value.real();
  x[2 * i + 1] = value.imag();
}

}  // namespace

void hilo_cholesky_f64(double* a, int64_t n, int64_t stride) { factor(a, n, stride); }

void hilo_cholesky_c128(double* a, int64_t n, int64_t stride) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex sum = get(a, i * stride + j);
      for (int64_t k = 0; k < j; ++k) sum -= get(a, i * stride + k) * std::conj(get(a, j * stride + k));
      put(a, i * stride + j, i == j ? Complex(std::sqrt(sum.real())) : sum / get(a, j * stride + j));
    }
    for (int64_t j = i + 1; j < n; ++j) put(a, i * stride + j, {});
  }
}

void hilo_triangular_solve_f64(const double* a, int64_t stride, double* x, int64_t n, int64_t tiles,
                               int32_t lower, int32_t unitDiagonal) {
  const int64_t step = lower != 0 ? 1 : -1;
  const Factors matrix{lower != 0 ? a : a + (n - 1) * (stride + 1), step * stride, step};
  double* start = lower != 0 ? x : x + (n - 1) * kTileColumns;
  for (int64_t row = 0; row < n; row += kTileRows) {
    for (int64_t tile = 0; tile < tiles; ++tile)
      solveRows({start + tile * n * kTileColumns, step * kTileColumns}, matrix, row,
                std::min(n, row + kTileRows), unitDiagonal != 0);
  }
}

void hilo_triangular_solve_c128(const double* a, int64_t stride, double* x, int64_t n, int64_t tiles,
                                int32_t lower, int32_t unitDiagonal) {
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const auto at = [&](int64_t row, int64_t column) { return (tile * n + row) * kTileColumns + column; };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower != 0 ? step : n - 1 - step;
      for (int64_t k = 0; k < step; ++k) {
        const int64_t j = lower != 0 ? k : n - 1 - k;
        const Complex factor = get(a, i * stride + j);
        for (int64_t c = 0; c < kTileColumns; ++c)
          put(x, at(i, c), get(x, at(i, c)) - factor * get(x, at(j, c)));
      }
      if (unitDiagonal != 0) continue;
      for (int64_t c = 0; c < kTileColumns; ++c) put(x, at(i, c), get(x, at(i, c)) / get(a, i * stride + i));
    }
  }
}
