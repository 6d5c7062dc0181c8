// Rules on output_to_operand_aliasing and custom calls.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/op_view.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

// Custom calls that pin buffers alias a buffer with the array in it; async computations may, too.
bool mayPin(const Instruction& instruction) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  return instruction.opcode() == Opcode::AsyncStart || target == "Pin" || target == "Unpin";
}

// What an alias is between: an instruction's operands and its result. An async start aliases what the
// computation it wraps takes and gives, bound yet or not.
struct AliasSides {
  std::vector<Shape> operands;
  Shape result;
};
AliasSides aliasSides(const Instruction& instruction) {
  AliasSides sides{.result = instruction.shape()};
  const Computation* wrapped =
      instruction.opcode() == Opcode::AsyncStart ? instruction.get<Attr::Calls>() : nullptr;
  for (const Instruction* operand : instruction.operands()) sides.operands.push_back(operand->shape());
  if (wrapped == nullptr || wrapped->root() == nullptr ||
      std::ranges::count(wrapped->parameters(), nullptr) != 0)
    return sides;
  sides.operands.clear();
  for (const Instruction* parameter : wrapped->parameters()) sides.operands.push_back(parameter->shape());
  std::vector<Shape> parts = {Shape::tuple(sides.operands), wrapped->root()->shape()};
  for (size_t i = 2; i < sides.result.tupleShapes().size(); ++i)
    parts.push_back(sides.result.tupleShapes()[i]);
  sides.result = Shape::tuple(parts);
  return sides;
}

void verifyAliasEntry(const Instruction& instruction, const AliasSides& sides, const AliasEntry& alias,
                      VerifyContext& context) {
  const auto kind = VerifyKind::OperandAlias;
  if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(sides.operands.size())) {
    context.report.error(
        kind, instruction,
        fmt::format("output_to_operand_aliasing of {} names operand {}, expected 0 to {}", instruction.name(),
                    alias.parameter, static_cast<int64_t>(sides.operands.size()) - 1));
    return;
  }
  const Shape& whole = sides.operands[static_cast<size_t>(alias.parameter)];
  const Shape* output = subshapeAt(sides.result, alias.outputIndex);
  const Shape* operand = subshapeAt(whole, alias.parameterIndex);
  if (output == nullptr || operand == nullptr) {
    const bool isOutput = output == nullptr;
    context.report.error(
        kind, instruction,
        fmt::format("output_to_operand_aliasing of {} names {} of {} {}, which is not there",
                    instruction.name(), listText(isOutput ? alias.outputIndex : alias.parameterIndex),
                    isOutput ? "the result" : "the operand", toString(isOutput ? sides.result : whole)));
    return;
  }
  if (hasFrontendAttribute(instruction, "xla_skip_custom_call_alias_shape_check")) return;
  if (compatible(*output, *operand, {.ignoreBuffer = mayPin(instruction)})) return;
  context.report.error(kind, instruction,
                       fmt::format("{} aliases output {} with operand {} at {}, but they are {} and {}",
                                   instruction.name(), listText(alias.outputIndex), alias.parameter,
                                   listText(alias.parameterIndex), toString(*output), toString(*operand)));
}

}  // namespace

void verifyOperandAliasing(const Instruction& instruction, VerifyContext& context) {
  const auto aliases = instruction.get<Attr::OutputToOperandAliasing>();
  if (instruction.opcode() == Opcode::Call && !aliases.empty()) {
    context.report.error(VerifyKind::OperandAlias, instruction, "call takes no output_to_operand_aliasing");
    return;
  }
  if (aliases.empty()) return;
  const AliasSides sides = aliasSides(instruction);
  for (const AliasEntry& alias : aliases) verifyAliasEntry(instruction, sides, alias, context);
}

namespace {

void verifyOperandLayouts(const Instruction& instruction, VerifyContext& context) {
  if (!instruction.has(Attr::OperandLayoutConstraints)) return;
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  if (target == "LayoutConstraint" || target == "control_dep") return;
  const auto kind = VerifyKind::CustomCallLayout;
  const auto constraints = instruction.get<Attr::OperandLayoutConstraints>();
  if (constraints.size() != instruction.operandCount()) {
    context.report.error(kind, instruction,
                         fmt::format("operand_layout_constraints of {} are {}, expected {}, one an operand",
                                     instruction.name(), constraints.size(), instruction.operandCount()));
    return;
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Shape operand = instruction.operand(i)->shape();
    if (compatible(operand, constraints[i])) continue;
    context.report.error(
        kind, instruction,
        fmt::format("operand_layout_constraints of {} give operand {} the shape {}, it is {}",
                    instruction.name(), i, toString(constraints[i]), toString(operand)));
  }
}

}  // namespace

void verifyCustomCall(const Instruction& instruction, VerifyContext& context) {
  verifyOperandLayouts(instruction, context);
  if (instruction.get<Attr::CustomCallTarget>() != "GetRngSeed") return;
  if (instruction.operandCount() != 0) {
    context.report.error(VerifyKind::OperandCount, instruction,
                         fmt::format("GetRngSeed takes 0 operands, got {}", instruction.operandCount()));
  }
  if (instruction.shape().withoutLayout() != Shape::scalar(ElementType::U64)) {
    context.report.error(VerifyKind::ResultShape, instruction,
                         fmt::format("GetRngSeed {}: expected u64[], got {}", instruction.name(),
                                     toString(instruction.shape())));
  }
}

}  // namespace hilo
