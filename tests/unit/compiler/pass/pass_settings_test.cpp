#include "core/compiler/pass/pass_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;

enum class Order : uint8_t { Forward, Backward };

struct Settings {
  bool deep = true;
  int64_t copies = 2;
  int64_t limit = kUnlimited;
  Order order = Order::Backward;
  static Settings defaultsFor(const Module& module) {
    return {.copies = static_cast<int64_t>(module.instructionCount())};
  }
};

Settings seen;
Result<bool> look(Module&, PassContext&, const Settings& settings) {
  seen = settings;
  return false;
}

const Pass& lookPass() {
  static const Pass pass = makePass<&look>(
      "look", "",
      {setting<&Settings::deep>("deep", "how far"), setting<&Settings::copies>("copies", "how many", {1, 9}),
       setting<&Settings::limit>("limit", "how large"),
       choice<&Settings::order>("order", "which way", {"forward", "backward"})});
  return pass;
}

SettingChange change(std::string_view name, std::string_view text) {
  auto parsed = parseSetting(lookPass().settings, "look", name, text);
  EXPECT_TRUE(parsed) << toString(parsed.error());
  return parsed.value_or(SettingChange{&lookPass().settings[0], true});
}

std::string refusal(std::string_view name, std::string_view text) {
  const auto parsed = parseSetting(lookPass().settings, "look", name, text);
  return parsed ? std::string() : parsed.error().message;
}

// Three instructions.
std::shared_ptr<const Module> module() {
  return *parseModuleStrictly(
      "HloModule m\nENTRY e {\n x = f32[] parameter(0)\n y = f32[] negate(x)\n ROOT z = "
      "f32[] add(x, y)\n}\n");
}

TEST(PassSettings, TheDefaultOfAFieldIsItsInitialiser) {
  EXPECT_EQ(lookPass().settings[0].fallback, SettingValue(true));
  EXPECT_EQ(lookPass().settings[1].fallback, SettingValue(int64_t{2}));
  EXPECT_EQ(settingText(lookPass().settings[2].fallback), "unlimited");
  EXPECT_EQ(lookPass().settings[3].fallback, SettingValue("backward"));
}

TEST(PassSettings, NumbersMayHaveUnits) {
  EXPECT_EQ(change("limit", "3KiB").value, SettingValue(int64_t{3072}));
  EXPECT_EQ(change("limit", "3MB").value, SettingValue(int64_t{3'000'000}));
  EXPECT_EQ(change("limit", "unlimited").value, SettingValue(kUnlimited));
}

TEST(PassSettings, WhatIsNotAllowedIsSaid) {
  EXPECT_EQ(refusal("copies", "10"), "look: the setting copies is a whole number from 1 to 9, not '10'");
  EXPECT_EQ(refusal("copies", "0"), "look: the setting copies is a whole number from 1 to 9, not '0'");
  EXPECT_EQ(refusal("copies", "2.5"), "look: the setting copies is a whole number from 1 to 9, not '2.5'");
  EXPECT_EQ(refusal("limit", "9223372036854775807GiB"),
            "look: the setting limit is a whole number of at least 0, not '9223372036854775807GiB'");
  EXPECT_EQ(refusal("limit", ""), "look: the setting limit is a whole number of at least 0, not ''");
  EXPECT_EQ(refusal("deep", "1"), "look: the setting deep is true or false, not '1'");
  EXPECT_EQ(refusal("order", "sideways"),
            "look: the setting order is one of forward, backward, not 'sideways'");
}

TEST(PassSettings, TextWithoutChoicesMayBeAny) {
  struct Named {
    std::string names;
  };
  const std::vector<PassSetting> settings = {setting<&Named::names>("names", "which")};
  EXPECT_EQ(allowedText(settings[0]), "any text");
  const auto parsed = parseSetting(settings, "look", "names", "one:other");
  ASSERT_TRUE(parsed) << toString(parsed.error());
  Named named;
  settings[0].write(settings[0], &named, parsed->value);
  EXPECT_EQ(named.names, "one:other");
}

TEST(PassSettings, APassRunsWithWhatIsSetAndElseWithTheDefaultsForTheModule) {
  ConfiguredPass configured(&lookPass());
  configured.set(change("limit", "100"));
  configured.set(change("order", "forward"));
  const PassRun run = runPasses(module(), {configured}, {});
  EXPECT_TRUE(seen.deep);
  EXPECT_EQ(seen.copies, 3);
  EXPECT_EQ(seen.limit, 100);
  EXPECT_EQ(seen.order, Order::Forward);
}

TEST(PassSettings, AStepKeepsAllItsSettingsAndWhichAreNotTheDefault) {
  ConfiguredPass configured(&lookPass());
  configured.set(change("limit", "7"));
  configured.set(change("limit", "100"));
  configured.set(change("copies", "3"));  // the default for this module
  const PassRun run = runPasses(module(), {configured}, {});
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_THAT(run.steps[0].settings,
              ElementsAre(EffectiveSetting{"deep", "true"}, EffectiveSetting{"copies", "3"},
                          EffectiveSetting{"limit", "100", false}, EffectiveSetting{"order", "backward"}));
  EXPECT_EQ(passText("look", run.steps[0].settings), "look{limit=100}");
  EXPECT_EQ(passText("look", {}), "look");
}

TEST(PassSettings, FieldsThatAProgramFilledInAreCheckedToo) {
  Settings settings;
  EXPECT_TRUE(checkSettings(lookPass().settings, "look", &settings));
  settings.copies = 10;
  const Status checked = checkSettings(lookPass().settings, "look", &settings);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, "bad-setting");
}

}  // namespace
}  // namespace hilo
