#include "core/analysis/dataflow/alias_analysis.h"

#include <numeric>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_rules.h"
#include "core/base/check.h"

namespace hilo {
namespace {

class ValueGroups {
 public:
  explicit ValueGroups(const DataflowAnalysis& dataflow)
      : dataflow_(dataflow), above_(dataflow.values().size()) {
    std::iota(above_.begin(), above_.end(), 0u);
  }

  uint32_t find(uint32_t value) {
    while (above_[value] != value) value = above_[value] = above_[above_[value]];
    return value;
  }

  // The lowest id stands for a group, so that groups are numbered by their first value.
  void unite(std::span<const ValueId> a, std::span<const ValueId> b) {
    if (a.empty() || b.empty()) return;
    for (const ValueId value : a) uniteTwo(a[0], value);
    for (const ValueId value : b) uniteTwo(a[0], value);
  }

  // Every part of one with the same part of the other.
  void uniteAll(const Instruction& a, const Instruction& b) {
    const auto left = dataflow_.valueSetsOf(a), right = dataflow_.valueSetsOf(b);
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) unite(left[i], right[i]);
  }

 private:
  void uniteTwo(ValueId a, ValueId b) {
    const uint32_t first = find(a.value), second = find(b.value);
    above_[std::max(first, second)] = std::min(first, second);
  }

  const DataflowAnalysis& dataflow_;
  std::vector<uint32_t> above_;
};

// The entry's results that are parameters again.
void uniteInputsAndOutputs(const DataflowAnalysis& dataflow, ValueGroups& groups) {
  const Computation* entry = dataflow.module().entry();
  if (entry == nullptr) return;
  for (const AliasEntry& alias : dataflow.module().get<Attr::InputOutputAlias>()) {
    const ShapeIndex output = shapeIndexOf(alias.outputIndex), input = shapeIndexOf(alias.parameterIndex);
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(entry->parameters().size())) continue;
    const Instruction& parameter = *entry->parameters()[static_cast<size_t>(alias.parameter)];
    if (!subshapeAt(entry->root()->shape(), output) || !subshapeAt(parameter.shape(), input)) continue;
    groups.unite(dataflow.valuesAt(*entry->root(), output), dataflow.valuesAt(parameter, input));
  }
}

void uniteControlFlow(const Instruction& instruction, ValueGroups& groups) {
  if (instruction.opcode() == Opcode::While) {
    groups.uniteAll(instruction, *instruction.operand(0));
    groups.uniteAll(instruction, *instruction.get<Attr::Body>()->root());
    for (const Computation* called : instruction.calledComputations()) {
      if (!called->parameters().empty()) groups.uniteAll(instruction, *called->parameters()[0]);
    }
  } else if (instruction.opcode() == Opcode::Conditional) {
    for (const Computation* branch : instruction.calledComputations())
      groups.uniteAll(instruction, *branch->root());
  }
}

void uniteInPlace(const DataflowAnalysis& dataflow, const Instruction& instruction, Backend backend,
                  ValueGroups& groups) {
  for (const InPlacePair& pair : inPlacePairs(instruction, backend)) {
    if (pair.operandNumber >= instruction.operandCount()) continue;
    const Instruction& operand = *instruction.operand(pair.operandNumber);
    if (!subshapeAt(operand.shape(), pair.operandIndex) || !subshapeAt(instruction.shape(), pair.outputIndex))
      continue;
    groups.unite(dataflow.valuesAt(instruction, pair.outputIndex),
                 dataflow.valuesAt(operand, pair.operandIndex));
  }
}

// Values of a loop's or branch's computation have one place only when it has one caller.
Status checkFlat(const DataflowAnalysis& dataflow) {
  const auto joins = [](const Instruction* caller) {
    return caller->opcode() == Opcode::While || caller->opcode() == Opcode::Conditional;
  };
  for (const Computation* computation : dataflow.module().computations()) {
    const auto& callers = dataflow.callGraph().node(*computation).callers;
    if (callers.size() < 2 || std::ranges::none_of(callers, joins)) continue;
    return fail("call-graph-not-flat", fmt::format("'{}' is called from several places", computation->name()),
                {.computation = std::string(computation->name())},
                {"the pass flatten-call-graph gives each caller its own copy"});
  }
  return {};
}

}  // namespace

Result<AliasAnalysis> AliasAnalysis::run(const Module& module, Backend backend) {
  AliasAnalysis result;
  result.backend_ = backend;
  TRY(result.dataflow_, DataflowAnalysis::run(module, {.ssaForm = true}));
  const DataflowAnalysis& dataflow = result.dataflow_;
  TRY_STATUS(checkFlat(dataflow));
  ValueGroups groups(dataflow);
  uniteInputsAndOutputs(dataflow, groups);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      uniteControlFlow(*instruction, groups);
      uniteInPlace(dataflow, *instruction, backend, groups);
    }
  }
  result.bufferOf_.resize(dataflow.values().size());
  for (const HloValue& value : dataflow.values()) {
    const uint32_t first = groups.find(value.id.value);
    if (first == value.id.value) {
      result.bufferOf_[first] = {static_cast<uint32_t>(result.buffers_.size())};
      result.buffers_.push_back({.id = result.bufferOf_[first], .values = {}});
    }
    const BufferId id = result.bufferOf_[value.id.value] = result.bufferOf_[first];
    result.buffers_[id.value].values.push_back(value.id);
    result.buffers_[id.value].livesOut |= value.livesOut;
  }
  return result;
}

std::vector<BufferId> AliasAnalysis::buffersAt(const Instruction& instruction,
                                               const ShapeIndex& index) const {
  std::vector<BufferId> found;
  for (const ValueId value : dataflow_.valuesAt(instruction, index)) found.push_back(bufferOf(value).id);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

const HloBuffer& AliasAnalysis::uniqueBufferAt(const Instruction& instruction,
                                               const ShapeIndex& index) const {
  const auto found = buffersAt(instruction, index);
  CHECK(found.size() == 1, instruction.name());
  return buffers_[found[0].value];
}

}  // namespace hilo
