// How the kernel of a RowBlocksThunk goes over the rows between its products.
#pragma once

#include "core/runtime/program/thunks.h"

namespace hilo {

// Whether each of its `rows` rows, of all matrices, takes as many of the kernel's iterations, one or more, or
// each iteration as many rows; and then matrices and blocks of rows are whole iterations.
inline bool goesEvenly(const RowBlocksThunk& thunk, int64_t rows) {
  const int64_t iterations = thunk.kernel.iterations;
  if (iterations > rows) return iterations % rows == 0;
  const int64_t together = rows / iterations;
  return rows % iterations == 0 && thunk.before.m % together == 0 && thunk.rowsAtOnce % together == 0;
}

// The iteration that begins with `row`, where it goes evenly.
inline int64_t iterationOf(const RowBlocksThunk& thunk, int64_t rows, int64_t row) {
  const int64_t iterations = thunk.kernel.iterations;
  return iterations > rows ? row * (iterations / rows) : row / (rows / iterations);
}

}  // namespace hilo
