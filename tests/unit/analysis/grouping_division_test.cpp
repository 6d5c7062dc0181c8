#include "core/analysis/grouping/grouping_division.h"

#include <gtest/gtest.h>

#include "core/analysis/grouping/repeats.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// A prologue of `before` instructions, `layers` of a dozen, and an epilogue of `after`. Nothing
// has an op_name.
std::string model(int before, int layers, int after) {
  std::string body;
  std::string last = "x";
  int number = 0;
  auto add = [&](const char* shape, const std::string& call) {
    body += fmt::format("  %v{} = {} {}\n", number, shape, call);
    return fmt::format("v{}", number++);
  };
  for (int i = 0; i < before; ++i) last = add("f32[8,8]", fmt::format("negate(%{})", last));
  for (int layer = 0; layer < layers; ++layer) {
    const std::string input = last;
    const std::string w = add("f32[8,16]", "constant({...})");
    const std::string up =
        add("f32[8,16]",
            fmt::format("dot(%{}, %{}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", input, w));
    std::string at = up;
    for (const char* op : {"exponential", "tanh", "cosine", "sine", "abs", "floor"})
      at = add("f32[8,16]", fmt::format("{}(%{})", op, at));
    const std::string product = add("f32[8,16]", fmt::format("multiply(%{}, %{})", at, up));
    const std::string v = add("f32[16,8]", "constant({...})");
    const std::string down =
        add("f32[8,8]",
            fmt::format("dot(%{}, %{}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", product, v));
    last = add("f32[8,8]", fmt::format("add(%{}, %{})", down, input));
  }
  for (int i = 0; i < after; ++i) last = add("f32[8,8]", fmt::format("sqrt(%{})", last));
  return "HloModule m\n\nENTRY %main (x: f32[8,8]) -> f32[8,8] {\n  %x = f32[8,8] parameter(0)\n" + body +
         "  ROOT %out = f32[8,8] negate(%" + last + ")\n}\n";
}

struct Parsed {
  explicit Parsed(const std::string& text) {
    ParseResult result = parseModule(text);
    EXPECT_FALSE(hasErrors(result.diagnostics));
    module = std::move(result.module);
    for (const Instruction* instruction : module->entry()->instructions()) list.push_back(instruction);
  }
  std::shared_ptr<const Module> module;
  std::vector<const Instruction*> list;
};

std::string textOf(const std::vector<ListPart>& parts) {
  std::string text;
  for (const ListPart& part : parts) {
    text += fmt::format("{}[{},{})", part.label, part.begin, part.end);
    if (part.kind == GroupKind::Repeats) text += "(" + textOf(part.parts) + ")";
    text += " ";
  }
  return text;
}

TEST(Repeats, layersAreCutWhereOneValuePasses) {
  const Parsed parsed(model(5, 6, 9));
  const auto repeats = findRepeats(parsed.list);
  ASSERT_TRUE(repeats);
  // x and the prologue are 6 instructions, a layer is 12; each part takes over one value from the one before.
  ASSERT_EQ(repeats->starts.size(), 6u);
  const std::vector<uint32_t> passing = passingValues(parsed.list);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(repeats->starts[i] - repeats->starts[0], 12 * i);
    EXPECT_EQ(passing[repeats->starts[i]], 1u);
  }
  EXPECT_GE(repeats->starts[0], 6u);
  EXPECT_LE(repeats->end, 6u + 6 * 12);
}

TEST(Repeats, noneInAChainOrInTwoLayers) {
  EXPECT_FALSE(findRepeats(Parsed(model(100, 0, 0)).list));
  EXPECT_FALSE(findRepeats(Parsed(model(0, 2, 0)).list));
  EXPECT_FALSE(findRepeats({}));
  // Three layers in a long chain are not what it is about.
  EXPECT_FALSE(findRepeats(Parsed(model(200, 3, 0)).list));
}

TEST(DivideList, fewStandByThemselves) {
  EXPECT_EQ(textOf(divideList(Parsed(model(0, 4, 0)).list, 200)), "[0,50) ");
}

TEST(DivideList, repeatsWithWhatIsBeforeAndAfterThem) {
  const Parsed parsed(model(40, 10, 50));
  const std::vector<ListPart> parts = divideList(parsed.list, 200);
  ASSERT_EQ(parts.size(), 3u) << textOf(parts);
  EXPECT_EQ(parts[0].label, "before");
  EXPECT_EQ(parts[1].label, "10 repeats");
  EXPECT_EQ(parts[2].label, "after");
  EXPECT_EQ(parts[1].parts.size(), 10u);
  EXPECT_EQ(parts[1].parts[3].label, "4 of 10");
  EXPECT_EQ(parts[0].end, parts[1].begin);
  EXPECT_EQ(parts[2].end, parsed.list.size());
}

// Every item is in exactly one part, in order, at every level.
void expectWhole(const std::vector<ListPart>& parts, uint32_t begin, uint32_t end) {
  for (const ListPart& part : parts) {
    EXPECT_EQ(part.begin, begin);
    EXPECT_LT(part.begin, part.end);
    begin = part.end;
    if (part.kind != GroupKind::Instruction) expectWhole(part.parts, part.begin, part.end);
  }
  EXPECT_EQ(begin, end);
}

TEST(DivideList, nothingIsLostOrTwice) {
  for (const auto& [before, layers, after] :
       {std::array{0, 0, 0}, {3, 30, 4}, {300, 40, 500}, {1'000, 0, 0}, {50, 9, 9'000}, {130, 8, 0}}) {
    const Parsed parsed(model(before, layers, after));
    expectWhole(divideList(parsed.list, 50), 0, static_cast<uint32_t>(parsed.list.size()));
  }
}

TEST(DivideList, whatIsNoInstructionIsCutIntoPages) {
  const std::vector<const Instruction*> list(1'000, nullptr);
  const std::vector<ListPart> parts = divideList(list, 300);
  EXPECT_EQ(textOf(parts), "part 1[0,250) part 2[250,500) part 3[500,750) part 4[750,1000) ");
}

// Two updates whose steps alternate share the learning rate, which is one number.
TEST(GroupingDivision, partsThatOnlyShareOneNumberComeOneAfterTheOther) {
  const Parsed parsed(R"(HloModule m
ENTRY %main (a: f32[8], b: f32[4], r: f32[]) -> (f32[8], f32[4]) {
  %a = f32[8] parameter(0)
  %b = f32[4] parameter(1)
  %r = f32[] parameter(2)
  %ra = f32[8] broadcast(%r), dimensions={}
  %rb = f32[4] broadcast(%r), dimensions={}
  %a1 = f32[8] multiply(%a, %ra)
  %b1 = f32[4] multiply(%b, %rb)
  %a2 = f32[8] subtract(%a, %a1)
  %b2 = f32[4] subtract(%b, %b1)
  ROOT %t = (f32[8], f32[4]) tuple(%a2, %b2)
})");
  // Without the root, which joins all.
  const std::span<const Instruction* const> updates(parsed.list.data(), parsed.list.size() - 1);
  std::string order;
  for (const uint32_t at : orderByPart(updates)) order += std::string(updates[at]->name()) + " ";
  EXPECT_EQ(order, "a a1 a2 b b1 b2 r ra rb ");
}

}  // namespace
}  // namespace hilo
