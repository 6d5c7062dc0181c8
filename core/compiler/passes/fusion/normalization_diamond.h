// What a softmax and norms are made of: an array, a number of each of its rows, and both together again.
//
//     producer ─ ... ─ reduce of the last dimension ─ ... ─ broadcast ─ ... ─ root's second operand
//            └── ... ─────────────────────────────────────────────────────── root's first
//
// "..." are bitcasts and elementwise work that one value is read by and another reads: of one operand, or of
// two where one is a scalar constant or a parameter made larger. As XLA's
// backends/gpu/transforms/softmax_rewriter_triton.cc matches it.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct NormalizationDiamond {
  Instruction* root = nullptr;
  Instruction* producer = nullptr;  // null: there is none
  std::string whyNot;               // of a root that reads a number of each row all the same
};

// The one that ends in this instruction, of instructions that Triton has for this `capability` (90: 9.0),
// with arrays in row-major order.
NormalizationDiamond normalizationDiamond(Instruction& root, int64_t capability);

// All that lies between, users before their operands, the root first; with the constants that they read. Not
// the producer, nor parameters.
std::vector<Instruction*> membersOf(const NormalizationDiamond& diamond);

}  // namespace hilo
