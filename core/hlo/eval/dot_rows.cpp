#include "core/hlo/eval/dot_rows.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>

#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

// Some columns of some lines, brought side by side: [line][column].
template <typename T>
struct Panel {
  const T* values = nullptr;
  int64_t line = 0, lines = 0, column = 0, columns = 0;
};

template <typename T>
using AddPanel = void (*)(std::span<const DotRow<T>> rows, const Panel<T>& panel);

// Any type, any number of columns.
template <typename T>
void addSingly(std::span<const DotRow<T>> rows, const Panel<T>& panel) {
#pragma clang fp contract(off)
  for (const DotRow<T>& row : rows) {
    T* sums = row.sums + panel.column;
    for (int64_t p = 0; p < panel.lines; ++p) {
      const T factor = row.factors[panel.line + p];
      const T* line = panel.values + p * panel.columns;
      for (int64_t j = 0; j < panel.columns; ++j) sums[j] = multiplyAdd(sums[j], factor, line[j]);
    }
  }
}

// Sums of a few rows stay in registers of `kBytes` while the lines of a panel go by.
template <typename T, int kBytes, int kRows, bool kExact>
struct Tile {
  // Unsigned, so that integers wrap.
  using Lane = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  using Vector [[gnu::vector_size(kBytes)]] = Lane;
  static constexpr int kVectors = 2;
  static constexpr int kColumns = kVectors * kBytes / static_cast<int>(sizeof(T));

  [[gnu::always_inline]] static void addAll(std::span<const DotRow<T>> rows, const Panel<T>& panel) {
    size_t row = 0;
    for (; row + kRows <= rows.size(); row += kRows) add<kRows>(rows.data() + row, panel);
    for (; row < rows.size(); ++row) add<1>(rows.data() + row, panel);
  }

 private:
  template <int kTaken>
  [[gnu::always_inline]] static void add(const DotRow<T>* rows, const Panel<T>& panel) {
    Vector sums[kTaken][kVectors];
    for (int r = 0; r < kTaken; ++r) std::memcpy(&sums[r], rows[r].sums + panel.column, sizeof(sums[r]));
    for (int64_t p = 0; p < panel.lines; ++p) {
      Vector line[kVectors];
      std::memcpy(&line, panel.values + p * kColumns, sizeof(line));
      for (int r = 0; r < kTaken; ++r) {
        const Vector factor = Vector{} + static_cast<Lane>(rows[r].factors[panel.line + p]);
        for (int v = 0; v < kVectors; ++v) {
          if constexpr (kExact) {
#pragma clang fp contract(fast)
            sums[r][v] += factor * line[v];
          } else {
#pragma clang fp contract(off)
            sums[r][v] += factor * line[v];
          }
        }
      }
    }
    for (int r = 0; r < kTaken; ++r) std::memcpy(rows[r].sums + panel.column, &sums[r], sizeof(sums[r]));
  }
};

// How this processor does it: panels of `columns`, what is left over by addSingly.
template <typename T>
struct Way {
  int64_t columns = 0;
  AddPanel<T> add = nullptr;
};

#if defined(__x86_64__)
template <typename T, bool kExact>
using WideTile = Tile<T, 64, 8, kExact>;
template <typename T, bool kExact>
[[gnu::target("avx512f,avx512dq")]] void addWide(std::span<const DotRow<T>> rows, const Panel<T>& panel) {
  WideTile<T, kExact>::addAll(rows, panel);
}

template <typename T, bool kExact>
using HalfTile = Tile<T, 32, 4, kExact>;
template <typename T, bool kExact>
[[gnu::target("avx2,fma")]] void addHalf(std::span<const DotRow<T>> rows, const Panel<T>& panel) {
  HalfTile<T, kExact>::addAll(rows, panel);
}
#endif

template <typename T, bool kExact>
using PlainTile = Tile<T, 16, 4, kExact>;
template <typename T, bool kExact>
void addPlain(std::span<const DotRow<T>> rows, const Panel<T>& panel) {
  PlainTile<T, kExact>::addAll(rows, panel);
}

template <typename T, bool kExact>
Way<T> wayHere() {
  if constexpr (kIsComplexElement<T>) {
    return {.columns = 32, .add = addSingly<T>};
  } else {
#if defined(__x86_64__)
    static const bool isWide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    static const bool isHalf = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isWide) return {.columns = WideTile<T, kExact>::kColumns, .add = addWide<T, kExact>};
    if (isHalf) return {.columns = HalfTile<T, kExact>::kColumns, .add = addHalf<T, kExact>};
#endif
    return {.columns = PlainTile<T, kExact>::kColumns, .add = addPlain<T, kExact>};
  }
}

}  // namespace

template <typename T>
void addProducts(std::span<const DotRow<T>> rows, const ProductMatrix<T>& matrix, bool areExact) {
  // A panel and a few rows' factors stay in the first cache.
  constexpr int64_t kLines = 256;
  const Way<T> way = areExact ? wayHere<T, true>() : wayHere<T, false>();
  const auto room = std::make_unique_for_overwrite<T[]>(
      static_cast<size_t>(std::min(kLines, matrix.lines) * std::min(way.columns, matrix.columns)));
  Panel<T> panel{.values = room.get()};
  for (; panel.column < matrix.columns; panel.column += panel.columns) {
    panel.columns = std::min(way.columns, matrix.columns - panel.column);
    for (panel.line = 0; panel.line < matrix.lines; panel.line += panel.lines) {
      panel.lines = std::min(kLines, matrix.lines - panel.line);
      const T* from = matrix.first + panel.line * matrix.lineStride + panel.column * matrix.columnStride;
      for (int64_t p = 0; p < panel.lines; ++p) {
        for (int64_t j = 0; j < panel.columns; ++j)
          room[static_cast<size_t>(p * panel.columns + j)] =
              from[p * matrix.lineStride + j * matrix.columnStride];
      }
      (panel.columns == way.columns ? way.add : addSingly<T>)(rows, panel);
    }
  }
}

template void addProducts(std::span<const DotRow<float>>, const ProductMatrix<float>&, bool);
template void addProducts(std::span<const DotRow<double>>, const ProductMatrix<double>&, bool);
template void addProducts(std::span<const DotRow<int64_t>>, const ProductMatrix<int64_t>&, bool);
template void addProducts(std::span<const DotRow<std::complex<float>>>,
                          const ProductMatrix<std::complex<float>>&, bool);
template void addProducts(std::span<const DotRow<std::complex<double>>>,
                          const ProductMatrix<std::complex<double>>&, bool);

}  // namespace hilo
