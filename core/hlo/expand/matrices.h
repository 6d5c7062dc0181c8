// What factors of matrices have in common: many matrices in one array, written as an array of matrices, and
// HLO text for all element types.
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

// Matrices of rows x columns.
struct Matrices {
  ElementType type, realType;
  int64_t batch = 1, rows = 0, columns = 0;
  int64_t reflections = 0;  // the smaller of the two, unless fewer are given
  bool empty() const { return batch == 0 || rows == 0 || columns == 0; }
};

// Of floats or complex numbers, in the last two dimensions.
Result<Matrices> readMatrices(const Expansion& call, Shape shape);

// `value` with all but its last `kept` dimensions made one, as [batch, ...]; and back, into `shape`.
Instruction* joinBatch(const Expansion& call, Instruction* value, size_t kept);
Instruction* splitBatch(const Expansion& call, Instruction* value, Shape shape);

// Calls text in which $T is the element type, $R that of its magnitudes, $ZERO and $ONE numbers of $T, $B,
// $M, $N and $K the numbers of matrices, rows, columns and reflections, $LAST one less than $K. Beside HLO's
// operations it may use these, which have a meaning for real numbers too:
//   y = conjugate(x)   y = real-part(x)   y = imaginary-part(x)   y = from-parts(x, i)   y = magnitude(x)
// The last is the sum of the magnitudes of both parts, by which LAPACK chooses pivots. A line $COLUMN begins
// a step of a loop over columns: of `a` and the column's number `i` it makes `flat`, the column, `no_column`,
// `rows`, `is_at` and `is_below` the diagonal, and the numbers `zero`, `one`, `nothing` and `unit`. `more`
// stands for names of the caller's own.
Instruction* callOnMatrices(const Expansion& call, std::string_view text, const Matrices& matrices,
                            std::span<Instruction* const> operands, Expansion::Replacements more = {});

// A = Q R of [batch, rows, columns] with no more columns than rows: `kept` columns of Q, from as many as A
// has to as many as it has rows, and an array with R on its diagonal and above. R's diagonal is real.
struct QrFactors {
  Instruction *q, *factors;
};
QrFactors factorQr(const Expansion& call, const Matrices& matrices, Instruction* value, int64_t kept);

}  // namespace hilo::library
