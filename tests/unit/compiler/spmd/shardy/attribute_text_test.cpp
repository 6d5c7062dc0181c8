// Texts of shardings that cannot be: an error that names the instruction and the axis. Mutated texts: a
// sharding or an error, never a crash.
#include "core/compiler/spmd/shardy/attribute_text.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/unit/compiler/spmd/shardy/shardy_module.h"

namespace hilo::sdy {
namespace {

using testing::HasSubstr;

std::string negateOf(const std::string& sharding, const std::string& axes = "'a'=2, 'b'=4") {
  return moduleText(
      axes, "ENTRY e {\n p = f32[8,8] parameter(0)@" + sharding + "\n ROOT n = f32[8,8] negate(p) }", 8);
}

void expectRefused(const std::string& text, const std::string& words) {
  const Diagnostic refusal = refusalOf(text);
  EXPECT_EQ(refusal.kind, "sharding-invalid") << text;
  EXPECT_THAT(refusal.message, HasSubstr(words));
  EXPECT_FALSE(refusal.notes.empty());
}

TEST(ShardyText, UnknownAxes) {
  expectRefused(negateOf("[{'x'}, {}]"), "the mesh has no axis \"x\"");
  EXPECT_EQ(refusalOf(negateOf("[{'x'}, {}]")).place.instruction, "p");
}

TEST(ShardyText, AnAxisTwice) {
  expectRefused(negateOf("[{'a'}, {'a'}]"), "axis \"a\" is used twice");
  expectRefused(negateOf("[{'b'}, {'b':(2)2}]"), "axis \"b\":(2)2 is used twice");
  expectRefused(negateOf("[{'b'}, {}], replicated={'b'}"), "axis \"b\" is used twice");
}

TEST(ShardyText, PartsThatAreNone) {
  expectRefused(negateOf("[{'b':(1)3}, {}]"), "\"b\":(1)3 is no part of an axis of 4");
  expectRefused(negateOf("[{'b':(0)2}, {}]"), "is no part");
  expectRefused(negateOf("[{'b':(1)2, 'b':(2)2}, {}]"), "are to be written as one");
}

TEST(ShardyText, OtherRanksMeshesAndPriorities) {
  expectRefused(negateOf("[{'a'}]"), "it says 1 dimensions");
  expectRefused(negateOf("[{}p1, {}]"), "a priority of a dimension that is closed and has no axis");
  expectRefused(negateOf("[{'a'}, {}]", "'a'=2, 'b'=3"), "one of 6 devices, the module has 8 partitions");
  expectRefused(negateOf("[{'a'}, {}]", "'a'=2, 'a'=4"), "two axes are called \"a\"");
  expectRefused(negateOf("[{'a'}, {}]", "'a'=8], device_ids=[0, 1, 2, 3, 4, 5, 6, 6"), "6 is twice");
}

TEST(ShardyText, RulesOfCustomCallsMustFit) {
  const auto refused = [](const std::string& rule) {
    return refusalOf(
               "HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = "
               "#sdy.mesh<[\"a\"=2]>}}\n"
               "ENTRY e { p = f32[4,6] parameter(0)\n ROOT c = f32[4,6] custom-call(p), "
               "custom_call_target=\"f\", "
               "frontend_attributes={xla.sdy.sharding_rule=\"#sdy.op_sharding_rule<" +
               rule + ">\"} }")
        .message;
  };
  EXPECT_THAT(refused("([i, j])->([i, j]) {i=4, j=5}, custom"), HasSubstr("does not fit dimension 1"));
  EXPECT_THAT(refused("([i, k])->([i, j]) {i=4, j=6}, custom"), HasSubstr("does not fit dimension 1"));
  EXPECT_THAT(refused("([i])->([i]) {i=4}, custom"), HasSubstr("says 1 dimensions"));
  EXPECT_THAT(refused("([i, ij])->([i, j]) {i=4, j=6}, custom"), HasSubstr("does not fit dimension 1"));
}

TEST(ShardyText, ARuleIsReadAsItIsWritten) {
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e { p = f32[2,4] parameter(0)\n q = f32[8] parameter(1)\n ROOT c = f32[8] "
      "custom-call(p, q), "
      "custom_call_target=\"f\" }");
  const std::string text =
      "#sdy.op_sharding_rule<([i, j], [k])->([ij]) {i=2, j=4, k=8} reduction={k} blocked_propagation={j}>";
  const auto rule = readRule(text, *(*module)->entry()->root());
  ASSERT_TRUE(rule.has_value()) << toString(rule.error());
  EXPECT_EQ(toString(*rule), text);
}

// Takes away, doubles and replaces pieces of a text.
std::string mutated(std::string text, std::mt19937& random) {
  constexpr std::string_view kPieces[] = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          "<",
                                          ">",
                                          "\\\"a\\\"",
                                          "?",
                                          ",",
                                          ":(",
                                          "(2)2",
                                          "p9",
                                          "p-",
                                          "=",
                                          "@mesh",
                                          "\\\"b\\\":(2)2",
                                          "mesh<[",
                                          "max{",
                                          "replicated={",
                                          "99999999999999999999",
                                          "-1",
                                          "0"};
  for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
    const size_t at = random() % text.size(), length = random() % 4;
    const std::string_view piece = kPieces[random() % std::size(kPieces)];
    if (random() % 3 == 0) {
      text.erase(at, length);
    } else {
      text.replace(at, random() % 2 == 0 ? length : 0, piece);
    }
    if (text.empty()) text = "<";
  }
  return text;
}

TEST(ShardyText, MutatedTextIsReadOrRefused) {
  std::mt19937 random(7);
  constexpr std::string_view kSharding =
      "#sdy.sharding<@mesh, [{\\\"a\\\", ?}p1, {\\\"b\\\":(1)2}], replicated={\\\"b\\\":(2)2}>";
  constexpr std::string_view kMesh = "{mesh = #sdy.mesh<[\"a\"=2, \"b\"=4], device_ids=[7,6,5,4,3,2,1,0]>}";
  constexpr std::string_view kRule =
      "#sdy.op_sharding_rule<([i, jk])->([i, jk]) {i=8, j=2, k=4} reduction={k}, custom>";
  int refused = 0, spread = 0;
  for (int n = 0; n < 1500; ++n) {
    const auto maybe = [&](std::string_view text, int which) {
      return n % 3 == which ? mutated(std::string(text), random) : std::string(text);
    };
    std::string mesh = maybe(kMesh, 1);
    // In the header the value is bare, quotes as they are.
    for (size_t at; (at = mesh.find('\\')) != mesh.npos;) mesh.erase(at, 1);
    MeshTable meshes;
    const Status header = readMeshes(mesh, 8, meshes);
    auto module = parseModuleStrictly(
        "HloModule m, num_partitions=8\nENTRY e { p = f32[8,8] parameter(0)\n"
        " ROOT c = f32[8,8] custom-call(p), custom_call_target=\"f\" }");
    auto own = (*module)->clone();
    const std::string sharding = maybe(kSharding, 0), rule = maybe(kRule, 2);
    const auto plain = [](std::string text) {
      for (size_t at; (at = text.find("\\\"")) != text.npos;) text.erase(at, 1);
      return text;
    };
    const std::string shardingText = plain(sharding);
    const FrontendAttribute ofHeader{"xla.sdy.meshes", mesh}, ofParameter{"xla.sdy.sharding", shardingText},
        ofCall{"xla.sdy.sharding_rule", rule};
    own->set<Attr::FrontendAttributes>(std::span(&ofHeader, 1));
    own->entry()->parameters()[0]->set<Attr::FrontendAttributes>(std::span(&ofParameter, 1));
    own->entry()->root()->set<Attr::FrontendAttributes>(std::span(&ofCall, 1));
    const auto decisions = spreadShardy(*own);
    ++(decisions ? spread : refused);
    if (!header) EXPECT_FALSE(decisions.has_value()) << mesh;
    if (!decisions) EXPECT_EQ(decisions.error().kind, "sharding-invalid");
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(spread, 30);
}

}  // namespace
}  // namespace hilo::sdy
