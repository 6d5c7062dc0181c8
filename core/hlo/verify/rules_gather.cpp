// A rule on gather and scatter beyond their shapes.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/rules.h"

namespace hilo {

void verifyIndexedBatch(const Instruction& instruction, VerifyContext& context) {
  const bool isGather = instruction.opcode() == Opcode::Gather;
  const auto batching =
      isGather ? instruction.get<Attr::OperandBatchingDims>() : instruction.get<Attr::InputBatchingDims>();
  const auto indexed =
      isGather ? instruction.get<Attr::StartIndexMap>() : instruction.get<Attr::ScatterDimsToOperandDims>();
  for (const int64_t d : batching) {
    if (std::ranges::find(indexed, d) == indexed.end()) continue;
    context.report.warning(
        VerifyKind::DimensionRepeated, instruction,
        fmt::format(
            "dimension {} of the operand of {} has both an index and a batch: the batch counts, as in "
            "XLA's evaluator; XLA's gather and scatter expanders take the index",
            d, instruction.opcodeText()));
  }
}

}  // namespace hilo
