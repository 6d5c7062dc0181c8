// Rules on the instructions of a computation among themselves.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/side_effects.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

void verifyNames(VerifyContext& context) {
  absl::flat_hash_map<std::string_view, const Instruction*> instructions;
  absl::flat_hash_set<std::string_view> computations;
  instructions.reserve(context.module.instructionCount());
  for (const Computation* computation : context.module.computations()) {
    if (!computations.insert(computation->name()).second) {
      context.report.error(VerifyKind::NameNotUnique, *computation,
                           fmt::format("another computation is named {}", computation->name()));
    }
    for (const Instruction* instruction : computation->instructions()) {
      const auto [other, isNew] = instructions.try_emplace(instruction->name(), instruction);
      if (isNew) continue;
      const bool isHere = &other->second->parent() == computation;
      context.report.add(isHere ? Severity::kError : Severity::kWarning, VerifyKind::NameNotUnique,
                         *instruction,
                         fmt::format("another instruction is named {}, in computation {}",
                                     instruction->name(), other->second->parent().name()));
    }
  }
}

void verifyRoot(const Computation& computation, VerifyContext& context) {
  const Instruction* root = computation.root();
  if (root != nullptr && &root->parent() == &computation) return;
  context.report.error(VerifyKind::RootMissing, computation,
                       root == nullptr
                           ? fmt::format("computation {} has no root", computation.name())
                           : fmt::format("the root of computation {}, {}, is not one of its instructions",
                                         computation.name(), root->name()),
                       "mark its result ROOT");
}

void verifyParameterNumbers(const Computation& computation, VerifyContext& context) {
  size_t count = 0;
  for (const Instruction* instruction : computation.instructions()) {
    count += instruction->opcode() == Opcode::Parameter;
  }
  std::vector<bool> seen(count, false);
  for (const Instruction* instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::Parameter) continue;
    const int64_t number = instruction->parameterNumber();
    if (number < 0 || number >= static_cast<int64_t>(count)) {
      context.report.error(VerifyKind::ParameterNumbers, *instruction,
                           fmt::format("parameter number {} of {}, expected 0 to {}", number,
                                       computation.name(), static_cast<int64_t>(count) - 1));
    } else if (seen[static_cast<size_t>(number)]) {
      context.report.error(
          VerifyKind::ParameterNumbers, *instruction,
          fmt::format("parameter number {} of {} is used twice", number, computation.name()));
    } else {
      seen[static_cast<size_t>(number)] = true;
    }
  }
}

namespace {

// Whether some instruction of the computation depends on itself, through operands or control predecessors:
// instructions whose dependencies are all done are done, until none is left or none can be.
bool hasDependencyCycle(const Computation& computation) {
  absl::flat_hash_map<const Instruction*, size_t> waitingFor;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> successors;
  std::vector<const Instruction*> ready;
  const auto add = [&](const Instruction* before, const Instruction* after) {
    if (before == nullptr || &before->parent() != &computation) return;
    successors[before].push_back(after);
    ++waitingFor[after];
  };
  for (const Instruction* instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) add(operand, instruction);
    for (const Instruction* before : instruction->get<Attr::ControlPredecessors>()) add(before, instruction);
  }
  for (const Instruction* instruction : computation.instructions()) {
    if (!waitingFor.contains(instruction)) ready.push_back(instruction);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const Instruction* instruction = ready.back();
    ready.pop_back();
    ++done;
    for (const Instruction* after : successors[instruction]) {
      if (--waitingFor[after] == 0) ready.push_back(after);
    }
  }
  return done != computation.instructionCount();
}

}  // namespace

bool verifyOrder(const Computation& computation, VerifyContext& context) {
  std::vector<bool>& seen = context.passed;
  bool complete = true, ordered = true;
  const auto exists = [&](const Instruction& user, const Instruction* used, std::string_view what,
                          size_t index) {
    if (used != nullptr && &used->parent() == &computation) return true;
    if (used == nullptr) {
      context.report.error(VerifyKind::OperandMissing, user,
                           fmt::format("{} {} of {} is missing", what, index, user.name()));
    } else {
      context.report.error(VerifyKind::OperandElsewhere, user,
                           fmt::format("{} {} of {}, {}, is in computation {}, not in {}", what, index,
                                       user.name(), used->name(), used->parent().name(), computation.name()),
                           "pass it in as a parameter");
    }
    return false;
  };
  for (const Instruction* instruction : computation.instructions()) {
    for (size_t i = 0; i < instruction->operandCount(); ++i) {
      const Instruction* operand = instruction->operand(i);
      if (!exists(*instruction, operand, "operand", i)) {
        complete = false;
      } else if (!seen[operand->id().value]) {
        ordered = false;
        context.report.error(
            VerifyKind::OperandOrder, *instruction,
            fmt::format("operand {} of {}, {}, comes after it", i, instruction->name(), operand->name()));
      }
    }
    const auto predecessors = instruction->get<Attr::ControlPredecessors>();
    for (size_t i = 0; i < predecessors.size(); ++i) {
      if (!exists(*instruction, predecessors[i], "control predecessor", i) ||
          seen[predecessors[i]->id().value])
        continue;
      ordered = false;
      context.report.error(VerifyKind::ControlOrder, *instruction,
                           fmt::format("control predecessor {} of {} comes after it", predecessors[i]->name(),
                                       instruction->name()));
    }
    seen[instruction->id().value] = true;
  }
  if (!ordered && hasDependencyCycle(computation)) {
    context.report.error(
        VerifyKind::DependencyCycle, computation,
        fmt::format("instructions of computation {} depend on themselves", computation.name()));
  }
  return complete;
}

void verifyFusionComputation(const Computation& computation, VerifyContext& context) {
  if (!context.isCalledBy(computation, Opcode::Fusion)) return;
  const auto callers = context.callers(computation);
  if (callers.size() > 1) {
    context.report.error(
        VerifyKind::FusionComputation, computation,
        fmt::format("fused computation {} has {} callers, {} and {} among them; expected one",
                    computation.name(), callers.size(), callers[0].caller->name(),
                    callers[1].caller->name()));
  }
  for (const Instruction* instruction : computation.instructions()) {
    const bool isRoot = instruction == computation.root();
    if (isRoot && !instruction->users().empty()) {
      context.report.error(VerifyKind::FusionComputation, *instruction,
                           fmt::format("the root of fused computation {} is used by {}", computation.name(),
                                       instruction->users()[0]->name()));
    }
    if (isRoot || !instruction->users().empty() || hasOwnSideEffect(*instruction)) continue;
    context.report.error(VerifyKind::FusionComputation, *instruction,
                         fmt::format("{} of fused computation {} is neither root nor used",
                                     instruction->name(), computation.name()));
  }
}

void verifyAsyncComputation(const Computation& computation, VerifyContext& context) {
  if (context.threadOf(computation) != "main") return;
  const auto callers = context.callers(computation);
  const auto start = std::ranges::find(callers, Opcode::AsyncStart,
                                       [](const CallSite& site) { return site.caller->opcode(); });
  if (start == callers.end() || hasFrontendAttribute(*start->caller, "_collectives_group")) return;
  bool onlyHandsThrough = true;
  const Instruction* more = nullptr;
  for (const Instruction* instruction : computation.instructions()) {
    if (instruction == computation.root() || instruction->opcode() == Opcode::Parameter) continue;
    if (instruction->opcode() != Opcode::GetTupleElement) onlyHandsThrough = false;
    if (more == nullptr) more = instruction;
  }
  if (more == nullptr || onlyHandsThrough) return;
  context.report.error(VerifyKind::AsyncComputation, *more,
                       fmt::format("computation {}, which {} wraps, must hold only its root and parameters",
                                   computation.name(), start->caller->name()));
}

}  // namespace hilo
