#include <fmt/format.h>

#include "core/analysis/lint/rules.h"
#include "core/base/amount_text.h"

namespace hilo {
namespace {

bool changesOrder(const Instruction& copy) {
  if (copy.opcode() != Opcode::Copy || copy.operandCount() != 1) return false;
  const Layout *from = copy.operand(0)->shape().layout(), *to = copy.shape().layout();
  return from != nullptr && to != nullptr && from->minorToMajor != to->minorToMajor;
}

bool isResult(const Instruction& instruction) {
  const Instruction* root = instruction.parent().root();
  if (root == &instruction) return true;
  return root != nullptr && root->opcode() == Opcode::Tuple &&
         std::ranges::any_of(root->operands(), [&](const Instruction* each) { return each == &instruction; });
}

std::string orders(const Instruction& copy) {
  return fmt::format("{} to {}, {} read and as much written in each run",
                     toString(*copy.operand(0)->shape().layout()), toString(*copy.shape().layout()),
                     amount::bytes(copy.shape().byteSize()));
}

}  // namespace

void lintLayouts(const Module& module, LintFindings& found) {
  if (module.entry() == nullptr) return;
  for (const Instruction* copy : module.entry()->instructions()) {
    if (!changesOrder(*copy)) continue;
    if (const Instruction& from = *copy->operand(0); from.opcode() == Opcode::Parameter) {
      found.push_back(
          {.instruction = copy,
           .message = fmt::format("parameter {} is copied for its layout, {}", from.name(), orders(*copy)),
           .notes = {fmt::format("pass it as {}: entry_computation_layout, or the layout of the "
                                 "argument in the framework",
                                 toString(copy->shape()))}});
    } else if (isResult(*copy)) {
      found.push_back({.instruction = copy,
                       .message = fmt::format("a result is copied for its layout, {}", orders(*copy)),
                       .notes = {fmt::format("let the result be {}: entry_computation_layout",
                                             toString(copy->operand(0)->shape()))}});
    }
  }
}

}  // namespace hilo
