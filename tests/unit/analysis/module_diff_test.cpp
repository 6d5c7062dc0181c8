#include "core/analysis/diff/module_diff.h"

#include <gtest/gtest.h>

#include <map>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly(std::move(text));
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

// "name" -> "added", "removed" or what changed.
std::map<std::string, std::string> changesOf(const StepDiff& diff) {
  std::map<std::string, std::string> changes;
  for (const InstructionChange& change : diff.changes) {
    changes[change.name] = change.kind == ChangeKind::Added     ? "added"
                           : change.kind == ChangeKind::Removed ? "removed"
                                                                : change.what;
  }
  return changes;
}
using Changes = std::map<std::string, std::string>;

constexpr const char* kBefore = R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  one = f32[4] multiply(a, b)
  two = f32[4] add(one, a)
  ROOT three = f32[4] subtract(two, b)
})";

TEST(ModuleDiff, EqualModulesHaveNoChanges) {
  const auto before = parsed(kBefore), after = parsed(kBefore);
  EXPECT_TRUE(diffModules(*before, *after).empty());
}

TEST(ModuleDiff, NamesFirst) {
  const auto before = parsed(kBefore);
  const auto after = parsed(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  two = f32[4] add(b, a), metadata={op_name="x"}
  extra = f32[4] negate(two)
  ROOT three = f32[4] subtract(extra, b)
})");
  const StepDiff diff = diffModules(*before, *after);
  EXPECT_EQ(
      changesOf(diff),
      (Changes{
          {"one", "removed"}, {"two", "operands, metadata"}, {"extra", "added"}, {"three", "operands"}}));
  EXPECT_EQ(diff.added, 1u);
  EXPECT_EQ(diff.removed, 1u);
  EXPECT_EQ(diff.changed, 2u);
  EXPECT_EQ(diff.kindBefore[before->findInstruction("one")->id().value], ChangeKind::Removed);
  EXPECT_EQ(diff.partnerAfter[after->findInstruction("three")->id().value],
            before->findInstruction("three")->id());
}

TEST(ModuleDiff, RenamedInstructionsAreFoundByStructure) {
  const auto before = parsed(kBefore);
  const auto after = parsed(R"(HloModule m
ENTRY e.7 {
  p.0 = f32[4] parameter(0)
  p.1 = f32[4] parameter(1)
  multiply.9 = f32[4] multiply(p.0, p.1)
  add.12 = f32[4] add(multiply.9, p.0)
  ROOT subtract.3 = f32[4] subtract(add.12, p.1)
})");
  EXPECT_EQ(changesOf(diffModules(*before, *after)), Changes{});
}

TEST(ModuleDiff, RenamedUsersOfAChangeAreFoundFromTheRoot) {
  const auto before = parsed(kBefore);
  const auto after = parsed(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  d = f32[4] divide(a, b)
  sum = f32[4] add(d, a)
  ROOT end = f32[4] subtract(sum, b)
})");
  // The divide stands where the multiply stood: between the same operands and the same user.
  EXPECT_EQ(changesOf(diffModules(*before, *after)), (Changes{{"d", "opcode"}}));
}

TEST(ModuleDiff, ConstantsAreToldApartByValue) {
  const auto make = [](const char* first, const char* second) {
    return parsed(std::string("HloModule m\nENTRY e {\n  ") + first + "\n  " + second +
                  "\n  ROOT t = (s32[], s32[]) tuple(x, y)\n}");
  };
  const auto before = make("x = s32[] constant(1)", "y = s32[] constant(2)");
  const auto after = make("x = s32[] constant(1)", "y = s32[] constant(3)");
  EXPECT_EQ(changesOf(diffModules(*before, *after)), (Changes{{"y", "literal"}}));
}

TEST(ModuleDiff, CalledComputationsAreComparedByWhatTheyAre) {
  const auto make = [](const char* name, const char* opcode) {
    return parsed(
        std::string("HloModule m\n") + name + " {\n x." + name + " = f32[] parameter(0)\n y." + name +
        " = f32[] parameter(1)\n ROOT r." + name + " = f32[] " + opcode + "(x." + name + ", y." + name +
        ")\n}\nENTRY e {\n a = f32[8] parameter(0)\n z = f32[] constant(0)\n ROOT sum = f32[] reduce(a, z), "
        "dimensions={0}, to_apply=" +
        name + "\n}");
  };
  const auto before = make("region_0", "add"), renamed = make("region_5", "add"),
             other = make("region_0", "maximum");
  EXPECT_EQ(changesOf(diffModules(*before, *renamed)), Changes{});
  EXPECT_EQ(changesOf(diffModules(*before, *other)), (Changes{{"r.region_0", "opcode"}}));
}

TEST(ModuleDiff, SharedIdsFollowAnInstructionThroughAnything) {
  const auto before = parsed(kBefore);
  const auto after = before->clone();
  Instruction* one = after->findInstruction("one");
  one->become(Opcode::Divide, std::vector<Instruction*>{one->operand(0), one->operand(1)});
  one->setName("renamed");
  Computation* entry = after->entry();
  Instruction* negate = entry->create(Opcode::Negate, one->shape(), {one}, "negate", entry->root());
  entry->root()->setOperand(0, negate);
  entry->remove(after->findInstruction("two"));
  EXPECT_EQ(changesOf(diffModules(*before, *after, {.sharedIds = true})),
            (Changes{{"renamed", "opcode"}, {"negate", "added"}, {"two", "removed"}, {"three", "operands"}}));
}

}  // namespace
}  // namespace hilo
