// Modules that lack what analyses reach for are refused, by every door.
#include "core/analysis/well_formed.h"

#include <gtest/gtest.h>

#include "core/analysis/cost_facts.h"
#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/analysis/instruction_card.h"
#include "core/analysis/summary.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string kindOf(std::string text) {
  const auto parsed = parseModule(std::make_shared<const std::string>(std::move(text)), {});
  if (parsed.module == nullptr) return "not read";
  const Status status = requireWellFormed(*parsed.module);
  EXPECT_EQ(status.has_value(), DataflowAnalysis::run(*parsed.module).has_value());
  return status ? "" : status.error().kind;
}

TEST(WellFormed, TakesWhatIsWhole) {
  EXPECT_EQ(kindOf(R"(HloModule m
f { p = f32[] parameter(0) ROOT n = f32[] negate(p) }
ENTRY e { x = f32[] parameter(0) ROOT c = f32[] call(x), to_apply=f })"),
            "");
}

TEST(WellFormed, TakesAnUpdateOfAScalar) {
  EXPECT_EQ(kindOf(R"(HloModule m
ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) ROOT u = f32[] dynamic-update-slice(x, y) })"),
            "");
}

TEST(WellFormed, RefusesWhatIsNot) {
  const char* broken[] = {
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT w = f32[] while(x) }",
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT c = f32[] call(x) }",
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT f = f32[] fusion(x), kind=kLoop }",
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT c = f32[] conditional(x) }",
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT a = f32[] add(x) }",
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT d = f32[] dynamic-update-slice(x) }",
      "HloModule m\nENTRY e { x = f32[] parameter(1) ROOT n = f32[] negate(x) }",
      R"(HloModule m
f { p = f32[] parameter(0) q = f32[] parameter(1) ROOT n = f32[] negate(p) }
ENTRY e { x = f32[] parameter(0) ROOT c = f32[] call(x), to_apply=f })",
  };
  for (const char* text : broken)
    EXPECT_TRUE(kindOf(text) == "malformed-module" || kindOf(text) == "not read") << text;
}

constexpr const char* kLoop = R"(HloModule m
half { p = s32[] parameter(0) one = s32[] constant(1) ROOT m = s32[] multiply(p, one) }
body {
  p = (s32[], f32[4]) parameter(0)
  barrier = (s32[], f32[4]) opt-barrier(p)
  i = s32[] get-tuple-element(barrier), index=0
  x = f32[4] get-tuple-element(barrier), index=1
  one = s32[] constant(1)
  two = s32[] add(one, one)
  less = pred[] compare(i, two), direction=LT
  step = s32[] select(less, one, one)
  next = s32[] add(i, step)
  same = s32[] call(next), to_apply=half
  ROOT t = (s32[], f32[4]) tuple(same, x)
}
condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  bound = s32[] constant(12)
  least = s32[] subtract(bound, i)
  zero = s32[] constant(0)
  more = pred[] compare(least, zero), direction=GT
  ROOT go = pred[] copy(more)
}
ENTRY e {
  zero = s32[] constant(0)
  start = s32[] copy(zero)
  x = f32[4] parameter(0)
  init = (s32[], f32[4]) tuple(start, x)
  kept = (s32[], f32[4]) opt-barrier(init)
  ROOT loop = (s32[], f32[4]) while(kept), condition=condition, body=body
})";

// What an analysis of loops comes across, each without one of its operands, and with none.
TEST(WellFormed, LoopsAreCountedWhateverLacksOperands) {
  const std::string whole = kLoop;
  size_t read = 0;
  for (size_t open = whole.find('('); open != std::string::npos; open = whole.find('(', open + 1)) {
    const size_t close = whole.find(')', open), comma = whole.find(',', open);
    const std::string none = whole.substr(0, open + 1) + whole.substr(close);
    const std::string fewer = comma < close ? whole.substr(0, comma) + whole.substr(close) : none;
    for (const std::string& text : {none, fewer}) {
      const auto parsed = parseModule(std::make_shared<const std::string>(text), {});
      if (parsed.module == nullptr) continue;
      ++read;
      summarize(*parsed.module, 3);
      EXPECT_GE(ModuleCost(*parsed.module).total().flops, 0);
      for (const Computation* computation : parsed.module->computations()) {
        for (const Instruction* i : computation->instructions()) instructionCard(*i);
      }
    }
  }
  EXPECT_GT(read, 20U);
}

}  // namespace
}  // namespace hilo
