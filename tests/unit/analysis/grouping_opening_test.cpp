#include "core/analysis/grouping/grouping_opening.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parse(const std::string& text) {
  ParseResult result = parseModule(text);
  EXPECT_FALSE(hasErrors(result.diagnostics));
  return std::move(result.module);
}

// `count` negations one after another, each with the op_name scope/neg; from %x to the root.
std::string chain(int count, const std::string& scope, const std::string& first) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  %{}{} = f32[8] negate(%{}), metadata={{op_name=\"{}/neg\"}}\n", scope[0], i,
                        i == 0 ? first : fmt::format("{}{}", scope[0], i - 1), scope);
  }
  return text;
}

std::vector<std::string> opened(const Grouping& grouping, const OpenGroups& open) {
  std::vector<std::string> labels;
  for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
    const GroupNode& node = grouping.node(id);
    if (!open.contains(node.key)) continue;
    labels.push_back(node.label.empty() ? std::string(node.instruction->name()) : node.label);
  }
  return labels;
}

using Labels = std::vector<std::string>;

TEST(GroupingOpening, theFirstLookGoesThroughWhatDominates) {
  Grouping grouping(parse("HloModule m\n\n%body (x: f32[8]) -> f32[8] {\n  %x = f32[8] parameter(0)\n" +
                          chain(30, "a", "x") + chain(3, "b", "a29") +
                          "  ROOT %r = f32[8] abs(%b2)\n}\n\n"
                          "ENTRY %main (y: f32[8]) -> f32[8] {\n  %y = f32[8] parameter(0)\n"
                          "  ROOT %c = f32[8] call(%y), to_apply=%body\n}\n"));
  OpenGroups open;
  openForFirstLook(grouping, open);
  // The scope a holds 30 of the call's 35.
  EXPECT_EQ(opened(grouping, open), (Labels{"main", "c", "a"}));
}

TEST(GroupingOpening, theFirstLookStopsWhereNothingDominates) {
  Grouping grouping(parse("HloModule m\n\nENTRY %main (y: f32[8]) -> f32[8] {\n  %y = f32[8] parameter(0)\n" +
                          chain(30, "a", "y") + chain(30, "b", "a29") + chain(30, "c", "b29") +
                          "  ROOT %r = f32[8] abs(%c29)\n}\n"));
  OpenGroups open;
  openForFirstLook(grouping, open);
  EXPECT_EQ(opened(grouping, open), (Labels{"main"}));
}

TEST(GroupingOpening, theFirstLookStopsBeforeItIsTooMuch) {
  Grouping grouping(parse("HloModule m\n\nENTRY %main (y: f32[8]) -> f32[8] {\n  %y = f32[8] parameter(0)\n" +
                          chain(200, "a", "y") + chain(2, "b", "a199") + chain(2, "c", "b1") +
                          chain(2, "d", "c1") + "  ROOT %r = f32[8] abs(%d1)\n}\n"));
  OpenGroups open;
  openForFirstLook(grouping, open);
  EXPECT_EQ(opened(grouping, open), (Labels{"main"}));
}

TEST(GroupingOpening, openingGoesOnToTheFirstChoice) {
  Grouping grouping(
      parse("HloModule m\n\nENTRY %main (y: f32[8]) -> f32[8] {\n  %y = f32[8] parameter(0)\n"
            "  %n = f32[8] negate(%y), metadata={op_name=\"a/neg\"}\n" +
            chain(2, "a/s", "n") + "  ROOT %r = f32[8] abs(%a1)\n}\n"));
  OpenGroups open;
  openUntilChoice(grouping, grouping.root(), open);
  EXPECT_EQ(opened(grouping, open), (Labels{"main", "a", "s"}));
}

TEST(GroupingOpening, everythingIsOpenedUpToTheLimit) {
  const auto module = parse(
      "HloModule m\n\n%f (x: f32[8]) -> f32[8] {\n  %x = f32[8] parameter(0)\n  ROOT %n = f32[8] "
      "negate(%x)\n}\n\n"
      "ENTRY %main (y: f32[8]) -> f32[8] {\n  %y = f32[8] parameter(0)\n"
      "  %c = f32[8] call(%y), to_apply=%f\n  ROOT %d = f32[8] call(%c), to_apply=%f\n}\n");
  Grouping grouping(module), small(module);
  OpenGroups open, some;
  EXPECT_TRUE(openEverything(grouping, open));
  EXPECT_EQ(opened(grouping, open), (Labels{"main", "c", "d"}));
  EXPECT_FALSE(openEverything(small, some, CancelToken(), 5));
  EXPECT_EQ(opened(small, some), (Labels{"main", "c"}));
}

}  // namespace
}  // namespace hilo
