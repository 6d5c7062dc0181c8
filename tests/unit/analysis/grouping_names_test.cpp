#include "core/analysis/grouping/grouping_names.h"

#include <gtest/gtest.h>

#include "core/analysis/grouping/grouping.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string textOf(const std::vector<NamePart>& parts, std::span<const std::string_view> names) {
  std::string text;
  for (const NamePart& part : parts) {
    text += text.empty() ? "" : " ";
    text += part.parts.empty() ? std::string(names[part.name])
                               : part.label + "(" + textOf(part.parts, names) + ")";
  }
  return text;
}

int depthOf(const std::vector<NamePart>& parts) {
  int deepest = 0;
  for (const NamePart& part : parts) deepest = std::max(deepest, depthOf(part.parts));
  return parts.empty() ? 0 : deepest + 1;
}

std::string divided(const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return textOf(divideNames(views), views);
}

TEST(GroupingNames, fewNamesStayAsTheyAre) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(fmt::format("conv{}_a", i / 20));
  EXPECT_EQ(divided(names), "");
}

TEST(GroupingNames, manyAreDividedByTheirFirstWordAndThenTheNext) {
  std::vector<std::string> names = {"input"};
  for (int stage = 2; stage <= 3; ++stage) {
    for (int block = 1; block <= 2; ++block) {
      for (int layer = 0; layer < 10; ++layer)
        names.push_back(fmt::format("conv{}_block{}_{}", stage, block, layer));
    }
  }
  names.push_back("pool");
  const auto block = [](int stage, int number) {
    std::string text = fmt::format("conv{}_block{}_*(", stage, number);
    for (int layer = 0; layer < 10; ++layer)
      text += fmt::format("{}conv{}_block{}_{}", layer == 0 ? "" : " ", stage, number, layer);
    return text + ")";
  };
  EXPECT_EQ(divided(names), "input conv2_*(" + block(2, 1) + " " + block(2, 2) + ") conv3_*(" + block(3, 1) +
                                " " + block(3, 2) + ") pool");
}

TEST(GroupingNames, whatAllBeginWithIsNoPart) {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("model.net.{}.{}", i < 25 ? "up" : "down", i));
  EXPECT_TRUE(divided(names).starts_with("model.net.up.*(model.net.up.0 "));
}

TEST(GroupingNames, namesWithNothingInCommonStayAsTheyAre) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(fmt::format("n{}_x", i));
  EXPECT_EQ(divided(names), "");
}

// Names that nest without end must not nest groups without end.
TEST(GroupingNames, depthIsBounded) {
  std::vector<std::string> names;
  std::string front;
  for (int i = 0; i < 2'000; ++i) {
    names.push_back(front + "a");
    names.push_back(front + "b");
    front += "c.";
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  EXPECT_EQ(depthOf(divideNames(views)), 9);
}

TEST(GroupingNames, theGraphHasThemAsGroups) {
  std::string text = "HloModule m\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %v0 = f32[8] parameter(0)\n";
  int number = 0;
  for (const char* stage : {"down", "up"}) {
    for (int i = 0; i < 30; ++i, ++number) {
      for (const char* op : {"negate", "abs"}) {
        text += fmt::format("  %{}{} = f32[8] {}(%v{}), metadata={{op_name=\"{}_{}/{}\"}}\n",
                            op == std::string_view("abs") ? "v" : "w", number + 1, op, number, stage, i, op);
      }
    }
  }
  text += fmt::format("  ROOT %out = f32[8] negate(%v{})\n}}\n", number);
  const Grouping grouping(std::move(parseModule(text).module));
  std::string labels;
  for (const GroupId child : grouping.node(grouping.root()).children) {
    const GroupNode& node = grouping.node(child);
    labels += fmt::format("{}:{}:{} ", node.label, node.children.size(), node.instructionCount);
  }
  EXPECT_EQ(labels, "down_*:30:60 up_*:30:60 :0:1 :0:1 ");
}

}  // namespace
}  // namespace hilo
