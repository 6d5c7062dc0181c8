#include "core/workspace/passes/pass_series.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parsed(const char* body) {
  auto module =
      parseModuleStrictly(std::string("HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n") + body + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

PassSeries series() {
  PassSeries series{.title = "m"};
  series.steps.push_back(makeStep("input", parsed("  n = f32[4] negate(a)\n  ROOT r = f32[4] add(n, a)\n")));
  series.steps.push_back(makeStep("rename", parsed("  x = f32[4] negate(a)\n  ROOT r = f32[4] add(x, a)\n")));
  series.steps.push_back(makeStep("flip", parsed("  x = f32[4] negate(a)\n  ROOT r = f32[4] add(a, x)\n")));
  series.steps.push_back(makeStep("drop", parsed("  ROOT r = f32[4] add(a, a)\n")));
  return series;
}

TEST(PassSeries, LazyStepsLoadOnce) {
  int loads = 0;
  const SeriesStep step = makeLazyStep("s", [&]() -> Result<std::shared_ptr<const Module>> {
    ++loads;
    return parsed("  ROOT r = f32[4] add(a, a)\n");
  });
  EXPECT_EQ(step.moduleIfLoaded(), nullptr);
  const auto module = step.module();
  ASSERT_TRUE(module);
  EXPECT_EQ(*step.module(), *module);
  EXPECT_EQ(step.moduleIfLoaded(), *module);
  EXPECT_EQ(loads, 1);
}

// Whoever asks without waiting gets the module also while somebody else is asking.
TEST(PassSeries, AModuleThatIsThereIsAlwaysGiven) {
  const SeriesStep step = makeStep("s", parsed("  ROOT r = f32[4] add(a, a)\n"));
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) EXPECT_TRUE(step.module());
  });
  int given = 0;
  for (int n = 0; n < 100'000; ++n) given += step.moduleIfLoaded() != nullptr;
  EXPECT_EQ(given, 100'000);
  stop = true;
  other.join();
}

TEST(PassSeries, WhileAFileIsReadNobodyWaitsForItsModule) {
  std::optional<SeriesStep> step;
  std::shared_ptr<const Module> meanwhile;
  step = makeLazyStep("s", [&]() -> Result<std::shared_ptr<const Module>> {
    std::thread([&] { meanwhile = step->moduleIfLoaded(); }).join();
    return parsed("  ROOT r = f32[4] add(a, a)\n");
  });
  EXPECT_TRUE(step->module());
  EXPECT_EQ(meanwhile, nullptr);
}

TEST(PassSeries, ALoadThatFailsMayBeTriedAgain) {
  int loads = 0;
  const SeriesStep step = makeLazyStep("s", [&]() -> Result<std::shared_ptr<const Module>> {
    if (++loads == 1) return fail("file-not-found", "gone");
    return parsed("  ROOT r = f32[4] add(a, a)\n");
  });
  EXPECT_EQ(step.module().error().kind, "file-not-found");
  EXPECT_TRUE(step.module());
}

TEST(PassSeries, StepsAreCompared) {
  const PassSeries s = series();
  EXPECT_TRUE(diffSteps(s, 0, 1)->empty());
  const auto diff = diffSteps(s, 1, 3);
  EXPECT_EQ(diff->removed, 1u);
  EXPECT_EQ(diff->changed, 1u);
}

TEST(PassSeries, OnlyWhatIsMatchedStandsSideBySide) {
  PassSeries s{.title = "m"};
  s.steps.push_back(makeStep("a", parsed("  n = f32[4] negate(a)\n  ROOT r = f32[4] add(n, a)\n")));
  s.steps.push_back(
      makeStep("b", parsed("  c = f32[4] cosine(a)\n  d = f32[4] sine(c)\n  ROOT r = f32[4] add(d, a)\n")));
  const auto both = sideBySide(s, 0, 1);
  ASSERT_TRUE(both);
  // The negate went, cosine and sine came; the add changed.
  EXPECT_EQ(both->diff.removed, 1u);
  EXPECT_EQ(both->diff.added, 2u);
  EXPECT_EQ(both->diff.changed, 1u);
}

TEST(PassSeries, AnotherOpcodeInTheSamePlaceStandsBesideWhatItReplaced) {
  PassSeries s{.title = "m"};
  s.steps.push_back(makeStep("a", parsed("  n = f32[4] negate(a)\n  ROOT r = f32[4] add(n, a)\n")));
  s.steps.push_back(makeStep("b", parsed("  c = f32[4] cosine(a)\n  ROOT r = f32[4] add(c, a)\n")));
  const auto both = sideBySide(s, 0, 1);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->diff.changed, 1u);
  EXPECT_EQ(both->diff.added + both->diff.removed + both->diff.moved, 0u);
}

TEST(PassSeries, WhereTheSourceLiesIsNoDifference) {
  const auto make = [](const char* file, int line) {
    auto module = parseModuleStrictly(fmt::format(R"(HloModule m

FileNames
1 "{}"

FunctionNames
1 "f"

FileLocations
1 {{file_name_id=1 function_name_id=1 line={} end_line={} column=1 end_column=2}}

StackFrames
1 {{file_location_id=1 parent_frame_id=1}}

ENTRY e {{
  a = f32[4] parameter(0)
  ROOT n = f32[4] negate(a), metadata={{op_name="n" source_line={}}}
}}
)",
                                                  file, line, line, line));
    EXPECT_TRUE(module) << toString(module.error());
    return std::shared_ptr<const Module>(std::move(*module));
  };
  PassSeries s{.title = "m"};
  s.steps.push_back(makeStep("a", make("one.py", 3)));
  s.steps.push_back(makeStep("b", make("two.py", 90)));
  const auto both = sideBySide(s, 0, 1);
  ASSERT_TRUE(both);
  EXPECT_NE(both->left.text, both->right.text);
  EXPECT_EQ(both->diff.added + both->diff.removed + both->diff.changed + both->diff.moved, 0u);
}

TEST(PassSeries, OtherNamesThroughoutAreNoDifference) {
  const auto text = [](const char* prefix) {
    std::string body;
    std::string last = "a";
    for (const char* opcode : {"negate", "cosine", "sine", "tanh"}) {
      const std::string name = std::string(prefix) + opcode;
      body += "  " + name + " = f32[4] " + opcode + "(" + last + ")\n";
      last = name;
    }
    return body + "  ROOT " + prefix + "r = f32[4] add(" + last + ", a)\n";
  };
  const PassSeries s =
      comparisonSeries(makeStep("a", parsed(text("x.").c_str())), makeStep("b", parsed(text("y.").c_str())));
  EXPECT_EQ(s.title, "a and b");
  const auto both = sideBySide(s, 0, 1);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->diff.added + both->diff.removed + both->diff.changed, 0u);
  EXPECT_NE(both->left.text, both->right.text);
}

TEST(PassSeries, SideBySideAlignsTheText) {
  const auto both = sideBySide(series(), 1, 2);
  ASSERT_TRUE(both);
  size_t changed = 0;
  for (const DiffRow& row : both->diff.rows) {
    if (row.kind != DiffKind::Changed) continue;
    ++changed;
    EXPECT_NE(both->left.line(row.left).find("add(x, a)"), std::string_view::npos);
    EXPECT_NE(both->right.line(row.right).find("add(a, x)"), std::string_view::npos);
  }
  EXPECT_EQ(changed, 1u);
}

TEST(PassSeries, LinesThatMovedAreMovedOnBothSides) {
  // The cosine goes from before the sine to after it, and the tanh is another opcode in its place.
  const PassSeries s = comparisonSeries(
      makeStep("a", parsed("  c = f32[4] cosine(a)\n  s = f32[4] sine(a)\n  e = f32[4] exponential(a)\n"
                           "  n = f32[4] negate(s)\n  ROOT r = (f32[4], f32[4], f32[4]) tuple(n, c, e)\n")),
      makeStep("b", parsed("  s = f32[4] sine(a)\n  e = f32[4] exponential(a)\n  n = f32[4] negate(s)\n"
                           "  c = f32[4] cosine(a)\n  ROOT r = (f32[4], f32[4], f32[4]) tuple(n, c, e)\n")));
  const auto both = sideBySide(s, 0, 1);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->diff.moved, 1u);
  EXPECT_EQ(both->diff.added + both->diff.removed + both->diff.changed, 0u);
  size_t rows = 0;
  for (const DiffRow& row : both->diff.rows) {
    if (row.kind != DiffKind::Moved) continue;
    ++rows;
    const bool isLeft = row.right == DiffRow::kNoLine;
    const std::string_view line = isLeft ? both->left.line(row.left) : both->right.line(row.right);
    EXPECT_NE(line.find("cosine"), std::string_view::npos);
    const uint32_t partner = isLeft ? both->leftPartner[row.left] : both->rightPartner[row.right];
    EXPECT_NE((isLeft ? both->right : both->left).line(partner).find("cosine"), std::string_view::npos);
  }
  EXPECT_EQ(rows, 2u);
}

TEST(PassSeries, HistoryFollowsAnInstructionBothWays) {
  const PassSeries s = series();
  const auto middle = *s.steps[1].module();
  const auto root = instructionHistory(s, 1, middle->findInstruction("r")->id());
  ASSERT_TRUE(root) << toString(root.error());
  ASSERT_EQ(root->size(), 3u);
  EXPECT_EQ((*root)[0].step, 0u);
  EXPECT_EQ((*root)[0].kind, ChangeKind::Added);
  EXPECT_EQ((*root)[1].step, 2u);
  EXPECT_EQ((*root)[1].what, "operand order");
  EXPECT_EQ((*root)[2].step, 3u);

  const auto negate = instructionHistory(s, 1, middle->findInstruction("x")->id());
  ASSERT_EQ(negate->size(), 2u);
  EXPECT_EQ((*negate)[0].name, "n");
  EXPECT_EQ((*negate)[1].kind, ChangeKind::Removed);
  EXPECT_EQ((*negate)[1].step, 3u);
}

}  // namespace
}  // namespace hilo
