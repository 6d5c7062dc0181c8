#include "core/compiler/passes/simplify/slice_sinker.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

bool sameRanges(const Instruction& a, const Instruction& b) {
  return std::ranges::equal(a.get<Attr::Slice>(), b.get<Attr::Slice>(),
                            [](const SliceRange& x, const SliceRange& y) {
                              return x.start == y.start && x.limit == y.limit && x.stride == y.stride;
                            });
}

// Elementwise work on slices by the same ranges of arrays of the same sizes.
bool worksOnSlices(const Instruction& i) {
  if (!isElementwise(i.opcode()) || i.operandCount() == 0 || i.users().empty() || !i.shape().isArray() ||
      i.has(Attr::ControlPredecessors))
    return false;
  const Instruction& first = *i.operand(0);
  return std::ranges::all_of(i.operands(), [&](const Instruction* o) {
    return o->opcode() == Opcode::Slice && isPlainArray(o->operand(0)->shape()) &&
           std::ranges::equal(o->operand(0)->shape().dimensions(), first.operand(0)->shape().dimensions()) &&
           sameRanges(*o, first);
  });
}

bool isSimilar(const Instruction& candidate, const Instruction& i) {
  if (candidate.opcode() != i.opcode() || !worksOnSlices(candidate) ||
      candidate.shape().elementType() != i.shape().elementType() || !sameMeaning(candidate, i))
    return false;
  for (size_t k = 0; k < i.operandCount(); ++k) {
    if (candidate.operand(k)->operand(0) != i.operand(k)->operand(0)) return false;
  }
  return true;
}

// All that does the same work on slices of the same arrays, once each, where it is worth it.
std::vector<Instruction*> groupOf(const Instruction& i) {
  std::vector<Instruction*> group;
  int64_t elements = 0;
  const Instruction& source = *i.operand(0)->operand(0);
  for (const Instruction* slice : source.users()) {
    if (slice->opcode() != Opcode::Slice) continue;
    for (Instruction* user : slice->users()) {
      if (!isSimilar(*user, i) || std::ranges::find(group, user) != group.end()) continue;
      group.push_back(user);
      elements = saturatingAdd(elements, user->shape().elementCount());
    }
  }
  return elements >= source.shape().elementCount() ? group : std::vector<Instruction*>{};
}

// Where each instruction stood; what is done on the whole stands where the first of its slices was worked on.
using Positions = absl::flat_hash_map<const Instruction*, size_t>;

void sink(std::span<Instruction* const> group, Positions& positions) {
  Instruction* first =
      *std::ranges::min_element(group, {}, [&](const Instruction* i) { return positions.at(i); });
  Computation& computation = first->parent();
  std::vector<Instruction*> sources;
  for (const Instruction* slice : first->operands()) sources.push_back(slice->operand(0));
  Instruction* whole = computation.createLike(*first, sources, first);
  whole->setShape(sources[0]->shape().withElementType(first->shape().elementType()));
  positions[whole] = positions.at(first);
  for (Instruction* work : group) {
    Instruction* slice = computation.createLike(*work->operand(0), {{whole}}, work);
    slice->setShape(work->shape());
    computation.replaceAllUses(work, slice);
    computation.remove(work);
  }
}

}  // namespace

Result<bool> sinkSlices(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> candidates;
    Positions positions;
    for (Instruction* i : computation->instructions()) {
      positions.emplace(i, positions.size());
      if (isElementwise(i->opcode())) candidates.push_back(i);
    }
    absl::flat_hash_set<const Instruction*> done;
    for (Instruction* i : candidates) {
      if (context.cancelled()) return changed;
      if (done.contains(i) || !worksOnSlices(*i)) continue;
      const std::vector<Instruction*> group = groupOf(*i);
      if (group.empty()) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "sunk", fmt::format("{} slices of it, done once on the whole", group.size()));
      done.insert(group.begin(), group.end());
      sink(group, positions);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
