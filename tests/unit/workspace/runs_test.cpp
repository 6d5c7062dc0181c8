#include "core/workspace/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parsed(const std::string& body) {
  auto module = parseModuleStrictly("HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n" + body + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

Literal vectorOf(std::initializer_list<float> values) {
  Literal literal(Shape::array(ElementType::F32, {static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, literal.mutableData<float>().begin());
  return literal;
}

Result<RunRecord> runOn(const std::string& body, Literal argument, int repeat = 1) {
  return execute({.module = parsed(body),
                  .arguments = {.kind = ArgumentSource::Kind::Given, .given = {std::move(argument)}},
                  .repeat = repeat},
                 JobContext());
}

TEST(Timings, NearestRankQuantiles) {
  const Timings timings{.samplesNs = {50, 10, 40, 20, 30}};
  EXPECT_EQ(timings.medianNs(), 30);
  EXPECT_EQ(timings.quantileNs(0.1), 10);
  EXPECT_EQ(timings.quantileNs(0.9), 50);
  EXPECT_EQ(timings.quantileNs(0), 10);
  EXPECT_EQ(Timings{}.medianNs(), 0);
}

TEST(Execute, GivesOutputAndSamples) {
  const auto run = runOn("  ROOT r = f32[4] multiply(a, a)\n", vectorOf({1, 2, 3, 4}), 3);
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_EQ(*run->output, vectorOf({1, 4, 9, 16}));
  EXPECT_EQ(run->timings.n(), 3u);
  EXPECT_EQ(run->outputDigest, literalDigest(vectorOf({1, 4, 9, 16})));
  EXPECT_EQ(run->engine, "reference");
}

TEST(Execute, ElidedConstantsAreFilledAndNoted) {
  const auto module = parsed("  c = f32[4] constant({...})\n  ROOT r = f32[4] add(a, c)\n");
  const auto run = execute({.module = module, .arguments = {.seed = 7}}, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  ASSERT_EQ(run->notes.size(), 1u);
  EXPECT_THAT(run->notes[0], testing::HasSubstr("c"));
  EXPECT_TRUE(module->findInstruction("c")->literal().isElided());
}

TEST(Execute, RefusesByName) {
  const auto custom =
      runOn("  ROOT r = f32[4] custom-call(a), custom_call_target=\"mystery\"\n", vectorOf({1, 2, 3, 4}));
  ASSERT_FALSE(custom);
  EXPECT_EQ(custom.error().kind, "not-runnable");
  ASSERT_FALSE(custom.error().notes.empty());
  EXPECT_THAT(custom.error().notes[0], testing::HasSubstr("mystery"));
  const auto unknown =
      execute({.module = parsed("  ROOT r = f32[4] negate(a)\n"), .engine = "abacus"}, JobContext());
  EXPECT_EQ(unknown.error().kind, "unknown-engine");
}

TEST(Execute, StopsWhenCancelled) {
  const CancelToken token;
  token.cancel();
  const auto run = execute({.module = parsed("  ROOT r = f32[4] negate(a)\n")}, JobContext(token));
  EXPECT_EQ(run.error().kind, "cancelled");
}

TEST(CompareRuns, SaysWhereTheyDiffer) {
  const auto a = runOn("  ROOT r = f32[4] multiply(a, a)\n", vectorOf({1, 2, 3, 4}));
  const auto b = runOn("  ROOT r = f32[4] add(a, a)\n", vectorOf({1, 2, 3, 4}));
  const RunComparison same = compareRuns(*a, *a);
  EXPECT_TRUE(same.agree);
  EXPECT_TRUE(same.bitwiseEqual);
  const RunComparison other = compareRuns(*a, *b);
  EXPECT_FALSE(other.agree);
  ASSERT_EQ(other.leaves.size(), 1u);
  // 1, 4, 9, 16 against 2, 4, 6, 8.
  EXPECT_EQ(other.leaves[0].mismatches, 3);
  EXPECT_EQ(other.leaves[0].maxAbsError, 8);
  EXPECT_TRUE(compareRuns(*a, *b, {.absolute = 8, .relative = 0}).agree);
  EXPECT_THAT(other.leaves[0].firstMismatch, testing::HasSubstr("[0]"));
}

TEST(CompareRuns, WithoutOutputsTheDigestDecides) {
  auto a = *runOn("  ROOT r = f32[4] negate(a)\n", vectorOf({1, 2, 3, 4}));
  RunRecord b = a;
  b.output.reset();
  EXPECT_TRUE(compareRuns(a, b).agree);
  EXPECT_FALSE(compareRuns(a, b).comparable);
  b.outputDigest ^= 1;
  EXPECT_FALSE(compareRuns(a, b).agree);
}

TEST(ModuleHash, LooksThroughNamesAndMetadata) {
  const auto hash = [](const char* body) { return moduleHash(*parsed(body)); };
  EXPECT_EQ(hash("  ROOT r = f32[4] negate(a)\n"),
            hash("  ROOT other = f32[4] negate(a), metadata={op_name=\"x\"}\n"));
  EXPECT_NE(hash("  ROOT r = f32[4] negate(a)\n"), hash("  ROOT r = f32[4] abs(a)\n"));
  EXPECT_NE(hash("  c = f32[2] constant({1, 2})\n  ROOT r = f32[4] negate(a)\n"),
            hash("  c = f32[2] constant({1, 3})\n  ROOT r = f32[4] negate(a)\n"));
}

}  // namespace
}  // namespace hilo
