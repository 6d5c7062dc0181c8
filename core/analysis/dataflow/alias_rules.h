// Which operands an instruction may or must overwrite: facts about single instructions, fusions looked into.
// Matches XLA's hlo/analysis/alias_info.cc and, for Backend::Gpu, service/gpu/alias_info.cc. What decides the
// emitter of a GPU fusion there (its "hero") is told here by the fusion's kind and root.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/shape_index.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// The output part and the operand part are one buffer.
struct InPlacePair {
  uint32_t operandNumber = 0;
  ShapeIndex operandIndex;
  ShapeIndex outputIndex;
  friend bool operator==(const InPlacePair&, const InPlacePair&) = default;
};
// What must alias: dynamic-update-slice, scatter, all-reduce-start, set-dimension-size, ragged-all-to-all,
// collective-permute with slices, and what output_to_operand_aliasing says. A fusion does what its root
// does, when the way from the root's operand to a parameter has only tuples and bitcasts (for GPU also
// reshapes) on it.
std::vector<InPlacePair> inPlacePairs(const Instruction& user, Backend backend = Backend::Cpu);

// The backend's own word on whether an output part may take over an operand's buffer; nullopt: the general
// rules decide (operand_sharing.h).
std::optional<bool> backendMayShare(const Instruction& operand, const ShapeIndex& operandIndex,
                                    const Instruction& user, const ShapeIndex& userIndex, Backend backend);

// Whether output element i needs of this operand only element i. XLA's
// HloInstruction::IsElementwiseOnOperand.
bool isElementwiseOnOperand(const Instruction& user, size_t operandNumber);

// Whether every path from the value ends as that operand of `end`, through operations that take element i of
// their operand for element i of their result.
bool isElementwiseUpTo(const Instruction& from, const Instruction& end, size_t operandNumber);

// Through tuples that are built and read again, to where a part really comes from.
std::pair<const Instruction*, ShapeIndex> followTuples(const Instruction* instruction, ShapeIndex index);

}  // namespace hilo
