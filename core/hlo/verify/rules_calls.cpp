// Rules on calls of computations, beyond the signatures that the shape rules check.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/hlo/verify/op_view.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

bool mayCall(Opcode opcode) {
  switch (opcodeClass(opcode)) {
    case OpcodeClass::Reduction:
    case OpcodeClass::Collective:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::Fusion:
    case OpcodeClass::CustomCall:
    case OpcodeClass::Async:
      return true;
    default:
      return false;
  }
}

}  // namespace

void verifyCalledComputations(const Instruction& instruction, VerifyContext& context) {
  for (const Attribute& attribute : instruction.attributes()) {
    for (const Computation* called : computationsOf(attribute)) {
      if (called == nullptr) continue;  // the shape rule says what is missing
      if (!context.isOwn(called)) {
        context.report.error(VerifyKind::ComputationElsewhere, instruction,
                             fmt::format("{} of {} is computation {}, which is not in this module",
                                         attrName(attribute.key), instruction.name(), called->name()));
      } else if (context.positionOf(*called) > context.positionOf(instruction.parent())) {
        context.report.error(VerifyKind::ComputationOrder, instruction,
                             fmt::format("computation {} stands behind {}, which calls it", called->name(),
                                         instruction.parent().name()),
                             "a text with it could not be read again: called computations come first");
      }
      if (mayCall(instruction.opcode())) continue;
      context.report.error(VerifyKind::UnexpectedCall, instruction,
                           fmt::format("{} calls no computations, but {} names {}", instruction.opcodeText(),
                                       attrName(attribute.key), called->name()));
    }
  }
}

void verifyExecutionThreads(const Instruction& instruction, VerifyContext& context) {
  std::string_view thread = context.threadOf(instruction.parent());
  if (instruction.opcode() == Opcode::AsyncStart) {
    const std::string_view written = instruction.get<Attr::AsyncExecutionThread>();
    if (!written.empty()) thread = written;
  }
  for (const Computation* called : instruction.calledComputations()) {
    if (!context.isOwn(called) || context.threadOf(*called) == thread) continue;
    context.report.error(VerifyKind::ExecutionThread, instruction,
                         fmt::format("{} runs on thread {}, computation {} it calls on {}",
                                     instruction.name(), thread, called->name(), context.threadOf(*called)));
  }
}

void verifyCompositeCall(const Instruction& instruction, VerifyContext& context) {
  if (!instruction.get<Attr::IsComposite>().value_or(false)) return;
  bool hasName = false;
  for (const auto& [name, value] : instruction.get<Attr::FrontendAttributes>()) {
    if (name == "composite.name") hasName = !value.empty();
    if (name == "composite.attributes" && value.empty()) {
      context.report.error(VerifyKind::CompositeCall, instruction, "composite.attributes must not be empty",
                           "write {} for none");
    }
    if (name != "composite.version") continue;
    int64_t version = -1;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), version).ptr;
    if (version >= 0 && end == value.data() + value.size()) continue;
    context.report.error(VerifyKind::CompositeCall, instruction,
                         fmt::format("composite.version must be a number of at least 0, got \"{}\"", value));
  }
  if (hasName) return;
  context.report.error(VerifyKind::CompositeCall, instruction,
                       "a composite call needs composite.name among its frontend attributes");
}

namespace {

void verifyHandedLayout(const Instruction& instruction, VerifyContext& context, size_t operand,
                        const Computation* called, size_t parameter) {
  if (called == nullptr || operand >= instruction.operandCount() || parameter >= called->parameters().size())
    return;
  const Instruction* taken = called->parameters()[parameter];
  const Shape given = instruction.operand(operand)->shape();
  if (taken == nullptr || sameWithLayout(given, taken->shape()) || !compatible(given, taken->shape())) return;
  context.report.error(
      VerifyKind::LayoutChanged, instruction,
      fmt::format("operand {} of {} is {}, parameter {} of {} takes {}", operand, instruction.name(),
                  toString(given), parameter, called->name(), toString(taken->shape())));
}

}  // namespace

void verifyLayoutsAcrossCalls(const Instruction& instruction, VerifyContext& context) {
  if (!context.options.layoutSensitive) return;
  const auto called = instruction.calledComputations();
  switch (instruction.opcode()) {
    case Opcode::While:
      for (const Computation* computation : called)
        verifyHandedLayout(instruction, context, 0, computation, 0);
      break;
    case Opcode::Conditional:
      for (size_t i = 0; i < called.size(); ++i)
        verifyHandedLayout(instruction, context, i + 1, called[i], 0);
      break;
    default:
      for (const Computation* computation : called) {
        for (size_t i = 0; i < instruction.operandCount(); ++i)
          verifyHandedLayout(instruction, context, i, computation, i);
      }
      break;
  }
}

}  // namespace hilo
