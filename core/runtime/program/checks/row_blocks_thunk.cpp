#include "core/runtime/program/checks/matrices.h"
#include "core/runtime/program/row_blocks.h"

namespace hilo {
namespace {

// Sizes at least one, and how many rows all matrices of the batch have.
Result<int64_t> rowsOf(const DotThunk& dot, const CheckedThunk& at) {
  constexpr __int128 kMost = int64_t{1} << 40;
  __int128 rows = 1;
  std::vector<int64_t> sizes = dot.batch;
  sizes.push_back(dot.m);
  for (const int64_t size : sizes) {
    rows *= size;
    if (size < 1 || rows > kMost) return at.malformed("has a wrong size");
  }
  if (dot.n < 1 || dot.k < 1 || dot.n > kMost || dot.k > kMost) return at.malformed("has a wrong size");
  return static_cast<int64_t>(rows);
}

// What lies between the dots, and so is in no slice, must be rows one after the other.
Status checkBetween(const RowBlocksThunk& thunk, const CheckedThunk& at) {
  const DotThunk &before = thunk.before, &after = thunk.after;
  TRY(const int64_t rows, rowsOf(before, at));
  TRY(const int64_t rowsAfter, rowsOf(after, at));
  if (rows != rowsAfter || before.m != after.m || thunk.kernel.iterations < 1 || thunk.rowsAtOnce < 1 ||
      thunk.rowsAtOnce > 4096 || !goesEvenly(thunk, rows))
    return at.malformed("has products of different rows");
  if (thunk.rowsArgument < 0 || thunk.rowsArgument >= std::ssize(thunk.kernel.arguments) ||
      thunk.kernel.results.size() != 1)
    return at.malformed("has no kernel for the rows between");
  const auto isDense = [](const DotThunk& dot, const std::vector<int64_t>& strides, int64_t columns) {
    const size_t rank = dot.batch.size();
    return strides.size() == rank + 2 && strides[rank] == columns && strides[rank + 1] == 1;
  };
  if (!isDense(before, before.resultStrides, before.n) || !isDense(after, after.lhsStrides, after.k))
    return at.malformed("has rows that do not lie one after the other");
  return {};
}

}  // namespace

Status check(const RowBlocksThunk& thunk, const CheckedThunk& at) {
  const DotThunk &before = thunk.before, &after = thunk.after;
  TRY_STATUS(check(thunk.kernel, at));
  TRY_STATUS(checkLibraryTypes(before.type, before.resultType, at));
  TRY_STATUS(checkLibraryTypes(after.type, after.resultType, at));
  TRY_STATUS(checkBetween(thunk, at));
  const int left = elementStorageBytes(before.type), right = elementStorageBytes(after.type),
            result = elementStorageBytes(after.resultType);
  const auto checkMatrix = [&](const DotThunk& dot, const std::vector<int64_t>& strides, int64_t lines,
                               int64_t columns, const BufferSlice& slice, int bytes) {
    return checkStridedMatrix(strides, dot.batch, lines, columns, slice, bytes, at);
  };
  TRY_STATUS(checkMatrix(before, before.lhsStrides, before.m, before.k, before.lhs, left));
  TRY_STATUS(checkMatrix(before, before.rhsStrides, before.k, before.n, before.rhs, left));
  TRY_STATUS(checkMatrix(after, after.rhsStrides, after.k, after.n, after.rhs, right));
  return checkMatrix(after, after.resultStrides, after.m, after.n, after.result, result);
}

}  // namespace hilo
