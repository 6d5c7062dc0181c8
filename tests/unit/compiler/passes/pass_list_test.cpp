#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/pipelines/pipelines.h"

namespace hilo {
namespace {

TEST(PassList, TheTableIsSortedAndSummarised) {
  EXPECT_TRUE(std::ranges::is_sorted(allPasses(), {}, &Pass::name));
  for (const Pass& pass : allPasses()) EXPECT_FALSE(pass.summary.empty()) << pass.name;
}

TEST(PassList, NamesInOrder) {
  const auto passes = parsePassList("dce,cse,dce");
  ASSERT_TRUE(passes.has_value());
  ASSERT_EQ(passes->size(), 3u);
  EXPECT_EQ((*passes)[0].pass, findPass("dce"));
  EXPECT_EQ((*passes)[1].pass, findPass("cse"));
}

TEST(PassList, AnUnknownNameIsRefusedWithTheNearest) {
  const auto passes = parsePassList("dce,cze");
  ASSERT_FALSE(passes.has_value());
  EXPECT_EQ(passes.error().kind, "unknown-pass");
  EXPECT_THAT(passes.error().notes, testing::ElementsAre("did you mean 'cse'?"));
}

TEST(PassList, SettingsStandInBracesAndTheirCommasSeparateNoPasses) {
  const auto passes = parsePassList(
      "dce, while-loop-unroller{trip_count_threshold = 16,instruction_count_threshold=2KB},cse");
  ASSERT_TRUE(passes.has_value()) << toString(passes.error());
  ASSERT_EQ(passes->size(), 3u);
  const std::vector<SettingChange>& settings = (*passes)[1].settings;
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].setting->name, "trip_count_threshold");
  EXPECT_EQ(settings[0].value, SettingValue(int64_t{16}));
  EXPECT_EQ(settings[1].value, SettingValue(int64_t{2000}));
  EXPECT_TRUE((*passes)[2].settings.empty());
}

TEST(PassList, WhatIsWrittenWronglyIsToldByPassAndSetting) {
  const auto refusal = [](std::string_view list) {
    const auto passes = parsePassList(list);
    return passes ? std::string() : passes.error().kind + ": " + passes.error().message;
  };
  EXPECT_EQ(refusal("dce{a=1}"), "unknown-setting: dce has no settings, so no 'a'");
  EXPECT_EQ(refusal("while-loop-unroller{trips=1}"),
            "unknown-setting: while-loop-unroller has no setting 'trips'");
  EXPECT_EQ(
      refusal("while-loop-unroller{trip_count_threshold=-1}"),
      "bad-setting: while-loop-unroller: the setting trip_count_threshold is a whole number of at least "
      "0, not '-1'");
  EXPECT_EQ(refusal("rematerialization{peak_percent=101}"),
            "bad-setting: rematerialization: the setting peak_percent is a whole number from 0 to 100, not "
            "'101'");
  EXPECT_EQ(refusal("rematerialization{recompute=yes}"),
            "bad-setting: rematerialization: the setting recompute is true or false, not 'yes'");
  EXPECT_EQ(refusal("latency-hiding-scheduler{backend=tpu}"),
            "bad-setting: latency-hiding-scheduler: the setting backend is one of default, gpu, not 'tpu'");
  EXPECT_EQ(refusal("while-loop-unroller{trip_count_threshold}"),
            "bad-pass-list: while-loop-unroller: 'trip_count_threshold' sets nothing");
  EXPECT_EQ(refusal("while-loop-unroller{trip_count_threshold=1,trip_count_threshold=2}"),
            "bad-pass-list: while-loop-unroller: trip_count_threshold is set twice");
  EXPECT_EQ(refusal("while-loop-unroller{trip_count_threshold=1,dce"),
            "bad-pass-list: while-loop-unroller: its settings do not end with '}'");
  EXPECT_EQ(refusal("cse,,dce"), "unknown-pass: no pass is called ''");
}

TEST(PassList, AnUnknownSettingIsRefusedWithThoseThereAre) {
  const auto passes = parsePassList("while-loop-unroller{trip_count_treshold=1}");
  ASSERT_FALSE(passes.has_value());
  EXPECT_THAT(passes.error().notes,
              testing::ElementsAre("did you mean 'trip_count_threshold'?",
                                   "there are: trip_count_threshold, instruction_count_threshold"));
}

TEST(PassList, EverySettingHasANameOfItsOwnASummaryAndADefaultThatMayBeWritten) {
  for (const Pass& pass : allPasses()) {
    for (const PassSetting& setting : pass.settings) {
      EXPECT_FALSE(setting.summary.empty()) << pass.name << " " << setting.name;
      EXPECT_EQ(findSetting(pass.settings, setting.name), &setting) << pass.name << " " << setting.name;
      const auto again = parseSetting(pass.settings, pass.name, setting.name, settingText(setting.fallback));
      ASSERT_TRUE(again) << toString(again.error());
      EXPECT_EQ(again->value, setting.fallback) << pass.name << " " << setting.name;
    }
  }
}

TEST(PassList, PipelinesAreMadeOfKnownPasses) {
  for (const Pipeline& pipeline : allPipelines()) EXPECT_FALSE(pipeline.passes.empty()) << pipeline.name;
  EXPECT_EQ(findPipeline("simplify")->passes.front().pass->name, "call-inliner");
  EXPECT_EQ(findPipeline("no-such"), nullptr);
}

}  // namespace
}  // namespace hilo
