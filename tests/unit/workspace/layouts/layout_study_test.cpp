// A study of a module's layouts: its own or those that the pipeline gpu assigns, costs, and layouts tried.
#include "core/workspace/layouts/layout_study.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/layouts/layout_advice.h"

namespace hilo {
namespace {

// A parameter that is wanted the other way round by a transpose at the result.
constexpr const char* kTransposed =
    R"(HloModule t, entry_computation_layout={(f32[512,256]{1,0})->f32[256,512]{1,0}}
ENTRY e {
  p = f32[512,256]{1,0} parameter(0)
  x = f32[512,256]{1,0} exponential(p)
  ROOT t = f32[256,512]{1,0} transpose(x), dimensions={1,0}
})";

constexpr const char* kLaidOut = R"(HloModule l, is_scheduled=true
ENTRY e {
  p = f32[512,256]{1,0} parameter(0)
  c = f32[512,256]{0,1} copy(p)
  ROOT f = f32[512,256]{0,1} custom-call(c), custom_call_target="lib"
})";

std::shared_ptr<const Module> parsed(const char* text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return std::shared_ptr<const Module>(*std::move(module));
}

std::shared_ptr<const LayoutStudy> studyOf(const LayoutRequest& request) {
  const auto study = makeLayoutStudy(request, JobContext());
  EXPECT_TRUE(study) << (study ? "" : toString(study.error()));
  return study ? *study : nullptr;
}

size_t costly(const LayoutStudy& study) {
  return static_cast<size_t>(
      std::ranges::count_if(study.rows, [](const LayoutRow& row) { return row.move.costs(); }));
}

TEST(LayoutStudy, WhatIsLaidOutIsLookedAtAsItIs) {
  const auto study = studyOf({.module = parsed(kLaidOut)});
  ASSERT_NE(study, nullptr);
  EXPECT_FALSE(study->isOurs());
  ASSERT_EQ(study->rows.size(), 1u);
  EXPECT_EQ(study->rows[0].move.name, "c");
  EXPECT_TRUE(study->rows[0].move.isAlone);
  EXPECT_GT(study->rows[0].ns, 0);
  EXPECT_EQ(study->bytes, 2 * 512 * 256 * 4);
  EXPECT_EQ(study->aloneNs, study->rows[0].ns);
  ASSERT_TRUE(study->metrics);
}

TEST(LayoutStudy, ConstraintsNeedTheModuleBeforeLayouts) {
  const auto study =
      makeLayoutStudy({.module = parsed(kLaidOut), .constraints = {{"p", "{0,1}"}}}, JobContext());
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().kind, "already-laid-out");
}

TEST(LayoutStudy, WhatIsAdvisedTakesTheTransposeAway) {
  const LayoutRequest request{.module = parsed(kTransposed)};
  const auto study = studyOf(request);
  ASSERT_NE(study, nullptr);
  EXPECT_TRUE(study->isOurs());
  ASSERT_EQ(costly(*study), 1u);
  const auto advice = adviceFor(*study, study->rows[0].move);
  size_t tried = 0;
  for (const LayoutAdvice& one : advice) {
    if (!one.constraint) continue;
    ++tried;
    LayoutRequest with = request;
    with.constraints = {*one.constraint};
    const auto now = studyOf(with);
    ASSERT_NE(now, nullptr);
    EXPECT_EQ(costly(*now), 0u) << one.constraint->instruction << "=" << one.constraint->layout;
    EXPECT_EQ(now->bytes, 0);
  }
  EXPECT_EQ(tried, 2u);  // the parameter's layout, or the result's
}

TEST(LayoutStudy, AnInstructionInTheMiddleKeepsTheLayoutAskedFor) {
  const auto study = studyOf({.module = parsed(kTransposed), .constraints = {{"x", "{0,1}"}}});
  ASSERT_NE(study, nullptr);
  const auto assigned = std::ranges::find(study->series.steps, "gpu-layout-assignment", &SeriesStep::name);
  ASSERT_NE(assigned, study->series.steps.end());
  const auto module = assigned->module();
  ASSERT_TRUE(module);
  size_t seen = 0;
  for (const Instruction* i : (*module)->entry()->instructions()) {
    EXPECT_NE(i->opcode(), Opcode::CustomCall);
    if (i->opcode() != Opcode::Exponential) continue;
    ++seen;
    ASSERT_NE(i->shape().layout(), nullptr);
    EXPECT_EQ(i->shape().layout()->minorToMajor, (std::vector<int64_t>{0, 1}));
  }
  EXPECT_EQ(seen, 1u);
}

TEST(LayoutStudy, WhatIsNoLayoutIsRefused) {
  const auto module = parsed(kTransposed);
  const auto kindOf = [&](LayoutConstraint constraint) {
    const auto made = withLayouts(*module, {std::move(constraint)});
    return made ? std::string() : made.error().kind;
  };
  EXPECT_EQ(kindOf({"p", "{0,1}"}), "");
  EXPECT_EQ(kindOf({"result", "{0,1}"}), "");
  EXPECT_EQ(kindOf({"p", "{0,0}"}), "bad-constraint");
  EXPECT_EQ(kindOf({"p", "{2,1,0}"}), "bad-constraint");
  EXPECT_EQ(kindOf({"result.4", "{1,0}"}), "bad-constraint");
  EXPECT_EQ(kindOf({"nobody", "{1,0}"}), "no-such-instruction");
  EXPECT_FALSE(layoutConstraintsFromTexts({"p"}));
  EXPECT_FALSE(layoutConstraintsFromTexts({"p="}));
  EXPECT_EQ(layoutConstraintsFromTexts({"%p={0,1}"})->front(), (LayoutConstraint{"p", "{0,1}"}));
}

TEST(LayoutStudy, PaddingOfTilesIsCounted) {
  const auto study = studyOf({.module = parsed(R"(HloModule p, is_scheduled=true
ENTRY e {
  p = f32[3,5]{1,0:T(8,128)} parameter(0)
  ROOT n = f32[3,5]{1,0:T(8,128)} negate(p)
})")});
  ASSERT_NE(study, nullptr);
  ASSERT_EQ(study->padded.size(), 2u);
  EXPECT_EQ(study->padded[0].bytes, 4096);
  EXPECT_EQ(study->padded[0].wastedBytes, 4096 - 60);
  EXPECT_TRUE(study->rows.empty());
}

}  // namespace
}  // namespace hilo
