#include "core/analysis/diff/tuple_elements.h"

#include <absl/container/flat_hash_map.h>

#include "core/analysis/diff/sequence_alignment.h"
#include "core/analysis/diff/subgraph_fingerprints.h"

namespace hilo {

TupleDefinitions::TupleDefinitions(const Module& module) : onlyCaller_(computationIdLimit(module), nullptr) {
  std::vector<bool> called(onlyCaller_.size(), false);
  for (const Computation* c : module.computations()) {
    for (const Instruction* i : c->instructions()) {
      for (const Computation* callee : i->calledComputations()) {
        const uint32_t id = callee->id().value;
        onlyCaller_[id] = called[id] ? nullptr : i;
        called[id] = true;
      }
    }
  }
}

const Instruction* TupleDefinitions::next(const Instruction& value) const {
  switch (value.opcode()) {
    case Opcode::While:
    case Opcode::OptBarrier:
    case Opcode::Copy:
      return value.operandCount() == 1 ? value.operand(0) : nullptr;
    case Opcode::Call:
    case Opcode::Fusion: {
      const auto called = value.calledComputations();
      return called.size() == 1 ? called[0]->root() : nullptr;
    }
    case Opcode::Parameter: {
      const Instruction* caller = onlyCaller_[value.parent().id().value];
      return caller != nullptr && caller->opcode() == Opcode::While ? caller : nullptr;
    }
    default:
      return nullptr;
  }
}

const Instruction* TupleDefinitions::of(const Instruction& value) const {
  constexpr int kMaxSteps = 64;  // broken modules may go in circles
  const Instruction* at = &value;
  for (int step = 0; step < kMaxSteps && at != nullptr; ++step) {
    if (at->opcode() == Opcode::Tuple) return at;
    at = next(*at);
  }
  return nullptr;
}

TupleElements::TupleElements(const Module& before, const Module& after, const ModuleMatching& matching)
    : matching_(matching), definitionsBefore_(before), definitionsAfter_(after) {}

int64_t TupleElements::elementBefore(const Instruction& b, const Instruction& a, int64_t index) {
  auto found = ofAfter_.find(a.id().value);
  if (found == ofAfter_.end()) found = ofAfter_.emplace(a.id().value, align(b, a)).first;
  const std::vector<int64_t>& elements = found->second;
  return index >= 0 && static_cast<size_t>(index) < elements.size() ? elements[static_cast<size_t>(index)]
                                                                    : -1;
}

std::vector<int64_t> TupleElements::align(const Instruction& b, const Instruction& a) const {
  if (!b.shape().isTuple() || !a.shape().isTuple()) return {};
  const auto left = b.shape().tupleShapes(), right = a.shape().tupleShapes();
  std::vector<int64_t> elements(right.size(), -1);
  std::vector<bool> taken(left.size(), false);
  const Instruction *madeBefore = definitionsBefore_.of(b), *madeAfter = definitionsAfter_.of(a);
  const bool known = madeBefore != nullptr && madeAfter != nullptr &&
                     madeBefore->operandCount() == left.size() && madeAfter->operandCount() == right.size();
  if (known) {
    absl::flat_hash_map<const Instruction*, int64_t> where;  // -1: in several places
    for (size_t n = 0; n < left.size(); ++n) {
      const auto [entry, isNew] = where.try_emplace(madeBefore->operand(n), static_cast<int64_t>(n));
      if (!isNew) entry->second = -1;
    }
    absl::flat_hash_map<const Instruction*, int> uses;
    for (const Instruction* operand : madeAfter->operands()) ++uses[operand];
    for (size_t n = 0; n < right.size(); ++n) {
      const Instruction* operand = madeAfter->operand(n);
      const Instruction* partner = madeBefore->module().instruction(matching_.before(*operand));
      const auto found = where.find(partner);
      if (partner == nullptr || uses[operand] != 1 || found == where.end() || found->second < 0) continue;
      elements[n] = found->second;
      taken[static_cast<size_t>(found->second)] = true;
    }
  }
  std::vector<size_t> openLeft, openRight;
  for (size_t n = 0; n < left.size(); ++n) {
    if (!taken[n]) openLeft.push_back(n);
  }
  for (size_t n = 0; n < right.size(); ++n) {
    if (elements[n] < 0) openRight.push_back(n);
  }
  // As many on both sides: what stands in the same place is preferred over what has the same shape.
  const auto score = [&](uint32_t l, uint32_t r) -> uint32_t {
    if (left[openLeft[l]].withoutLayout() == right[openRight[r]].withoutLayout()) return 2;
    return left.size() == right.size() && openLeft[l] == openRight[r] ? 1 : 0;
  };
  for (const auto& [l, r] : alignSequences(static_cast<uint32_t>(openLeft.size()),
                                           static_cast<uint32_t>(openRight.size()), 2, score))
    elements[openRight[r]] = static_cast<int64_t>(openLeft[l]);
  return elements;
}

}  // namespace hilo
