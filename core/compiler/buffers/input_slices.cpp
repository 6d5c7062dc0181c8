#include "core/compiler/buffers/input_slices.h"

#include "core/analysis/dataflow/alias_rules.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

// Which operand of the concatenate the slice gives back, whole; -1 when it is none.
int64_t partOf(const Instruction& slice, const Instruction& concatenate) {
  const auto along = static_cast<size_t>(concatenate.dimensions()[0]);
  const auto ranges = slice.get<Attr::Slice>();
  const auto sizes = concatenate.shape().dimensions();
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d].stride != 1) return -1;
    if (d != along && (ranges[d].start != 0 || ranges[d].limit != sizes[d])) return -1;
  }
  int64_t start = 0;
  for (size_t i = 0; i < concatenate.operandCount(); ++i) {
    const int64_t limit = start + concatenate.operand(i)->shape().dimensions()[along];
    if (ranges[along].start == start && ranges[along].limit == limit) return static_cast<int64_t>(i);
    start = limit;
  }
  return -1;
}

}  // namespace

bool slicesOwnPart(const Instruction& fusion, size_t operandNumber, const ShapeIndex& index) {
  const Computation* body = fusion.opcode() == Opcode::Fusion ? fusion.get<Attr::Calls>() : nullptr;
  if (body == nullptr || index.size() != 1 || body->root()->opcode() != Opcode::Tuple) return false;
  const auto output = static_cast<size_t>(index[0]);
  if (output >= body->root()->operandCount() || operandNumber >= body->parameters().size()) return false;
  const Instruction& slice = *body->root()->operand(output);
  if (slice.opcode() != Opcode::Slice || slice.operand(0)->opcode() != Opcode::Concatenate) return false;
  const Instruction& concatenate = *slice.operand(0);
  const int64_t part = partOf(slice, concatenate);
  return part >= 0 &&
         isElementwiseUpTo(*body->parameters()[operandNumber], concatenate, static_cast<size_t>(part));
}

}  // namespace hilo
