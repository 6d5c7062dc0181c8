#include <fmt/format.h>

#include "core/runtime/thunk/host/library.h"
#include "core/runtime/thunk/host/multiply.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
namespace {

// A block of the result: matrices of the batch, rows and columns, from and to.
struct Block {
  int64_t firstMatrix, lastMatrix, firstRow, lastRow, firstColumn, lastColumn;
};

std::byte* at(const DotThunk& thunk, const BufferSlice& slice, ElementType type,
              const std::vector<int64_t>& strides, int64_t matrix, int64_t row, int64_t column,
              const ThunkContext& context) {
  const auto inner = innerStrides(thunk, strides);
  const int64_t element = matrixStart(thunk, strides, matrix) + row * inner[1] + column * inner[2];
  return context.at(slice) + element * elementStorageBytes(type);
}

// Left to itself oneDNN brings the right side into its order a piece at a time, and pieces more than once.
bool isWorthOrdering(const DotThunk& thunk, const Block& block) {
  constexpr int64_t kLeastRows = 768, kLeastRight = 512 * 1024;
  return block.lastMatrix - block.firstMatrix == 1 && block.lastRow - block.firstRow >= kLeastRows &&
         thunk.k * (block.lastColumn - block.firstColumn) >= kLeastRight;
}

// One matrix, with the right side brought into the library's order first, some columns at a time.
void multiplyInOrder(const DotThunk& thunk, const Block& block, const ThunkContext& context) {
  constexpr int64_t kColumns = 1024;
  const int64_t rows = block.lastRow - block.firstRow, matrix = block.firstMatrix;
  DotThunk stripe = thunk;
  for (int64_t column = block.firstColumn; column < block.lastColumn; column += stripe.n) {
    stripe.n = std::min(kColumns, block.lastColumn - column);
    auto* right = static_cast<std::byte*>(libraryScratch(orderedRightBytes(stripe, rows)));
    orderRight(stripe, rows, at(thunk, thunk.rhs, thunk.type, thunk.rhsStrides, matrix, 0, column, context),
               right);
    multiplyByOrdered(stripe, rows, rows,
                      at(thunk, thunk.lhs, thunk.type, thunk.lhsStrides, matrix, block.firstRow, 0, context),
                      right,
                      at(thunk, thunk.result, thunk.resultType, thunk.resultStrides, matrix, block.firstRow,
                         column, context));
  }
}

// Of matrices that lie in one line of the batch's last dimension.
void multiplyLine(const DotThunk& thunk, const Block& block, const ThunkContext& context) {
  if (isWorthOrdering(thunk, block)) return multiplyInOrder(thunk, block, context);
  const auto start = [&](const BufferSlice& slice, ElementType type, const std::vector<int64_t>& strides,
                         int64_t row, int64_t column) {
    return at(thunk, slice, type, strides, block.firstMatrix, row, column, context);
  };
  multiplyMatrices(
      thunk, block.lastMatrix - block.firstMatrix, block.lastRow - block.firstRow,
      block.lastColumn - block.firstColumn, start(thunk.lhs, thunk.type, thunk.lhsStrides, block.firstRow, 0),
      start(thunk.rhs, thunk.type, thunk.rhsStrides, 0, block.firstColumn),
      start(thunk.result, thunk.resultType, thunk.resultStrides, block.firstRow, block.firstColumn));
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
Cuts cutsFor(const DotThunk& thunk, ThreadPool& pool) {
  const int64_t matrices = matrixCount(thunk);
  // A piece, some ten microseconds.
  constexpr double kLeastWork = 96.0 * 96 * 96, kWorkOfNs = 90;
  int64_t threads = pool.threads();
  constexpr int64_t kLeastSize = 64;
  const double work = static_cast<double>(matrices) * static_cast<double>(thunk.m) *
                      static_cast<double>(thunk.n) * static_cast<double>(thunk.k);
  threads = std::min(threads, static_cast<int64_t>(std::min(1e9, work / kLeastWork)));
  Cuts cuts;
  if (threads <= 1 || !pool.isWorthSharing(static_cast<int64_t>(work / kWorkOfNs))) return cuts;
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
  const Cuts cuts = cutsFor(thunk, context.threads);
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

// By oneDNN. A dot over nothing is zero, which oneDNN does not say.
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
