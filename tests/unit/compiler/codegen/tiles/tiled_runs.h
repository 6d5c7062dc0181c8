// A fusion with chosen tiles on the engines cpu and cuda-sim, held to the reference.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/text/print.h"
#include "core/workspace/run/tiled_module.h"
#include "tests/support/module_text.h"

namespace hilo {

// Fails the running test where an engine does not run it, or gives something else.
inline void expectTiled(const Module& module, const std::vector<int64_t>& sizes) {
  const auto tiled = tiledModule(*module.entry()->root(), sizes);
  ASSERT_TRUE(tiled) << toString(tiled.error()) << printModule(module);
  const std::string engines[] = {"cpu", "cuda-sim"};
  const auto runs = runTiled(*tiled, engines, {});
  ASSERT_TRUE(runs) << toString(runs.error());
  for (const TiledRun& run : *runs) {
    ASSERT_TRUE(run.comparison) << run.engine << ": " << toString(run.comparison.error())
                                << printModule(**tiled);
    EXPECT_TRUE(run.comparison->comparable) << run.comparison->notComparable;
    EXPECT_NE(run.comparison->verdict, Verdict::Differs)
        << run.engine << " differs at " << run.comparison->leaves.at(0).firstMismatch << printModule(**tiled);
  }
}

inline void expectTiled(const std::string& text, const std::vector<int64_t>& sizes) {
  const auto module = moduleWithReducers(text);
  ASSERT_TRUE(module);
  SCOPED_TRACE(fmt::format("sizes {}", fmt::join(sizes, ",")));
  expectTiled(*module, sizes);
}

}  // namespace hilo
