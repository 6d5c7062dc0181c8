#include "core/analysis/diff/module_matching.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/analysis/diff/module_diff.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly(std::move(text));
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

std::string partnerOf(const Module& before, const Module& after, const char* name,
                      const ModuleMatching& matching) {
  const Instruction* other = after.instruction(matching.after(*before.findInstruction(name)));
  return other == nullptr ? "" : std::string(other->name());
}

const InstructionChange* changeOf(const StepDiff& diff, std::string_view name) {
  for (const InstructionChange& change : diff.changes) {
    if (change.name == name) return &change;
  }
  return nullptr;
}

constexpr const char* kCalling = R"(HloModule m
square {
  p = f32[8] parameter(0)
  s = f32[8] multiply(p, p), metadata={op_name="jit(f)/square"}
  ROOT n = f32[8] negate(s), metadata={op_name="jit(f)/neg"}
}
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] exponential(a)
  c = f32[8] call(b), to_apply=square
  ROOT d = f32[8] add(c, a)
})";

constexpr const char* kInlined = R"(HloModule m
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] exponential(a)
  multiply.1 = f32[8] multiply(b, b), metadata={op_name="jit(f)/square"}
  negate.1 = f32[8] negate(multiply.1), metadata={op_name="jit(f)/neg"}
  ROOT d = f32[8] add(negate.1, a)
})";

TEST(ModuleMatching, WhatWasInlinedHasMoved) {
  const auto before = parsed(kCalling), after = parsed(kInlined);
  const StepDiff diff = diffModules(*before, *after);
  EXPECT_EQ(diff.moved, 2u);
  EXPECT_EQ(diff.added, 0u);
  EXPECT_EQ(diff.removed, 2u);  // the parameter and the call
  ASSERT_NE(changeOf(diff, "multiply.1"), nullptr);
  // Its operands are the same once looked at through the call.
  EXPECT_EQ(changeOf(diff, "multiply.1")->what, "from square");
  EXPECT_EQ(before->instruction(changeOf(diff, "negate.1")->before)->name(), "n");
}

TEST(ModuleMatching, WhatWasFusedHasMoved) {
  const auto before = parsed(kInlined);
  const auto after = parsed(R"(HloModule m
fused {
  x = f32[8] parameter(0)
  mul = f32[8] multiply(x, x)
  ROOT neg = f32[8] negate(mul)
}
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] exponential(a)
  fusion = f32[8] fusion(b), kind=kLoop, calls=fused
  ROOT d = f32[8] add(fusion, a)
})");
  const ModuleMatching matching = matchModules(*before, *after);
  EXPECT_EQ(partnerOf(*before, *after, "multiply.1", matching), "mul");
  EXPECT_EQ(partnerOf(*before, *after, "negate.1", matching), "neg");
  EXPECT_EQ(diffModules(*before, *after).moved, 2u);
}

// Two compilations of one program: one has an instruction more at the start, so that every number is off by
// one and each name belongs to something else.
TEST(ModuleMatching, NamesThatAreOffByOneAreNotTrusted) {
  const auto make = [](int first) {
    std::string text = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n";
    std::string last = "p";
    int number = first;
    for (const char* opcode :
         {"negate", "exponential", "negate", "log", "negate", "tanh", "negate", "sine"}) {
      text += fmt::format("  i.{} = f32[4] {}({})\n", number, opcode, last);
      last = fmt::format("i.{}", number++);
    }
    return text + fmt::format("  ROOT r = f32[4] cosine({})\n}}", last);
  };
  const auto before = parsed(make(0)), after = parsed(make(2));
  const ModuleMatching matching = matchModules(*before, *after);
  EXPECT_FALSE(matching.namesTrusted);
  EXPECT_EQ(partnerOf(*before, *after, "i.0", matching), "i.2");
  EXPECT_EQ(partnerOf(*before, *after, "i.7", matching), "i.9");
  EXPECT_TRUE(diffModules(*before, *after).empty());
}

TEST(ModuleMatching, OpNamesFindWhatChangedAllAround) {
  const auto make = [](const char* names, const char* opcode, const char* operand) {
    return parsed(fmt::format(R"(HloModule m
ENTRY e {{
  p = f32[4] parameter(0)
  {0}1 = f32[4] {1}(p)
  {0}2 = f32[4] multiply({0}1, {2}), metadata={{op_name="jit(f)/scale"}}
  ROOT {0}3 = (f32[4], f32[4]) tuple({0}2, {0}1)
}})",
                              names, opcode, operand));
  };
  const auto before = make("x", "sine", "p"), after = make("y", "cosine", "y1");
  const StepDiff diff = diffModules(*before, *after);
  ASSERT_NE(changeOf(diff, "y2"), nullptr);
  EXPECT_EQ(changeOf(diff, "y2")->kind, ChangeKind::Changed);
  EXPECT_EQ(changeOf(diff, "y2")->what, "operands");
}

TEST(ModuleMatching, EachInstructionHasOnePartnerAtMost) {
  // Three equal constants and additions before, two after.
  const auto make = [](int copies) {
    std::string text = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n";
    std::string all;
    for (int n = 0; n < copies; ++n) {
      text += fmt::format("  c{0}.{1} = f32[4] constant({{1,2,3,4}})\n  a{0}.{1} = f32[4] add(p, c{0}.{1})\n",
                          copies, n);
      all += fmt::format("{}a{}.{}", n == 0 ? "" : ", ", copies, n);
    }
    return parsed(text + fmt::format("  ROOT t = ({}) tuple({})\n}}",
                                     copies == 3 ? "f32[4], f32[4], f32[4]" : "f32[4], f32[4]", all));
  };
  const auto before = make(3), after = make(2);
  const StepDiff diff = diffModules(*before, *after);
  EXPECT_EQ(diff.removed, 2u);
  EXPECT_EQ(diff.added, 0u);
  std::vector<InstructionId> partners;
  for (const InstructionId id : diff.partnerAfter) {
    if (id.valid()) partners.push_back(id);
  }
  std::ranges::sort(partners, {}, &InstructionId::value);
  EXPECT_EQ(std::ranges::adjacent_find(partners), partners.end());
  EXPECT_EQ(partners.size(), after->instructionCount());
}

TEST(ThroughCalls, OnlyACallerThatIsAloneStandsForItsComputation) {
  const auto once = parsed(kCalling);
  const ThroughCalls through(*once);
  EXPECT_EQ(through.resolve(*once->findInstruction("p")).name(), "b");
  EXPECT_EQ(through.resolve(*once->findInstruction("c")).name(), "n");
  const auto twice = parsed(R"(HloModule m
f {
  p = f32[8] parameter(0)
  ROOT n = f32[8] negate(p)
}
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] call(a), to_apply=f
  ROOT c = f32[8] call(b), to_apply=f
})");
  const ThroughCalls none(*twice);
  EXPECT_EQ(none.resolve(*twice->findInstruction("p")).name(), "p");
  EXPECT_EQ(none.resolve(*twice->findInstruction("b")).name(), "b");
}

}  // namespace
}  // namespace hilo
