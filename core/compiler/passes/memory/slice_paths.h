// What lies between a call and the arrays that it reads and writes slices of.
#pragma once

#include <vector>

#include "core/compiler/passes/memory/dynamic_slice_fusion.h"

namespace hilo {

// An operand that is a slice.
struct SlicedOperand {
  size_t index = 0;
  std::vector<Instruction*> path;  // the slice, then what gives its bytes another name

  Instruction* value() const { return path.back(); }  // what the call is to read
};

// A result, or an element of it where it is a tuple.
struct SlicedResult {
  int64_t index = 0;
  Instruction* element = nullptr;  // the one that leads to `update`, or any; null: nothing reads it
  std::vector<Instruction*> path;  // bitcasts behind the element, or behind the call
  Instruction* update = nullptr;   // the dynamic-update-slice at its end; null: there is none
};

struct SlicePaths {
  std::vector<SlicedOperand> operands;
  std::vector<SlicedResult> results;  // one an element

  bool isEmpty() const;
  bool hasUpdates() const;
};

SlicePaths slicePathsOf(Instruction& call, const DynamicSliceFusionSettings& settings);

}  // namespace hilo
