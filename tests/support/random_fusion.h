// Random modules as fusions, for tests of what is compiled or looked at as one. In a header: the library of
// what tests share knows no parser.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/random_module.h"

namespace hilo {

// The entry of a random module, called as a fusion of one result. Fails the running test, and gives null,
// where it does not parse.
inline std::shared_ptr<Module> randomFusion(uint64_t seed, int instructions = 14) {
  const auto module = makeRandomModule({.seed = seed, .instructions = instructions});
  Computation& entry = *module->entry();
  Instruction* first = entry.root();
  while (first->opcode() == Opcode::Tuple && first->operandCount() > 0) first = first->operand(0);
  entry.setRoot(first);
  std::string text = printModule(*module), outside, operands;
  const size_t at = text.find("ENTRY ");
  text.erase(at, 6);
  for (const Instruction* parameter : entry.parameters()) {
    const std::string name = "own" + std::to_string(parameter->parameterNumber());
    outside += name + " = " + toString(parameter->shape()) + " parameter(" +
               std::to_string(parameter->parameterNumber()) + ")\n";
    operands += (operands.empty() ? "" : ", ") + name;
  }
  text += "\nENTRY whole { " + outside + "ROOT tiled = " + toString(first->shape()) + " fusion(" + operands +
          "), kind=kLoop, calls=" + std::string(entry.name()) + " }\n";
  auto parsed = parseModuleStrictly(text);
  if (!parsed) ADD_FAILURE() << toString(parsed.error()) << text;
  return parsed ? std::shared_ptr<Module>(*std::move(parsed)) : nullptr;
}

}  // namespace hilo
