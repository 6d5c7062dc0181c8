// Modules whose elements are small integers, by the evaluator and by the cpu engine with its passes: every
// sum is exact, so the answers must be the same bits.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {

inline Literal smallIntegers(Shape shape, int64_t start) {
  Literal literal(shape);
  int64_t next = start;
  for (float& x : literal.mutableData<float>()) x = static_cast<float>((next += 5) % 7 - 3);
  return literal;
}

// Compiled for `cpu`, "" for this machine. Whether a thunk of `kind` did it.
inline bool expectTheSameBits(const std::string& text, ThunkKind kind, const std::string& cpu = "") {
  auto parsed = parseModuleStrictly(text);
  EXPECT_TRUE(parsed.has_value()) << text << toString(parsed.error());
  if (!parsed) return false;
  const std::shared_ptr<const Module> module = *std::move(parsed);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module->entry()->parameters())
    arguments.push_back(smallIntegers(parameter->shape(), static_cast<int64_t>(arguments.size())));
  const auto expected = evaluate(*module, arguments);
  EXPECT_TRUE(expected.has_value()) << text;
  auto compiled = compileProgram(module, {.processor = cpu, .usesCache = false, .quick = true}, {});
  EXPECT_TRUE(compiled.has_value()) << text << toString(compiled.error());
  const std::string program = toText(compiled->program);
  const bool isOfKind = std::ranges::any_of(compiled->program.sequences[0],
                                            [&](const Thunk& thunk) { return thunk.kind() == kind; });
  const auto executor = Executor::make(std::make_shared<const Program>(std::move(compiled->program)));
  const auto got = (*executor)->run(arguments);
  EXPECT_TRUE(got.has_value()) << text << toString(got.error());
  if (expected && got) EXPECT_TRUE(*got == *expected) << text << program;
  return isOfKind;
}

}  // namespace hilo
