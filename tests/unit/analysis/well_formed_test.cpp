// Modules that lack what analyses reach for are refused, by every door.
#include "core/analysis/well_formed.h"

#include <gtest/gtest.h>

#include "core/analysis/dataflow/dataflow_analysis.h"
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

}  // namespace
}  // namespace hilo
