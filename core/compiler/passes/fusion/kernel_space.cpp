#include "core/compiler/passes/fusion/kernel_space.h"

namespace hilo {
namespace {

bool updatesInPlace(const Instruction& result) {
  return result.opcode() == Opcode::DynamicUpdateSlice || result.opcode() == Opcode::Scatter;
}

// Of the kernel whose result this is; nullopt: one that writes into its operand, or makes a tuple by itself.
std::optional<KernelSpace> spaceOf(const Instruction& result) {
  const Instruction* at = &result;
  while (at->opcode() == Opcode::Bitcast && at->operandCount() == 1 &&
         at->operand(0)->opcode() != Opcode::Parameter)
    at = at->operand(0);
  if (updatesInPlace(*at) || !at->shape().isArray()) return std::nullopt;
  if (at->opcode() == Opcode::Reduce) {
    const auto sizes = at->operand(0)->shape().dimensions();
    return KernelSpace{{sizes.begin(), sizes.end()}, {at->dimensions().begin(), at->dimensions().end()}};
  }
  const auto sizes = at->shape().dimensions();
  return KernelSpace{{sizes.begin(), sizes.end()}, {}};
}

}  // namespace

std::optional<KernelSpace> kernelSpace(const Instruction& kernel) {
  if (kernel.opcode() != Opcode::Fusion) return spaceOf(kernel);
  const Instruction& root = *kernel.get<Attr::Calls>()->root();
  if (root.opcode() != Opcode::Tuple) return spaceOf(root);
  for (const Instruction* result : root.operands()) {
    if (!spaceOf(*result)) return std::nullopt;
  }
  return spaceOf(*root.operand(0));
}

}  // namespace hilo
