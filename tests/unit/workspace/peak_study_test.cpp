// Changes tried against a peak of memory: each with the peak that follows from it, worked out by hand, or why
// it cannot be made.
#include "core/workspace/peak/peak_study.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/path/open_path.h"

namespace hilo {
namespace {

constexpr int64_t kPage = 4000;  // bytes of f32[1000]

std::shared_ptr<const Module> parsed(std::string_view text) {
  auto module = parseModuleStrictly(std::string(text));
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return std::shared_ptr<const Module>(std::move(*module));
}

std::shared_ptr<const PeakStudy> studied(std::string_view text) {
  const JobContext context;
  const auto study = makePeakStudy({.module = parsed(text), .device = "h100"}, context);
  EXPECT_TRUE(study) << (study ? "" : study.error().message);
  return study ? *study : nullptr;
}

const PeakTrial* trialOf(const PeakStudy& study, std::string_view kind, std::string_view about) {
  for (const PeakTrial& trial : study.trials) {
    if (trial.change.kind == kind && trial.change.text.find(about) != std::string::npos) return &trial;
  }
  ADD_FAILURE() << kind << " " << about << " was not tried";
  return nullptr;
}

// `wide` waits in ten pages while `turned` is made of `big`, thirty pages each, from `p` of one.
constexpr const char* kWaiting = R"(HloModule waiting, is_scheduled=true
ENTRY e {
  p = f32[1000] parameter(0)
  wide = f32[1000,10] broadcast(p), dimensions={0}, metadata={source_file="model.py" source_line=7}
  mark = f32[1000,1] slice(wide), slice={[0:1000],[0:1]}
  big = f32[1000,30] broadcast(p), dimensions={0}
  turned = f32[1000,30] reverse(big), dimensions={1}
  part = f32[1000,10] slice(turned), slice={[0:1000],[0:10]}
  sum = f32[1000,10] add(part, wide)
  ROOT out = f32[1000,11] concatenate(sum, mark), dimensions={1}
})";

TEST(PeakStudy, ComputesAgainWhatWaits) {
  const auto study = studied(kWaiting);
  ASSERT_NE(study, nullptr);
  EXPECT_EQ(study->at, "turned");
  EXPECT_EQ(study->figures.peakBytes, (1 + 10 + 1 + 30 + 30) * kPage);
  const PeakTrial* again = trialOf(*study, "recompute", "%wide again");
  ASSERT_TRUE(again != nullptr && again->figures) << (again == nullptr ? "" : again->whyNot);
  EXPECT_EQ(again->figures->peakBytes, (1 + 1 + 30 + 30) * kPage);
  EXPECT_TRUE(again->change.how.starts_with("model.py:7: ")) << again->change.how;
  ASSERT_TRUE(again->figures->stepNs && study->figures.stepNs);
  EXPECT_GT(*again->figures->stepNs, *study->figures.stepNs) << "it is computed twice";
  EXPECT_EQ(again->done.size(), 1U);
  const PeakTrial* big = trialOf(*study, "recompute", "%big again");
  ASSERT_NE(big, nullptr);
  EXPECT_FALSE(big->figures);
  EXPECT_TRUE(big->whyNot.find("at the peak") != std::string::npos) << big->whyNot;
  EXPECT_LE(study->trials.front().figures->planBytes, again->figures->planBytes) << "the best comes first";
}

TEST(PeakStudy, TheStatedCommandMakesTheSameModule) {
  const auto study = studied(kWaiting);
  ASSERT_NE(study, nullptr);
  const PeakTrial* again = trialOf(*study, "recompute", "%wide again");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->change.command(),
            "hilo opt --passes='rematerialization{recompute=true,compress=false,host_offload=false,"
            "memory_limit_bytes=1,only=wide}'");
  const auto module = again->series.steps.back().module();
  ASSERT_TRUE(module);
  EXPECT_TRUE((*module)->isScheduled());
}

TEST(PeakStudy, AResultTakesThePlaceOfAnArgument) {
  const auto study = studied(R"(HloModule update, is_scheduled=true
ENTRY e {
  state = f32[1000,10] parameter(0)
  step = f32[1000,10] parameter(1)
  ROOT next = f32[1000,10] add(state, step)
})");
  ASSERT_NE(study, nullptr);
  EXPECT_EQ(study->figures.peakBytes, 30 * kPage);
  const PeakTrial* donated = trialOf(*study, "donate", "");
  ASSERT_TRUE(donated != nullptr && donated->figures);
  EXPECT_EQ(donated->figures->peakBytes, 20 * kPage);
  EXPECT_EQ(donated->figures->planBytes, study->figures.planBytes - 10 * kPage);
}

TEST(PeakStudy, AnotherOrderNeedsLess) {
  // Both wide values before either is folded, though one at a time would do.
  const auto study = studied(R"(HloModule order, is_scheduled=true
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  p = f32[1000] parameter(0)
  zero = f32[] constant(0)
  a = f32[1000,20] broadcast(p), dimensions={0}
  b = f32[1000,20] broadcast(p), dimensions={0}
  x = f32[1000] reduce(a, zero), dimensions={1}, to_apply=sum
  y = f32[1000] reduce(b, zero), dimensions={1}, to_apply=sum
  ROOT out = f32[1000] add(x, y)
})");
  ASSERT_NE(study, nullptr);
  const PeakTrial* order = trialOf(*study, "order", "");
  ASSERT_TRUE(order != nullptr && order->figures);
  EXPECT_LE(order->figures->peakBytes, study->figures.peakBytes - 19 * kPage);
}

TEST(PeakStudy, ShardingsAreTriedBeforePartitioning) {
  const auto item = openItem("tests/e2e/walks/train_step.hlo");
  ASSERT_TRUE(item);
  const JobContext context;
  const auto study = makePeakStudy(
      {.module = std::get<std::shared_ptr<const OpenedFile>>(*item)->module, .device = "h100"}, context);
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_NE((*study)->base.partitioning, nullptr);
  const auto helps = [&](const PeakTrial& trial) {
    return trial.change.sharding && trial.figures &&
           trial.figures->peakBytes < (*study)->figures.peakBytes / 2;
  };
  EXPECT_TRUE(std::ranges::any_of((*study)->trials, helps));
}

TEST(PeakStudy, SaysWhichDeviceIsNotKnown) {
  const JobContext context;
  const auto study = makePeakStudy({.module = parsed(kWaiting), .device = "z80"}, context);
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().kind, "unknown-device");
}

}  // namespace
}  // namespace hilo
