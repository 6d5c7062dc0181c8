// What is live at the peak of one module and not at another's: matched through renames, told with its reason,
// and adding up to both peaks.
#include "core/workspace/memory/peak_comparison.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// The peak is at `turned`; `kept` is live before it alone.
constexpr const char* kBrief = R"(HloModule brief, is_scheduled=true
ENTRY e {
  p = f32[1000] parameter(0)
  kept = f32[1000,10] broadcast(p), dimensions={0}, metadata={op_name="jit(f)/keep" source_file="model.py" source_line=7}
  mark = f32[1000,1] slice(kept), slice={[0:1000],[0:1]}
  big = f32[1000,30] broadcast(p), dimensions={0}
  turned = f32[1000,30] reverse(big), dimensions={1}
  part = f32[1000,10] slice(turned), slice={[0:1000],[0:10]}
  ROOT out = f32[1000,11] concatenate(part, mark), dimensions={1}
})";

MemoryPlans planned(std::string text) {
  auto parsed = parseModuleStrictly(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  auto plans = planMemory(std::shared_ptr<const Module>(std::move(*parsed)), nullptr, {});
  EXPECT_TRUE(plans) << (plans ? "" : plans.error().message);
  return *std::move(plans);
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [from, to] : words) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<std::string> names(const std::vector<PeakRow>& rows) {
  std::vector<std::string> list;
  for (const PeakRow& row : rows) list.push_back(row.name);
  return list;
}

PeakComparison compared(const std::string& textA, const std::string& textB) {
  const MemoryPlans a = planned(textA), b = planned(textB);
  const auto list = comparePeaks(a, b);
  EXPECT_TRUE(list) << (list ? "" : list.error().message);
  EXPECT_EQ(list->size(), 1u) << "there is no plan of XLA's";
  const PeakComparison& only = list->front();
  int64_t sumA = only.sameBytes, sumB = only.sameBytes;
  for (const auto* rows : {&only.onlyA, &only.onlyB, &only.resized}) {
    for (const PeakRow& row : *rows) {
      sumA += row.bytesA;
      sumB += row.bytesB;
    }
  }
  EXPECT_EQ(sumA, only.bytesA);
  EXPECT_EQ(sumB, only.bytesB);
  EXPECT_EQ(only.bytesA, a.hilo->profile.peakBytes);
  EXPECT_EQ(only.bytesB, b.hilo->profile.peakBytes);
  return only;
}

TEST(PeakComparison, RenamedItIsTheSame) {
  const PeakComparison same = compared(kBrief, replaced(kBrief, {{"kept", "held"}, {"turned", "other"}}));
  EXPECT_TRUE(same.onlyA.empty());
  EXPECT_TRUE(same.onlyB.empty());
  EXPECT_TRUE(same.resized.empty());
  EXPECT_EQ(same.sameBytes, 248'000) << "p, mark, big and turned";
  EXPECT_EQ(same.atA, "turned");
  EXPECT_EQ(same.atB, "other");
}

TEST(PeakComparison, WhatIsKeptLongerIsAtOnePeakAlone) {
  const std::string longer = replaced(
      kBrief, {{"f32[1000,11] concatenate(part, mark)", "f32[1000,21] concatenate(kept, part, mark)"}});
  const PeakComparison diff = compared(longer, kBrief);
  EXPECT_EQ(names(diff.onlyA), std::vector<std::string>{"kept"});
  EXPECT_TRUE(diff.onlyB.empty());
  EXPECT_EQ(diff.sameBytes, 248'000);
  const PeakRow& kept = diff.onlyA.at(0);
  EXPECT_EQ(kept.bytesA, 40'000);
  EXPECT_EQ(kept.why, "not live at the peak there");
  EXPECT_EQ(kept.source, "model.py:7");
  EXPECT_EQ(kept.opcode, "broadcast");
}

TEST(PeakComparison, WhatTheOtherDoesNotHaveSaysSo) {
  const std::string more =
      replaced(kBrief, {{"  big = ", "  extra = f32[9000] iota(), iota_dimension=0\n  big = "},
                        {"ROOT out = f32[1000,11] concatenate(part, mark), dimensions={1}",
                         "last = f32[1000,11] concatenate(part, mark), dimensions={1}\n  "
                         "ROOT both = (f32[1000,11], f32[9000]) tuple(last, extra)"}});
  const PeakComparison diff = compared(more, kBrief);
  const auto extra = std::ranges::find(diff.onlyA, "extra", &PeakRow::name);
  ASSERT_NE(extra, diff.onlyA.end()) << testing::PrintToString(names(diff.onlyA));
  EXPECT_EQ(extra->why, "not in the other module");
  EXPECT_EQ(extra->bytesA, 36'000);
  const PeakComparison back = compared(kBrief, more);
  EXPECT_EQ(names(back.onlyB), names(diff.onlyA));
  EXPECT_EQ(names(back.onlyA), names(diff.onlyB));
}

TEST(PeakComparison, WhatHasOtherBytesIsAtBoth) {
  const PeakComparison diff = compared(replaced(kBrief, {{"[1000,30]", "[1000,60]"}}), kBrief);
  EXPECT_TRUE(diff.onlyA.empty()) << testing::PrintToString(names(diff.onlyA));
  ASSERT_EQ(diff.resized.size(), 2u);
  EXPECT_EQ(diff.resized[0].bytesA, 240'000);
  EXPECT_EQ(diff.resized[0].bytesB, 120'000);
  EXPECT_EQ(diff.resized[0].name, diff.resized[0].otherName);
  EXPECT_EQ(diff.sameBytes, 8'000) << "p and mark";
}

TEST(PeakComparison, PlansOfDifferentKindsAreRefused) {
  const MemoryPlans a = planned(kBrief);
  MemoryPlans none = planned(kBrief);
  none.hilo.reset();
  const auto list = comparePeaks(a, none);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, "no-plan");
}

}  // namespace
}  // namespace hilo
