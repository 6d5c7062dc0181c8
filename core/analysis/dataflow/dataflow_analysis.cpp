#include "core/analysis/dataflow/dataflow_analysis.h"

#include "core/analysis/dataflow/dataflow_builder.h"
#include "core/base/check.h"

namespace hilo {

std::string toString(const HloPosition& position) {
  if (!position.instruction->shape().isTuple()) return std::string(position.instruction->name());
  return fmt::format("{}{}", position.instruction->name(), toString(position.index));
}

std::string toString(const HloValue& value) {
  return fmt::format("<{} {}{}>", value.id.value, toString(value.definition()), value.isPhi ? " (phi)" : "");
}

Result<DataflowAnalysis> DataflowAnalysis::run(const Module& module, const DataflowOptions& options) {
  return DataflowBuilder(module, options).build();
}

const SubshapeTable& DataflowAnalysis::subshapes(const Instruction& instruction) const {
  return *tables_[instruction.id().value];
}

std::span<const ValueSet> DataflowAnalysis::valueSetsOf(const Instruction& instruction) const {
  return {sets_.data() + firstSet_[instruction.id().value], subshapes(instruction).size()};
}

std::span<const ValueId> DataflowAnalysis::valuesAt(const Instruction& instruction,
                                                    const ShapeIndex& index) const {
  const uint32_t ordinal = subshapes(instruction).find(index);
  CHECK(ordinal != SubshapeTable::kNone, toString(index));
  return valueSetsOf(instruction)[ordinal];
}

std::vector<ValueId> DataflowAnalysis::flattenedValues(const Instruction& instruction) const {
  std::vector<ValueId> all;
  for (const ValueSet& set : valueSetsOf(instruction)) all.insert(all.end(), set.begin(), set.end());
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool DataflowAnalysis::isDefinedAt(const Instruction& instruction, const ShapeIndex& index) const {
  const auto values = valuesAt(instruction, index);
  return values.size() == 1 && value(values[0]).definition() == HloPosition{&instruction, index};
}

const HloValue& DataflowAnalysis::uniqueValueAt(const Instruction& instruction,
                                                const ShapeIndex& index) const {
  const auto values = valuesAt(instruction, index);
  CHECK(values.size() == 1, instruction.name());
  return value(values[0]);
}

}  // namespace hilo
