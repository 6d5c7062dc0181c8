#include "core/analysis/partial_sort.h"

namespace hilo {
namespace {

// Where the slice ends in the sort's dimension, of which it takes the first elements, and all of the others;
// 0 when it is no such slice.
int64_t firstElements(const Instruction& slice, size_t along) {
  if (slice.opcode() != Opcode::Slice || slice.has(Attr::ControlPredecessors)) return 0;
  const auto ranges = slice.get<Attr::Slice>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t size = slice.operand(0)->shape().dimension(d);
    if (ranges[d].start != 0 || ranges[d].stride != 1 || (d != along && ranges[d].limit != size)) return 0;
  }
  return ranges[along].limit;
}

// False when something else than slices of this array is used.
bool addSlices(const Instruction& array, size_t operand, size_t along, PartialSort& part) {
  if (array.isRoot()) return false;
  for (Instruction* user : array.users()) {
    const int64_t kept = firstElements(*user, along);
    if (kept == 0 || (part.kept != 0 && part.kept != kept)) return false;
    part.kept = kept;
    part.slices.push_back({user, operand});
  }
  return true;
}

}  // namespace

std::optional<PartialSort> partialSort(Instruction& sort) {
  if (sort.opcode() != Opcode::Sort || sort.isRoot() || sort.shape().isDynamic() ||
      sort.has(Attr::ControlPredecessors))
    return std::nullopt;
  PartialSort part{&sort};
  const auto along = static_cast<size_t>(sort.dimensions()[0]);
  if (sort.shape().isTuple()) {
    for (const Instruction* user : sort.users()) {
      if (user->opcode() != Opcode::GetTupleElement || user->has(Attr::ControlPredecessors) ||
          !addSlices(*user, static_cast<size_t>(user->tupleIndex()), along, part))
        return std::nullopt;
    }
  } else if (!addSlices(sort, 0, along, part)) {
    return std::nullopt;
  }
  const int64_t length = sort.operand(0)->shape().dimension(along);
  if (part.slices.empty() || part.kept > length / 2) return std::nullopt;
  return part;
}

std::optional<PartialSort> partialSortOf(const Computation& computation) {
  for (Instruction* instruction : computation.instructions()) {
    auto part = partialSort(*instruction);
    if (!part) continue;
    const Instruction& root = *computation.root();
    const auto isParameter = [](const Instruction* i) { return i->opcode() == Opcode::Parameter; };
    if (!std::ranges::all_of(part->sort->operands(), isParameter)) return std::nullopt;
    if (root.opcode() != Opcode::Tuple)
      return part->slices.size() == 1 && part->slices[0].slice == &root ? part : std::nullopt;
    std::vector<PartialSort::Slice> inOrder;
    for (const Instruction* element : root.operands()) {
      const auto found = std::ranges::find(part->slices, element, &PartialSort::Slice::slice);
      if (found == part->slices.end()) return std::nullopt;
      inOrder.push_back(*found);
    }
    part->slices = std::move(inOrder);
    return part;
  }
  return std::nullopt;
}

}  // namespace hilo
