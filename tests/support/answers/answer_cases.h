// The cases of tests/data/eval: modules with arguments and the answers computed independently (by the
// scripts beside the data). Every engine is held to the same ones.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Runs a module on arguments, by whichever engine is tested.
using RunModule = std::function<Result<Literal>(std::shared_ptr<const Module>, std::span<const Literal>)>;

// One elementwise opcode on element types: elementwise.txt.
struct ElementwiseCase {
  std::string line, opcode, attributes, result;
  std::vector<std::string> types, operands;
  double tolerance = 0;
  std::string expected;
};
const std::vector<ElementwiseCase>& elementwiseCases();
// What differs from the answer; "" when nothing does.
std::string outcome(const ElementwiseCase& c, const RunModule& run);

// An array: its shape and the bits of its elements.
struct CaseValues {
  std::string shape, bits;
};
// Any other opcode: structural.txt.
struct StructuralCase {
  std::string name, text;
  size_t line = 0;
  double tolerance = 0;
  bool absolute = false;  // of values, not of units in the last place
  std::vector<CaseValues> inputs, outputs;
};
const std::vector<StructuralCase>& structuralCases();
Result<std::unique_ptr<Module>> moduleOf(const StructuralCase& c);
std::string outcome(const StructuralCase& c, const RunModule& run);

}  // namespace hilo
