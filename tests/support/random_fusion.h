// Random modules as fusions, for tests of what is compiled or looked at as one. In a header: the library of
// what tests share knows no parser.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/random_module.h"

namespace hilo {

// A module whose entry calls that of `module` as a fusion. Fails the running test, and gives null, where it
// does not parse.
inline std::shared_ptr<Module> entryAsFusion(const Module& module) {
  const Computation& body = *module.entry();
  std::string text = printModule(module), outside, operands;
  for (const Instruction* parameter : body.parameters()) {
    const std::string number = std::to_string(parameter->parameterNumber());
    outside += "own" + number + " = " + toString(parameter->shape()) + " parameter(" + number + ")\n";
    operands += (operands.empty() ? "own" : ", own") + number;
  }
  text.erase(text.find("ENTRY "), 6);
  text += "\nENTRY whole { " + outside + "ROOT tiled = " + toString(body.root()->shape()) + " fusion(" +
          operands + "), kind=kLoop, calls=" + std::string(body.name()) + " }\n";
  auto parsed = parseModuleStrictly(text);
  if (!parsed) ADD_FAILURE() << toString(parsed.error()) << text;
  return parsed ? std::shared_ptr<Module>(*std::move(parsed)) : nullptr;
}

// The entry of a random module, called as a fusion of one result.
inline std::shared_ptr<Module> randomFusion(uint64_t seed, int instructions = 14) {
  const auto module = makeRandomModule({.seed = seed, .instructions = instructions});
  Computation& entry = *module->entry();
  Instruction* first = entry.root();
  while (first->opcode() == Opcode::Tuple && first->operandCount() > 0) first = first->operand(0);
  entry.setRoot(first);
  return entryAsFusion(*module);
}

// The same with every value that nothing else uses as a result, as it has to be where the fusion is compiled;
// null too where one of them is a tuple.
inline std::shared_ptr<Module> randomWholeFusion(uint64_t seed, int instructions = 14) {
  const auto module = makeRandomModule({.seed = seed, .instructions = instructions});
  Computation& entry = *module->entry();
  Instruction* before = entry.root();
  std::vector<Instruction*> results;
  std::vector<Shape> shapes;
  for (Instruction* value : entry.instructions()) {
    const bool isUsed =
        std::ranges::any_of(value->users(), [&](const Instruction* user) { return user != before; });
    if (isUsed || value == before) continue;
    if (!value->shape().isArray()) return nullptr;
    results.push_back(value);
    shapes.push_back(value->shape());
  }
  if (before->opcode() != Opcode::Tuple || results.empty()) return nullptr;
  entry.setRoot(entry.create(Opcode::Tuple, Shape::tuple(shapes), results));
  entry.remove(before);
  return entryAsFusion(*module);
}

}  // namespace hilo
