// Holds the cpu engine to the evaluator: a module's answer with the engine's passes and without them.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {

// Of computations without the module's head, on arguments made from a seed.
inline void expectEvaluated(const std::string& computations) {
  SCOPED_TRACE(computations);
  auto parsed = parseModuleStrictly("HloModule m\n" + computations);
  ASSERT_TRUE(parsed.has_value()) << toString(parsed.error());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  const auto arguments = makeArguments(*module, 5);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*module, arguments->arguments);
  ASSERT_TRUE(expected.has_value()) << toString(expected.error());
  for (const bool passes : {false, true}) {
    const auto got = runOnCpu(module, arguments->arguments, {.usesCache = false, .runsPasses = passes});
    ASSERT_TRUE(got.has_value()) << toString(got.error());
    const auto differences = compareLiterals(*got, *expected);
    ASSERT_TRUE(differences.has_value());
    EXPECT_TRUE(agrees(*differences)) << (passes ? "with passes" : "without");
  }
}

}  // namespace hilo
