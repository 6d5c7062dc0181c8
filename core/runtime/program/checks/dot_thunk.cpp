#include "core/runtime/program/checks/matrices.h"

namespace hilo {

Status check(const DotThunk& thunk, const CheckedThunk& at) {
  TRY_STATUS(checkLibraryTypes(thunk.type, thunk.resultType, at));
  const int bytes = elementStorageBytes(thunk.type), resultBytes = elementStorageBytes(thunk.resultType);
  const auto& [batch, m, n, k] = std::tie(thunk.batch, thunk.m, thunk.n, thunk.k);
  TRY_STATUS(checkStridedMatrix(thunk.lhsStrides, batch, m, k, thunk.lhs, bytes, at));
  TRY_STATUS(checkStridedMatrix(thunk.rhsStrides, batch, k, n, thunk.rhs, bytes, at));
  return checkStridedMatrix(thunk.resultStrides, batch, m, n, thunk.result, resultBytes, at);
}

}  // namespace hilo
