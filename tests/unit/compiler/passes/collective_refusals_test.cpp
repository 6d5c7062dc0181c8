// Collectives that passes refuse by name, and that leave the module as it was; and groups of collectives that
// rows of passes cannot state: of another thread, and taken by the pass behind.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

PassRun run(const std::string& pass, const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly(text, options);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return runPasses(std::move(*module), *parsePassList(pass), {});
}

std::string refusalOf(const std::string& pass, const std::string& body) {
  const PassRun done =
      run(pass,
          "HloModule m, replica_count=2\nadd { x = f32[] parameter(0) y = f32[] parameter(1) "
          "ROOT z = f32[] add(x, y) }\nENTRY e {\n" +
              body + "\n}");
  EXPECT_EQ(done.steps.back().outcome, PassOutcome::Failed);
  return done.steps.back().problems.empty() ? "" : toString(done.steps.back().problems[0]);
}

std::string allReduce(const std::string& name, const std::string& of, const std::string& key) {
  return name + " = f32[4] all-reduce(" + of +
         "), replica_groups={{0,1}}, to_apply=add, frontend_attributes={collective_group_key=\"" + key +
         "\"}\n";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RaggedAllToAllDecomposer, OffsetsAndSizesNotS64AreRejected) {
  std::string operands = "i = f32[4] parameter(0)\no = f32[4] parameter(1)\n";
  for (const char* name : {"a", "b", "c", "d"})
    operands += std::string(name) + " = s32[2] constant({0, 1})\n";
  const std::string refusal =
      refusalOf("ragged-all-to-all-decomposer",
                operands + "ROOT r = f32[4] ragged-all-to-all(i, o, a, b, c, d), replica_groups={{0,1}}");
  EXPECT_TRUE(has(refusal, "unsupported-type")) << refusal;
  EXPECT_TRUE(has(refusal, "ragged-all-to-all-canonicalizer")) << refusal;
}

TEST(GroupCollectivesByKey, ErrorsWhenDependencyExists) {
  const std::string refusal =
      refusalOf("group-collectives-by-key", "a = f32[4] parameter(0)\n" + allReduce("p", "a", "k") +
                                                "n = f32[4] negate(p)\n" + allReduce("q", "n", "k") +
                                                "ROOT r = f32[4] negate(q)");
  EXPECT_TRUE(has(refusal, "p and q of e share collective_group_key=k")) << refusal;
  EXPECT_TRUE(has(refusal, "p -> n -> q")) << refusal;
}

// The way between the two of key "v" leads through one of "u", which alone could begin together.
TEST(GroupCollectivesByKey, ErrorsOnLaterKeyWithoutMutatingEarlierKey) {
  const std::string refusal = refusalOf(
      "group-collectives-by-key", "a = f32[4] parameter(0)\n" + allReduce("p", "a", "v") +
                                      allReduce("s", "p", "u") + allReduce("t", "a", "u") +
                                      allReduce("q", "s", "v") + "ROOT r = (f32[4], f32[4]) tuple(t, q)");
  EXPECT_TRUE(has(refusal, "p and q of e share collective_group_key=v")) << refusal;
  EXPECT_TRUE(has(refusal, "p -> s -> q")) << refusal;
}

TEST(GroupCollectivesByKey, ErrorsWhenGroupedNodeGraphHasCycle) {
  const std::string refusal = refusalOf(
      "group-collectives-by-key", "a = f32[4] parameter(0)\n" + allReduce("p", "a", "u") +
                                      allReduce("q", "p", "v") + allReduce("s", "a", "v") +
                                      allReduce("t", "s", "u") + "ROOT r = (f32[4], f32[4]) tuple(q, t)");
  EXPECT_TRUE(has(refusal, "collectives of the keys u, v need each other")) << refusal;
}

}  // namespace
}  // namespace hilo
