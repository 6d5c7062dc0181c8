#include <fmt/format.h>

#include "core/runtime/thunk/library.h"
#include "core/runtime/thunk/multiply.h"
#include "core/runtime/thunk/thunk.h"

namespace hilo {
namespace {

int64_t rowBytes(int64_t columns, ElementType type) { return columns * elementStorageBytes(type); }

// Where row 0 would lie if row `first` lies at `at`: kernels count rows of the whole array.
void* backFrom(std::byte* at, int64_t first, int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(at) - static_cast<uintptr_t>(first * bytes));
}

// Rows [from, to) of a matrix.
void doRows(const RowBlocksThunk& thunk, int64_t matrix, int64_t from, int64_t to,
            const ThunkContext& context) {
  const DotThunk &before = thunk.before, &after = thunk.after;
  const int64_t madeBytes = rowBytes(before.n, before.resultType), takenBytes = rowBytes(after.k, after.type);
  constexpr int64_t kAlignment = 64;
  const int64_t room = (thunk.rowsAtOnce * madeBytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* made =
      static_cast<std::byte*>(libraryScratch(static_cast<size_t>(room + thunk.rowsAtOnce * takenBytes)));
  std::byte* taken = made + room;
  const auto at = [&](const DotThunk& dot, const BufferSlice& slice, ElementType type,
                      const std::vector<int64_t>& strides, int64_t row) {
    const int64_t element = matrixStart(dot, strides, matrix) + row * innerStrides(dot, strides)[1];
    return context.at(slice) + element * elementStorageBytes(type);
  };
  multiplyMatrices(before, 1, to - from, before.n,
                   at(before, before.lhs, before.type, before.lhsStrides, from),
                   at(before, before.rhs, before.type, before.rhsStrides, 0), made);

  const KernelThunk& kernel = thunk.kernel;
  const int64_t perRow = kernel.iterations / (matrixCount(before) * before.m),
                first = matrix * before.m + from, last = matrix * before.m + to;
  absl::InlinedVector<void*, 16> buffers;
  for (const ReadSlice& slice : kernel.arguments) buffers.push_back(context.at(slice));
  buffers[static_cast<size_t>(thunk.rowsArgument)] = backFrom(made, first, madeBytes);
  buffers.push_back(backFrom(taken, first, takenBytes));
  callKernel(context.kernels[kernel.kernel], buffers.data(), first * perRow, last * perRow);

  multiplyMatrices(after, 1, to - from, after.n, taken, at(after, after.rhs, after.type, after.rhsStrides, 0),
                   at(after, after.result, after.resultType, after.resultStrides, from));
}

}  // namespace

Status execute(const RowBlocksThunk& thunk, const ThunkContext& context) {
  const int64_t rows = thunk.before.m, blocks = (rows + thunk.rowsAtOnce - 1) / thunk.rowsAtOnce;
  return guardLibrary(fmt::format("multiply in {}", context.thunk->name), [&] {
    inPieces(context.threads, matrixCount(thunk.before) * blocks, [&](int64_t i) {
      if (context.cancel.cancelled()) return;
      setLibraryThreads(1);
      const int64_t from = i % blocks * thunk.rowsAtOnce;
      doRows(thunk, i / blocks, from, std::min(rows, from + thunk.rowsAtOnce), context);
    });
  });
}

}  // namespace hilo
