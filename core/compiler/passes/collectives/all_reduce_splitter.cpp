#include "core/compiler/passes/collectives/all_reduce_splitter.h"

#include <set>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/own_parts.h"

namespace hilo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// Neighbours, as many as there are parts; and those that then hold the same part.
struct Split {
  Groups neighbours, samePart;
};

Split splitInto(int64_t parts, int64_t devices) {
  Split split;
  split.samePart.resize(static_cast<size_t>(parts));
  for (int64_t device = 0; device < devices; ++device) {
    if (device % parts == 0) split.neighbours.emplace_back();
    split.neighbours.back().push_back(device);
    split.samePart[static_cast<size_t>(device % parts)].push_back(device);
  }
  return split;
}

bool joinsAllPartitions(const Instruction& i) {
  const Groups groups = writtenGroups(i);
  return i.opcode() == Opcode::AllReduce && i.operandCount() == 1 && i.shape().isArray() &&
         i.get<Attr::UseGlobalDeviceIds>().value_or(false) && groups.size() == 1 &&
         static_cast<int64_t>(groups[0].size()) == i.module().partitionCount() && i.users().size() == 1 &&
         !i.isRoot() && !i.has(Attr::ControlPredecessors);
}

// How many parts the devices' slices are; nullopt where each is kept by one device, or devices keep others
// than that of their place among neighbours.
std::optional<int64_t> partsKept(const Instruction& slice) {
  const int64_t devices = slice.module().partitionCount();
  const auto cut = cutDimension(slice);
  if (!cut || slice.users().size() > 1 || slice.shape().dimension(*cut) == 0) return std::nullopt;
  const int64_t part = slice.shape().dimension(*cut), whole = slice.operand(0)->shape().dimension(*cut);
  const int64_t parts = whole / part;
  if (whole % part != 0 || parts == devices || devices % parts != 0) return std::nullopt;
  const auto offsets = offsetsOnDevices(slice, *cut);
  if (!offsets) return std::nullopt;
  for (int64_t device = 0; device < devices; ++device) {
    if ((*offsets)[static_cast<size_t>(device)] != device % parts * part) return std::nullopt;
  }
  return parts;
}

std::set<Groups> groupsInUse(const Computation& computation) {
  std::set<Groups> found;
  for (const Instruction* i : computation.instructions()) {
    if (i->opcode() == Opcode::AllReduce) found.insert(writtenGroups(*i));
  }
  return found;
}

// The slice's value, reduced among neighbours before it and among those of the same part behind it.
Instruction* reducedTwice(Instruction& slice, const Split& split) {
  Instruction& reduction = *slice.operand(0);
  Computation& computation = slice.parent();
  Instruction* first = computation.createLike(reduction, reduction.operands(), &slice);
  setGroups(*first, split.neighbours);
  giveOwnChannel(*first);
  std::vector<Instruction*> operands(slice.operands().begin(), slice.operands().end());
  operands[0] = first;
  Instruction* part = computation.createLike(slice, operands, &slice);
  Instruction* second = computation.createLike(reduction, {{part}}, &slice);
  second->setShape(slice.shape());
  second->erase(Attr::FrontendAttributes);
  setGroups(*second, split.samePart);
  giveOwnChannel(*second);
  return second;
}

}  // namespace

Result<bool> splitAllReduces(Module& module, PassContext& context) {
  bool changed = false;
  if (module.replicaCount() != 1 || module.partitionCount() < 2) return changed;
  for (Computation* computation : unfusedComputations(module)) {
    const std::set<Groups> inUse = groupsInUse(*computation);
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::DynamicSlice || !joinsAllPartitions(*i->operand(0)) ||
          i->has(Attr::ControlPredecessors))
        continue;
      const auto parts = partsKept(*i);
      if (!parts) continue;
      const Split split = splitInto(*parts, module.partitionCount());
      if (!inUse.contains(split.neighbours) && !inUse.contains(split.samePart)) {
        context.remark(*i->operand(0), "missed", "no other all-reduce has the groups it would be split into");
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      Instruction* instead = reducedTwice(*i, split);
      context.remark(*i->operand(0), "split", fmt::format("now %{}", instead->name()));
      Instruction* reduction = i->operand(0);
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      computation->remove(reduction);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
