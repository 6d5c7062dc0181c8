// Running totals along a dimension - what a reduce-window gives whose window reaches from the first element
// to each one, or from each to the last - as totals of short rows, and totals of these.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct WindowScan {
  std::span<Instruction* const> arrays;
  std::span<Instruction* const> starts;  // a scalar for each array
  Computation* combiner = nullptr;
  size_t dimension = 0;
  bool isForward = true;     // the total of what stands before, not behind
  bool isExclusive = false;  // one element more, the start, at the end where it starts
};

// Whether folding in a start again changes nothing.
bool mayFoldAgain(Opcode step, const Instruction& start);

// Whether totals may be taken of totals: folding in a start again changes nothing, and each step is made of
// elementwise operations. Combiners of several arrays must treat each by itself.
bool canScanTotals(Computation& combiner, std::span<Instruction* const> starts);

// One value for each array, made in front of `before`. Rows have `row` elements.
std::vector<Instruction*> scanByRows(const WindowScan& scan, int64_t row, Instruction& before);

// A reduce-window whose window is 1 along every dimension but this one.
Instruction* reduceWindowAlong(std::span<Instruction* const> arrays, std::span<Instruction* const> starts,
                               Computation& combiner, size_t dimension, const WindowDimension& window,
                               Instruction& before);

}  // namespace hilo
