#include "core/compiler/passes/memory/host_offload/host_buffers.h"

#include <algorithm>
#include <deque>

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/memory/memory_space.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

bool isZeros(const Instruction& i) {
  if (i.opcode() != Opcode::Broadcast || i.operand(0)->opcode() != Opcode::Constant) return false;
  const Literal& value = i.operand(0)->literal();
  return !value.isElided() &&
         std::ranges::all_of(value.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

// An array whose contents nobody will miss: none at all, or zeros, which XLA takes to be written over.
bool isUnwritten(const Instruction& i) {
  return isZeros(i) || isAllocateBuffer(i) || (i.opcode() == Opcode::Copy && isUnwritten(*i.operand(0)));
}

Instruction* allocatedOnHost(Instruction& instead) {
  const Shape shape = withMemorySpace(instead.shape(), kHostSpace);
  Instruction* made = instead.parent().create(Opcode::CustomCall, shape, {}, {}, &instead);
  made->set<Attr::CustomCallTarget>("AllocateBuffer");
  return made;
}

void removeUnused(Instruction* i) {
  while (i->users().empty() && !i->isRoot() && i->operandCount() <= 1) {
    Instruction* operand = i->operandCount() == 0 ? nullptr : i->operand(0);
    i->parent().remove(i);
    if (operand == nullptr || operand->opcode() == Opcode::Parameter) return;
    i = operand;
  }
}

// Walks an array back from an update to where it is made.
class BufferPlacement {
 public:
  BufferPlacement(OffloadPaths& paths, Instruction& update) : paths_(paths), update_(update) {}

  Status run() {
    open_.push_back({&update_, {}});
    for (; !open_.empty(); open_.pop_front()) {
      const ValuePosition at = open_.front();
      if (!seen_.insert(at).second) continue;
      TRY_STATUS(verifyParameter(at));
      paths_.place(at);
      for (const ValueSource& source : paths_.walk().previous(at)) goOn(source);
    }
    std::vector<ValuePosition> readers;
    for (const ValuePosition& at : seen_) {
      for (ValuePosition& reader : paths_.walk().next(at)) readers.push_back(std::move(reader));
    }
    return paths_.followBuffer(std::move(readers), update_);
  }

 private:
  void goOn(const ValueSource& source) {
    Instruction& from = *source.from.instruction;
    if (isUnwritten(from)) return takeMemory(source);
    const bool isParameter = from.opcode() == Opcode::Parameter;
    const bool arrives =
        from.opcode() == Opcode::Copy && isAllOnHost(from.shape()) && !isAllOnHost(from.operand(0)->shape());
    if (arrives) return;
    if (isParameter || !paths_.walk().previous(source.from).empty()) return open_.push_back(source.from);
    if (!isAllOnHost(source.from.shape())) source.replaceBy(paths_.copyToHost(from));
  }

  // Memory of the host for this use alone: another use of it may be the device's.
  void takeMemory(const ValueSource& source) {
    Instruction& from = *source.from.instruction;
    if (isAllocateBuffer(from) && (isAllOnHost(from.shape()) || isUsedOnce(from)))
      return paths_.place({&from, {}});
    source.replaceBy(allocatedOnHost(from));
    removeUnused(&from);
  }

  static bool isUsedOnce(const Instruction& i) {
    if (i.isRoot() || i.users().size() != 1) return false;
    return std::ranges::count(i.users()[0]->operands(), &i) == 1;
  }

  Status verifyParameter(const ValuePosition& at) const {
    if (at.instruction->opcode() != Opcode::Parameter || !at.instruction->parent().isEntry()) return {};
    const Shape taken = paths_.entry().parameters[static_cast<size_t>(at.instruction->parameterNumber())];
    const std::optional<Shape> part = subshapeAt(taken, at.index);
    if (part && isAllOnHost(*part)) return {};
    return fail(
        "host-buffer-on-device",
        fmt::format("%{} writes to an array on the host, and that array comes from the parameter {}, which "
                    "the program's layout has on the device",
                    update_.name(), at.text()),
        instructionPlace(update_),
        {"put S(5) in its layout in entry_computation_layout, or write to a new array"});
  }

  OffloadPaths& paths_;
  Instruction& update_;
  std::deque<ValuePosition> open_;
  absl::flat_hash_set<ValuePosition> seen_;
};

Status placeUpdate(Instruction& update, bool isWanted, OffloadPaths& paths) {
  if (isAllOnHost(update.shape())) return {};
  if (isOnHost(update.operand(1)->shape())) {
    TRY_STATUS(paths.computeOnHost(update));
    paths.place({&update, {}});
    return {};
  }
  if (!isOnHost(update.operand(0)->shape()) && !isWanted) return {};
  return BufferPlacement(paths, update).run();
}

bool sharesMemoryWithParameter(const Instruction& value, const AliasAnalysis& aliases) {
  for (const BufferId buffer : aliases.buffersAt(value)) {
    for (const ValueId id : aliases.buffers()[buffer.value].values) {
      for (const HloPosition& position : aliases.dataflow().value(id).positions) {
        if (position.instruction->opcode() == Opcode::Parameter &&
            &position.instruction->parent() == &value.parent())
          return true;
      }
    }
  }
  return false;
}

}  // namespace

Result<bool> placeUpdates(OffloadPaths& paths, const absl::flat_hash_set<const Instruction*>& wanted) {
  bool changed = false;
  for (size_t k = 0; k < paths.updates().size(); ++k) {
    Instruction& update = *paths.updates()[k];
    TRY_STATUS(placeUpdate(update, wanted.contains(&update), paths));
    changed |= isAllOnHost(update.shape());
  }
  return changed;
}

Result<bool> copySharedUpdates(Module& module) {
  std::vector<Instruction*> updates;
  for (Computation* computation : unfusedComputations(module)) {
    if (computation->isEntry()) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::DynamicUpdateSlice && isOnHost(i->shape())) updates.push_back(i);
    }
  }
  if (updates.empty()) return false;
  TRY(const AliasAnalysis aliases, AliasAnalysis::run(module));
  std::erase_if(updates,
                [&](const Instruction* i) { return !sharesMemoryWithParameter(*i->operand(1), aliases); });
  for (Instruction* i : updates) {
    Instruction* written = i->operand(1);
    i->setOperand(1, i->parent().create(Opcode::Copy, written->shape(), {written}, {}, i));
  }
  return !updates.empty();
}

}  // namespace hilo
