#include "core/compiler/passes/memory/host_offload/host_offloader.h"

#include "core/analysis/memory/memory_space.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/memory/host_offload/host_buffers.h"
#include "core/compiler/passes/memory/host_offload/host_results.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"
#include "core/compiler/passes/simplify/common_subexpression_elimination.h"

namespace hilo {
namespace {

// A value as one user takes it, or, without a user, as the result of its computation.
struct Use {
  Instruction* value;
  Instruction* user;
  size_t operand = 0;
};

void addUsesOf(Instruction& value, std::vector<Use>& uses) {
  if (value.isRoot()) uses.push_back({&value, nullptr});
  for (Instruction* user : value.users()) {
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) == &value) uses.push_back({&value, user, k});
    }
  }
}

// Where what is moved is first used as more than its bytes: what only renames them stays on the device, so
// that a slice that it leads to is written from there.
std::vector<Use> firstUses(Instruction& move) {
  std::vector<Use> open, first;
  addUsesOf(move, open);
  for (size_t k = 0; k < open.size(); ++k) {
    const Use use = open[k];
    if (use.user == nullptr || !renamesBytes(*use.user)) {
      first.push_back(use);
    } else {
      addUsesOf(*use.user, open);
    }
  }
  return first;
}

bool isWriteOfSlice(const Use& use) {
  return use.user != nullptr && use.user->opcode() == Opcode::DynamicUpdateSlice && use.operand == 1;
}

Status verifyMove(const Instruction& move) {
  if (move.shape().withoutLayout() == move.operand(0)->shape().withoutLayout()) return {};
  return fail("malformed-move",
              fmt::format("%{} gives {} and is given {}: a value is moved as it is", move.name(),
                          toString(move.shape()), toString(move.operand(0)->shape())),
              instructionPlace(move));
}

// What is moved to the host, in the order it runs in: where a computation is called, its own come first.
void addMoves(const Computation& computation, absl::flat_hash_set<const Computation*>& seen,
              std::vector<InstructionId>& moves) {
  if (!seen.insert(&computation).second) return;
  for (const Instruction* i : computation.instructions()) {
    if (isMoveToHost(*i)) moves.push_back(i->id());
    for (const Computation* called : i->calledComputations()) addMoves(*called, seen, moves);
  }
}

class HostOffloader {
 public:
  HostOffloader(Module& module, PassContext& context, OffloadPaths paths)
      : module_(module), context_(context), paths_(std::move(paths)) {}

  Result<bool> run() {
    TRY_STATUS(verifyMoves());
    for (Computation* computation : unfusedComputations(module_)) {
      for (Instruction* i : computation->instructions())
        changed_ |= startsHostWork(*i) && keepResultsOnHost(*i, paths_);
    }
    TRY_STATUS(followParameters());
    TRY_STATUS(moveToHost());
    TRY(const bool hasUpdates, placeUpdates(paths_, wanted_));
    takeMovesToDevice();
    TRY(const bool hasCopies, copySharedUpdates(module_));
    return changed_ || hasUpdates || hasCopies;
  }

 private:
  Status verifyMoves() const {
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* i : computation->instructions()) {
        if (isMoveToHost(*i) || isMoveToDevice(*i)) TRY_STATUS(verifyMove(*i));
      }
    }
    return {};
  }

  Status followParameters() {
    const std::vector<Shape>& taken = paths_.entry().parameters;
    for (Instruction* parameter : module_.entry()->parameters()) {
      const auto number = static_cast<size_t>(parameter->parameterNumber());
      if (number >= taken.size()) continue;
      for (const SubshapeTable::Part& part : SubshapeTable(taken[number]).parts()) {
        if (isOnHost(part.shape)) TRY_STATUS(paths_.follow({{parameter, part.index}}, *parameter));
      }
    }
    return {};
  }

  Status moveToHost() {
    std::vector<InstructionId> moves;
    absl::flat_hash_set<const Computation*> seen;
    addMoves(*module_.entry(), seen, moves);
    for (const InstructionId id : moves) {
      Instruction* move = module_.instruction(id);
      if (move == nullptr) continue;  // on the path of another
      if (context_.cancelled() || !context_.mayChange(*move)) return {};
      TRY_STATUS(moveOne(*move));
    }
    return {};
  }

  Status moveOne(Instruction& move) {
    const InstructionId id = move.id();
    Instruction& data = *move.operand(0);
    if (isAllocateBuffer(data) && data.users().size() == 1) paths_.place({&data, {}});
    std::vector<ValuePosition> open;
    for (const Use& use : firstUses(move)) {
      const ValuePosition start = startOf(use, use.value == &move ? data : *use.value);
      if (use.user == nullptr) TRY_STATUS(paths_.verifyResult(start, move));
      if (start.instruction->opcode() == Opcode::DynamicUpdateSlice) {
        open.push_back(start);
      } else {
        for (ValuePosition& to : paths_.walk().next(start)) open.push_back(std::move(to));
      }
    }
    context_.remark(move, "placed", fmt::format("%{} is used on the host", data.name()));
    TRY_STATUS(paths_.follow(std::move(open), move));
    if (module_.instruction(id) != nullptr) bypass(move);
    changed_ = true;
    return {};
  }

  // Makes the copy that the use takes; a slice is written to the host without one.
  ValuePosition startOf(const Use& use, Instruction& value) {
    if (isWriteOfSlice(use)) {
      wanted_.insert(use.user);
      paths_.addUpdate(*use.user);
      use.user->setOperand(1, &value);
      return {use.user, {}};
    }
    Instruction* copy = paths_.copyToHost(value);
    ValueSource{{&value, {}}, use.user, use.operand}.replaceBy(copy);
    return {copy, {}};
  }

  void takeMovesToDevice() {
    for (Computation* computation : module_.computations()) {
      for (Instruction* i : computation->instructions()) {
        if (!isMoveToDevice(*i)) continue;
        bypass(*i);
        changed_ = true;
      }
    }
  }

  Module& module_;
  PassContext& context_;
  OffloadPaths paths_;
  absl::flat_hash_set<const Instruction*> wanted_;
  bool changed_ = false;
};

// Takes all arrays off the host: what lies there is decided here anew. Returns the shapes they had, by id.
std::vector<std::optional<Shape>> clearHostSpace(Module& module) {
  std::vector<std::optional<Shape>> before(module.idLimit());
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      before[i->id().value] = i->shape();
      i->setShape(withoutHostSpace(i->shape()));
    }
  }
  return before;
}

bool differs(const Module& module, const std::vector<std::optional<Shape>>& before) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->id().value >= before.size() || before[i->id().value] != i->shape()) return true;
    }
  }
  return false;
}

}  // namespace

Result<bool> offloadToHost(Module& module, PassContext& context, const HostOffloadSettings& settings) {
  EntryShapes entry = entryShapes(module);
  TRY(ValueWalk walk, ValueWalk::build(module));
  const auto before = clearHostSpace(module);
  HostOffloader offloader(module, context, {module, context, std::move(walk), std::move(entry), settings});
  TRY(const bool moved, offloader.run());
  if (!moved && !differs(module, before)) return false;
  TRY_STATUS(eliminateCommonSubexpressions(module, context));
  return true;
}

}  // namespace hilo
