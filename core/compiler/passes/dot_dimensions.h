// The dimensions of a dot's operands by what becomes of them.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Of one operand: side 0 the left, 1 the right.
struct DotSide {
  std::vector<int64_t> batch, free, contracting;  // free in their order, the others as the dot pairs them
};
DotSide dotSide(const Instruction& dot, size_t side);
void setDotSide(Instruction& dot, size_t side, std::span<const int64_t> batch,
                std::span<const int64_t> contracting);
// Batch dimensions lead, and there is one contracting dimension and at most one free one on each side.
bool isCanonicalDot(const Instruction& dot);
// Of matrices, or of a matrix and a vector: one contracting dimension and at most one free one on each side,
// and one batch dimension that is not the last, or several that lead.
bool isMatrixProduct(const Instruction& dot);

}  // namespace hilo
