#include "core/compiler/passes/fusion/in_place_fusion.h"

#include <algorithm>

namespace hilo {
namespace {

bool readsAlong(const Instruction& i) { return isElementwise(i.opcode()) || i.opcode() == Opcode::Bitcast; }

// It reads what the update writes over, and no more.
bool readsWhatIsWritten(const Instruction& read, const Instruction& update) {
  if (read.opcode() == Opcode::Slice)
    return read.shape().withoutLayout() == update.operand(1)->shape().withoutLayout();
  if (read.opcode() != Opcode::DynamicSlice ||
      read.shape().withoutLayout() != update.operand(1)->shape().withoutLayout())
    return false;
  for (size_t k = 1; k < read.operandCount(); ++k) {
    if (read.operand(k) != update.operand(k + 1)) return false;
  }
  return true;
}

}  // namespace

bool keepsInPlace(std::span<Instruction* const> instructions, std::span<const uint32_t> producer,
                  std::span<const uint32_t> consumer) {
  const Instruction& update = *instructions[consumer[0]];
  if (update.opcode() != Opcode::DynamicUpdateSlice && update.opcode() != Opcode::Scatter) return true;
  const Instruction* written = update.operand(0);
  const Instruction* value = instructions[producer[0]];
  const bool reads = value == written || std::ranges::any_of(producer, [&](uint32_t member) {
                       return std::ranges::find(instructions[member]->operands(), written) !=
                              instructions[member]->operands().end();
                     });
  if (!reads) return true;
  if (update.opcode() == Opcode::Scatter) return false;
  std::vector<const Instruction*> across;
  for (const uint32_t member : producer) {
    if (!readsAlong(*instructions[member])) across.push_back(instructions[member]);
  }
  if (across.empty()) {
    return std::ranges::all_of(consumer.subspan(1),
                               [&](uint32_t member) { return readsAlong(*instructions[member]); });
  }
  return across.size() == 1 && readsWhatIsWritten(*across[0], update);
}

}  // namespace hilo
