#include "core/analysis/well_formed.h"

#include "core/hlo/ir/opcode.h"

namespace hilo {
namespace {

size_t leastOperands(Opcode opcode) {
  switch (opcode) {
    case Opcode::Scatter:
      return 3;
    case Opcode::DynamicUpdateSlice:  // Of a scalar there is no index.
      return 2;
    case Opcode::DynamicSlice:
    case Opcode::AsyncUpdate:
    case Opcode::AllReduceStart:
    case Opcode::AllGatherStart:
    case Opcode::CollectivePermuteStart:
    case Opcode::CollectivePermute:
    case Opcode::Conditional:
    case Opcode::Sort:
      return 1;
    default:
      return 0;
  }
}

bool takes(const Computation* called, size_t parameters) {
  return called != nullptr && called->parameters().size() == parameters;
}

const char* whatIsWrong(const Instruction& instruction) {
  const size_t operands = instruction.operandCount();
  const auto arity = opcodeArity(instruction.opcode());
  if (arity && operands != static_cast<size_t>(*arity))
    return "has another number of operands than its opcode";
  if (operands < leastOperands(instruction.opcode())) return "has too few operands";
  switch (instruction.opcode()) {
    case Opcode::Parameter: {
      const auto listed = instruction.parent().parameters();
      const auto number = static_cast<uint64_t>(instruction.parameterNumber());
      if (number >= listed.size() || listed[number] != &instruction)
        return "has a number that leaves gaps or is taken";
      break;
    }
    case Opcode::While:
      if (!takes(instruction.get<Attr::Body>(), 1) || !takes(instruction.get<Attr::Condition>(), 1))
        return "lacks a body or condition of one parameter";
      break;
    case Opcode::Conditional:
      if (operands < 2 || instruction.calledComputations().size() + 1 != operands)
        return "has not one operand for each branch";
      for (const Computation* branch : instruction.calledComputations()) {
        if (!takes(branch, 1)) return "has a branch that takes not one parameter";
      }
      break;
    case Opcode::Call:
      if (!takes(instruction.get<Attr::ToApply>(), operands)) return "calls nothing that takes its operands";
      break;
    case Opcode::Fusion:
      if (!takes(instruction.get<Attr::Calls>(), operands)) return "fuses nothing that takes its operands";
      break;
    case Opcode::AsyncStart:
      if (instruction.get<Attr::Calls>() == nullptr) return "runs no computation";
      break;
    default:
      break;
  }
  return nullptr;
}

std::unexpected<Diagnostic> malformed(const Computation& computation, std::string_view instruction,
                                      std::string message) {
  return fail("malformed-module", std::move(message),
              {.computation = std::string(computation.name()), .instruction = std::string(instruction)},
              {"hilo verify says all that is wrong"});
}

}  // namespace

bool isWhole(const Instruction& instruction) { return whatIsWrong(instruction) == nullptr; }

Status requireWellFormed(const Module& module) {
  if (module.entry() == nullptr) return fail("malformed-module", "the module has no entry computation");
  for (const Computation* computation : module.computations()) {
    const auto isMissing = [](const Instruction* parameter) { return parameter == nullptr; };
    if (computation->root() == nullptr || std::ranges::any_of(computation->parameters(), isMissing)) {
      return malformed(*computation, "",
                       fmt::format("'{}' lacks its root or a parameter", computation->name()));
    }
    for (const Instruction* instruction : computation->instructions()) {
      if (const char* wrong = whatIsWrong(*instruction))
        return malformed(*computation, instruction->name(),
                         fmt::format("'{}' {}", instruction->name(), wrong));
    }
  }
  return {};
}

}  // namespace hilo
