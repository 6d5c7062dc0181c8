#include "core/compiler/passes/memory/host_offload/host_layout_copies.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/memory/memory_space.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/memory/host_offload/layout_copy_move.h"
#include "core/compiler/passes/memory/host_offload/offload_paths.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

// The update that a value moved to the host is written by; null where it is none.
Instruction* updateBehind(Instruction& move) {
  Instruction* at = &move;
  while (at->users().size() == 1) {
    Instruction* user = at->users()[0];
    if (user->opcode() == Opcode::DynamicUpdateSlice && user->operand(1) == at) return user;
    if (user->opcode() != Opcode::Bitcast && user->opcode() != Opcode::Reshape &&
        user->opcode() != Opcode::Copy)
      return nullptr;
    at = user;
  }
  return nullptr;
}

// Where the arrays on the host begin: parameters, what is moved, and what moved values are written to.
class HostArrays {
 public:
  HostArrays(Module& module, const ValueWalk& walk) : walk_(walk) {
    addParameters(module);
    for (Computation* computation : unfusedComputations(module)) {
      for (Instruction* i : computation->instructions()) {
        if (!isMoveToHost(*i)) continue;
        Instruction* update = updateBehind(*i);
        if (update == nullptr) {
          add({i, {}});
        } else {
          addBuffer({update, {}});
        }
      }
    }
  }

  std::span<const ValuePosition> begins() const { return begins_; }

 private:
  void add(const ValuePosition& at) {
    if (seen_.insert(at).second) begins_.push_back(at);
  }

  void addParameters(Module& module) {
    const EntryShapes entry = entryShapes(module);
    for (Instruction* parameter : module.entry()->parameters()) {
      const auto number = static_cast<size_t>(parameter->parameterNumber());
      if (number >= entry.parameters.size()) continue;
      for (const SubshapeTable::Part& part : SubshapeTable(entry.parameters[number]).parts()) {
        if (isOnHost(part.shape)) add({parameter, part.index});
      }
    }
  }

  void addBuffer(const ValuePosition& update) {
    std::vector<ValuePosition> open = {update};
    absl::flat_hash_set<ValuePosition> seen = {update};
    for (size_t k = 0; k < open.size(); ++k) {
      const ValuePosition at = open[k];
      const std::vector<ValueSource> sources = walk_.previous(at);
      if (sources.empty() || isMoveToHost(*at.instruction)) {
        add(at);
        continue;
      }
      for (const ValueSource& source : sources) {
        if (seen.insert(source.from).second) open.push_back(source.from);
      }
    }
  }

  const ValueWalk& walk_;
  std::vector<ValuePosition> begins_;
  absl::flat_hash_set<ValuePosition> seen_;
};

// A loop that brings an array back and passes that on still has it on the host when it begins: it
// passes on what it was given.
bool passOnHostArray(Instruction& moveToDevice) {
  Computation& body = moveToDevice.parent();
  const Instruction& given = *moveToDevice.operand(0);
  if (given.opcode() != Opcode::GetTupleElement || given.operand(0)->opcode() != Opcode::Parameter)
    return false;
  Instruction* root = body.root();
  const auto k = static_cast<size_t>(given.tupleIndex());
  const bool isState = !body.isEntry() && root->opcode() == Opcode::Tuple && root->operandCount() > k &&
                       root->shape() == given.operand(0)->shape();
  if (!isState || root->operand(k) != &moveToDevice) return false;
  root->setOperand(k, moveToDevice.operand(0));
  return true;
}

// Copies that change the layout of an array on the host, those nearer to where it begins first.
std::vector<InstructionId> copiesFrom(const ValuePosition& begin, const ValueWalk& walk, bool& changed) {
  std::vector<InstructionId> copies;
  std::vector<ValuePosition> open = {begin};
  absl::flat_hash_set<ValuePosition> seen = {begin};
  for (size_t k = 0; k < open.size(); ++k) {
    const ValuePosition at = open[k];
    for (const ValuePosition& to : walk.next(at)) {
      Instruction& i = *to.instruction;
      changed |= isMoveToDevice(i) && passOnHostArray(i);
      const bool goesOn =
          i.opcode() == Opcode::Copy || layoutStepAt(*at.instruction, i) == LayoutStep::Through;
      if (!goesOn || !seen.insert(to).second) continue;
      if (i.opcode() == Opcode::Copy) copies.push_back(i.id());
      open.push_back(to);
    }
  }
  return copies;
}

bool canMoveUp(const Instruction& copy) {
  return isMoveToHost(*copy.operand(0)) && copy.operand(0)->users().size() == 1;
}

// In front of the MoveToHost that it stands behind.
void moveUp(Instruction& copy) {
  Instruction& move = *copy.operand(0);
  Computation& computation = copy.parent();
  const Shape lying = withMemorySpace(copy.shape(), kDeviceSpace);
  Instruction* made = computation.create(Opcode::Copy, lying, {move.operand(0)}, {}, &move);
  move.setOperand(0, made);
  move.setShape(lying);
  computation.replaceAllUses(&copy, &move);
  computation.remove(&copy);
}

bool moveOne(Instruction& copy, const ValueWalk& walk, PassContext& context) {
  LayoutCopyMove move(walk, copy);
  const std::string why = move.plan();
  if (why.empty()) {
    context.remark(copy, "moved", "the device changes the layout when the array is back");
    move.make();
    return true;
  }
  if (canMoveUp(copy)) {
    context.remark(copy, "moved",
                   fmt::format("the device changes the layout before the array goes: {}", why));
    moveUp(copy);
    return true;
  }
  context.remark(copy, "missed", fmt::format("the copy stays on the host: {}", why));
  return false;
}

}  // namespace

Result<bool> moveLayoutCopiesOffHost(Module& module, PassContext& context) {
  TRY(const ValueWalk walk, ValueWalk::build(module));
  const HostArrays arrays(module, walk);
  std::vector<InstructionId> copies;
  bool changed = false;
  for (const ValuePosition& begin : arrays.begins()) {
    for (const InstructionId id : copiesFrom(begin, walk, changed)) {
      if (std::ranges::find(copies, id) == copies.end()) copies.push_back(id);
    }
  }
  // Those farther down first, so that none moves across another.
  for (size_t k = copies.size(); k > 0; --k) {
    Instruction* copy = module.instruction(copies[k - 1]);
    if (copy == nullptr) continue;
    if (context.cancelled() || !context.mayChange(*copy)) return changed;
    changed |= moveOne(*copy, walk, context);
  }
  return changed;
}

}  // namespace hilo
