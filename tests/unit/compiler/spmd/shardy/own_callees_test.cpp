// Functions that several instructions call: each spreads its own shardings, those that end up alike are one.
#include "core/compiler/spmd/shardy/own_callees.h"

#include "tests/unit/compiler/spmd/shardy/shardy_module.h"

namespace hilo::sdy {
namespace {

size_t computationsOf(const std::string& body) {
  return spreadModule(moduleText("'x'=2", body, 2))->computations().size();
}

constexpr const char* kTwice = R"(twice {
  a = f32[4,8] parameter(0)
  ROOT t = f32[4,8] add(a, a)
}
)";

TEST(OwnCallees, AlikeBecomeOneAgain) {
  EXPECT_EQ(computationsOf(std::string(kTwice) + R"(ENTRY e {
  p = f32[4,8] parameter(0)@[{'x'}, {}]
  one = f32[4,8] call(p), to_apply=twice
  ROOT two = f32[4,8] call(one), to_apply=twice
})"),
            2u);
}

TEST(OwnCallees, OthersStayApart) {
  const std::string text = std::string(kTwice) + R"(ENTRY e {
  p = f32[4,8] parameter(0)@[{'x'}, {}]
  q = f32[4,8] parameter(1)@[{}, {'x'}]
  one = f32[4,8] call(p), to_apply=twice
  two = f32[4,8] call(q), to_apply=twice
  ROOT r = (f32[4,8], f32[4,8]) tuple(one, two)
})";
  const auto module = spreadModule(moduleText("'x'=2", text, 2));
  ASSERT_EQ(module->computations().size(), 3u);
  const auto calleeRoot = [&](std::string_view call) {
    return module->findInstruction(call)->get<Attr::ToApply>()->root();
  };
  std::string first, second;
  appendSharding(first, *calleeRoot("one")->get<Attr::Sharding>());
  appendSharding(second, *calleeRoot("two")->get<Attr::Sharding>());
  EXPECT_EQ(first, "{devices=[2,1]<=[2]}");
  EXPECT_EQ(second, "{devices=[1,2]<=[2]}");
}

// What a copy calls is copied with it, and all meet again.
TEST(OwnCallees, NestedCallsMeetFromBelow) {
  EXPECT_EQ(computationsOf(std::string(kTwice) + R"(four {
  b = f32[4,8] parameter(0)
  c = f32[4,8] call(b), to_apply=twice
  ROOT d = f32[4,8] call(c), to_apply=twice
}
ENTRY e {
  p = f32[4,8] parameter(0)@[{'x'}, {}]
  one = f32[4,8] call(p), to_apply=four
  two = f32[4,8] call(one), to_apply=twice
  ROOT three = f32[4,8] call(two), to_apply=four
})"),
            3u);
}

TEST(OwnCallees, NestedDoublingEnds) {
  std::string text = "f0 {\n  a0 = f32[4] parameter(0)\n  ROOT r0 = f32[4] negate(a0)\n}\n";
  for (int i = 1; i <= 40; ++i) {
    text += fmt::format(
        "f{0} {{\n  a{0} = f32[4] parameter(0)\n  b{0} = f32[4] call(a{0}), to_apply=f{1}\n"
        "  ROOT r{0} = f32[4] call(b{0}), to_apply=f{1}\n}}\n",
        i, i - 1);
  }
  text += "ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=f40\n}\n";
  auto module = parseModuleStrictly("HloModule m\n" + text);
  ASSERT_TRUE(module) << toString(module.error());
  const auto made = giveOwnCallees(**module);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, "module-too-large");
}

}  // namespace
}  // namespace hilo::sdy
