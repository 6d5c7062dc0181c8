// Modules from text, and values as words: what the tests of this folder compare.
#pragma once

#include <gtest/gtest.h>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/hlo/text/parse.h"

namespace hilo {

inline std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly(std::move(text));
  EXPECT_TRUE(module) << toString(module.error());
  return module ? std::move(*module) : std::make_unique<Module>("broken");
}

// "while{0,1}" or "add" as a position of the module.
inline HloPosition positionOf(const Module& module, std::string_view text) {
  HloPosition position;
  const size_t brace = std::min(text.find('{'), text.size());
  position.instruction = module.findInstruction(text.substr(0, brace));
  EXPECT_NE(position.instruction, nullptr) << text;
  for (size_t i = brace; i < text.size(); ++i) {
    if (std::isdigit(text[i])) position.index.push_back(text[i] - '0');
  }
  return position;
}

class DataflowText {
 public:
  explicit DataflowText(std::string text, DataflowOptions options = {})
      : module(parsed(std::move(text))), dataflow(DataflowAnalysis::run(*module, options)) {
    EXPECT_TRUE(dataflow) << toString(dataflow.error());
  }

  // Where the values at a position are defined: "add negate", phis as "phi:while{1}"; by name.
  std::string at(std::string_view position) const {
    const HloPosition where = positionOf(*module, position);
    std::vector<std::string> names;
    for (const ValueId id : dataflow->valuesAt(*where.instruction, where.index)) {
      const HloValue& value = dataflow->value(id);
      names.push_back((value.isPhi ? "phi:" : "") + toString(value.definition()));
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, " "));
  }
  // The value defined at a position.
  const HloValue& value(std::string_view position) const {
    const HloPosition where = positionOf(*module, position);
    EXPECT_TRUE(dataflow->isDefinedAt(*where.instruction, where.index)) << position;
    return dataflow->uniqueValueAt(*where.instruction, where.index);
  }
  // "add.0 tuple.1": users with operand numbers.
  std::string uses(std::string_view position) const {
    std::vector<std::string> names;
    for (const HloUse& use : value(position).uses) {
      names.push_back(fmt::format("{}.{}", use.instruction->name(), use.operandNumber));
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, " "));
  }

  std::unique_ptr<Module> module;
  Result<DataflowAnalysis> dataflow;
};

}  // namespace hilo
