#include <fmt/format.h>

#include "core/runtime/thunk/library.h"
#include "core/runtime/thunk/multiply.h"
#include "core/runtime/thunk/thunk.h"

namespace hilo {
namespace {

// A block of the result: matrices of the batch, rows and columns, from and to.
struct Block {
  int64_t firstMatrix, lastMatrix, firstRow, lastRow, firstColumn, lastColumn;
};

// Of matrices that lie in one line of the batch's last dimension.
void multiplyLine(const DotThunk& thunk, const Block& block, const ThunkContext& context) {
  const auto at = [&](const BufferSlice& slice, ElementType type, const std::vector<int64_t>& strides,
                      int64_t row, int64_t column) {
    const auto inner = innerStrides(thunk, strides);
    const int64_t element =
        matrixStart(thunk, strides, block.firstMatrix) + row * inner[1] + column * inner[2];
    return context.at(slice) + element * elementStorageBytes(type);
  };
  multiplyMatrices(
      thunk, block.lastMatrix - block.firstMatrix, block.lastRow - block.firstRow,
      block.lastColumn - block.firstColumn, at(thunk.lhs, thunk.type, thunk.lhsStrides, block.firstRow, 0),
      at(thunk.rhs, thunk.type, thunk.rhsStrides, 0, block.firstColumn),
      at(thunk.result, thunk.resultType, thunk.resultStrides, block.firstRow, block.firstColumn));
}

void multiply(const DotThunk& thunk, const Block& block, const ThunkContext& context) {
  const int64_t line = thunk.batch.empty() ? 1 : thunk.batch.back();
  Block part = block;
  while (part.firstMatrix < block.lastMatrix) {
    part.lastMatrix = std::min(block.lastMatrix, (part.firstMatrix / line + 1) * line);
    multiplyLine(thunk, part, context);
    part.firstMatrix = part.lastMatrix;
  }
}

// Into how many pieces batch, rows and columns are cut for that many threads.
struct Cuts {
  int64_t batch = 1, rows = 1, columns = 1;
  int64_t pieces() const { return batch * rows * columns; }
};
Cuts cutsFor(const DotThunk& thunk, int64_t threads) {
  const int64_t matrices = matrixCount(thunk);
  constexpr double kLeastWork = 128.0 * 128 * 128;  // a piece, some ten microseconds
  constexpr int64_t kLeastSize = 64;
  const double work = static_cast<double>(matrices) * static_cast<double>(thunk.m) *
                      static_cast<double>(thunk.n) * static_cast<double>(thunk.k);
  threads = std::min(threads, static_cast<int64_t>(std::min(1e9, work / kLeastWork)));
  Cuts cuts;
  if (threads <= 1) return cuts;
  if (matrices % threads == 0 || matrices >= 4 * threads) {
    cuts.batch = matrices % threads == 0 ? threads : std::min(matrices, 4 * threads);
    return cuts;
  }
  cuts.batch = matrices;
  while (cuts.pieces() < threads) {
    const int64_t rows = thunk.m / cuts.rows, columns = thunk.n / cuts.columns;
    if (std::max(rows, columns) < 2 * kLeastSize) break;
    (rows > columns ? cuts.rows : cuts.columns) += 1;
  }
  return cuts;
}

void multiplyInPieces(const DotThunk& thunk, const ThunkContext& context) {
  constexpr int64_t kUnit = 16;
  const Cuts cuts = cutsFor(thunk, context.threads.threads());
  const int64_t matrices = matrixCount(thunk);
  const auto piece = [&](int64_t i) {
    const int64_t column = i % cuts.columns, row = i / cuts.columns % cuts.rows,
                  matrix = i / cuts.columns / cuts.rows;
    multiply(thunk,
             {pieceStart(matrices, cuts.batch, 1, matrix), pieceStart(matrices, cuts.batch, 1, matrix + 1),
              pieceStart(thunk.m, cuts.rows, kUnit, row), pieceStart(thunk.m, cuts.rows, kUnit, row + 1),
              pieceStart(thunk.n, cuts.columns, kUnit, column),
              pieceStart(thunk.n, cuts.columns, kUnit, column + 1)},
             context);
  };
  if (cuts.pieces() > 1) return inPieces(context.threads, cuts.pieces(), piece);
  setLibraryThreads(1);
  piece(0);
}

}  // namespace

// By oneDNN. A product over nothing is zero, which oneDNN does not say.
Status execute(const DotThunk& thunk, const ThunkContext& context) {
  const int64_t matrices = matrixCount(thunk);
  if (matrices == 0 || thunk.m == 0 || thunk.n == 0) return {};
  if (thunk.k == 0) {
    std::fill_n(context.at(thunk.result), thunk.result.sizeBytes, std::byte{});
    return {};
  }
  return guardLibrary(fmt::format("multiply [{},{},{}] by [{},{},{}]", matrices, thunk.m, thunk.k, matrices,
                                  thunk.k, thunk.n),
                      [&] { multiplyInPieces(thunk, context); });
}

}  // namespace hilo
