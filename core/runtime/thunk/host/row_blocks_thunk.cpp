#include <fmt/format.h>

#include "core/runtime/program/row_blocks.h"
#include "core/runtime/thunk/host/library.h"
#include "core/runtime/thunk/host/multiply.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
namespace {

int64_t rowBytes(int64_t columns, ElementType type) { return columns * elementStorageBytes(type); }

// Where row 0 would lie if row `first` lies at `at`: kernels count rows of the whole array.
void* backFrom(std::byte* at, int64_t first, int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(at) - static_cast<uintptr_t>(first * bytes));
}

// The right side of one of the dots, as given or in the library's order.
struct Right {
  const std::byte* start;
  bool isOrdered;
};

// What a thread works in.
struct Room {
  Right before, after;
  std::byte *made, *taken;  // rows between the dots
};

class Blocks {
 public:
  Blocks(const RowBlocksThunk& thunk, const ThunkContext& context) : thunk_(thunk), context_(context) {}

  // Blocks [first, last) of rows of a matrix, by one thread.
  void run(int64_t matrix, int64_t first, int64_t last) {
    setLibraryThreads(1);
    const Room room = makeRoom(matrix, last - first);
    for (int64_t block = first; block < last && !context_.cancel.cancelled(); ++block)
      doRows(room, matrix, block * rows_, std::min(before_.m, (block + 1) * rows_));
  }

 private:
  static int64_t inLines(int64_t bytes) {
    constexpr int64_t kLineBytes = 64;
    return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
  }

  std::byte* at(const DotThunk& dot, const BufferSlice& slice, ElementType type,
                const std::vector<int64_t>& strides, int64_t matrix, int64_t row) const {
    const int64_t element = matrixStart(dot, strides, matrix) + row * innerStrides(dot, strides)[1];
    return context_.at(slice) + element * elementStorageBytes(type);
  }

  // Right sides are brought into order where there are many rows to multiply by them.
  Room makeRoom(int64_t matrix, int64_t blocks) const {
    constexpr int64_t kLeastRows = 768;
    const bool orders = blocks * rows_ >= kLeastRows;
    const auto bytesOf = [&](const DotThunk& dot) {
      return orders ? inLines(static_cast<int64_t>(orderedRightBytes(dot, rows_))) : 0;
    };
    const int64_t right = bytesOf(before_), nextRight = bytesOf(after_),
                  made = inLines(rows_ * rowBytes(before_.n, before_.resultType)),
                  taken = rows_ * rowBytes(after_.k, after_.type);
    auto* all =
        static_cast<std::byte*>(libraryScratch(static_cast<size_t>(right + nextRight + made + taken)));
    const auto rightOf = [&](const DotThunk& dot, std::byte* ordered) {
      const std::byte* given = at(dot, dot.rhs, dot.type, dot.rhsStrides, matrix, 0);
      if (orders) orderRight(dot, rows_, given, ordered);
      return Right{orders ? ordered : given, orders};
    };
    std::byte* rows = all + right + nextRight;
    return {rightOf(before_, all), rightOf(after_, all + right), rows, rows + made};
  }

  void multiply(const DotThunk& dot, int64_t rows, const std::byte* lhs, const Right& right,
                std::byte* result) const {
    if (right.isOrdered) return multiplyByOrdered(dot, rows_, rows, lhs, right.start, result);
    multiplyMatrices(dot, 1, rows, dot.n, lhs, right.start, result);
  }

  // Rows [from, to) of a matrix.
  void doRows(const Room& room, int64_t matrix, int64_t from, int64_t to) const {
    multiply(before_, to - from, at(before_, before_.lhs, before_.type, before_.lhsStrides, matrix, from),
             room.before, room.made);
    const KernelThunk& kernel = thunk_.kernel;
    const int64_t rows = matrixCount(before_) * before_.m, first = matrix * before_.m + from,
                  last = matrix * before_.m + to;
    absl::InlinedVector<void*, 16> buffers;
    for (const ReadSlice& slice : kernel.arguments) buffers.push_back(context_.at(slice));
    buffers[static_cast<size_t>(thunk_.rowsArgument)] =
        backFrom(room.made, first, rowBytes(before_.n, before_.resultType));
    buffers.push_back(backFrom(room.taken, first, rowBytes(after_.k, after_.type)));
    callKernel(context_.kernels[kernel.kernel], buffers.data(), iterationOf(thunk_, rows, first),
               iterationOf(thunk_, rows, last));
    multiply(after_, to - from, room.taken, room.after,
             at(after_, after_.result, after_.resultType, after_.resultStrides, matrix, from));
  }

  const RowBlocksThunk& thunk_;
  const ThunkContext& context_;
  const DotThunk &before_ = thunk_.before, &after_ = thunk_.after;
  const int64_t rows_ = thunk_.rowsAtOnce;
};

}  // namespace

// A piece is a matrix, where there are many; or some of its blocks.
Status execute(const RowBlocksThunk& thunk, const ThunkContext& context) {
  const int64_t blocks = (thunk.before.m + thunk.rowsAtOnce - 1) / thunk.rowsAtOnce,
                matrices = std::max<int64_t>(1, matrixCount(thunk.before)),
                threads = context.threads.threads();
  const int64_t enough = threads == 1 ? 1 : 4 * threads,
                pieces = std::min(blocks, (enough + matrices - 1) / matrices);
  return guardLibrary(fmt::format("multiply in {}", context.thunk->name), [&] {
    inPieces(context.threads, matrices * pieces, [&](int64_t i) {
      const int64_t piece = i % pieces;
      Blocks(thunk, context)
          .run(i / pieces, pieceStart(blocks, pieces, 1, piece), pieceStart(blocks, pieces, 1, piece + 1));
    });
  });
}

}  // namespace hilo
