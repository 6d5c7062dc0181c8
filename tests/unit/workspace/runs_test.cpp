#include "core/workspace/run/runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/memory_needs.h"

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

TEST(Runs, WhatIsForSeveralDevicesRunsOnAsManyAsItsCollectivesName) {
  auto module = parseModuleStrictly(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(p), replica_groups={{0,2},{1,3}}, to_apply=add })");
  ASSERT_TRUE(module.has_value());
  const std::shared_ptr<const Module> shared = *std::move(module);
  for (const char* engine : {"reference", "cpu"}) {
    const auto run = execute({.module = shared, .engine = engine}, JobContext());
    ASSERT_TRUE(run.has_value()) << toString(run.error());
    EXPECT_EQ(run->devices, 4);
    EXPECT_THAT(run->notes, testing::Contains("its collectives are of 4 devices: it ran on as many"));
  }
  const auto alone = execute({.module = shared, .devices = 1}, JobContext());
  ASSERT_FALSE(alone.has_value());
  EXPECT_EQ(alone.error().kind, "not-runnable");
  EXPECT_EQ(alone.error().notes.back(), "its collectives are of 4 devices: --devices 4 runs it on as many");
}

// What the cpu engine refuses and the evaluator does not, beside a product of so many rows and columns.
std::string refusalOf(int64_t size) {
  auto module = parseModuleStrictly(fmt::format(R"(HloModule m
ENTRY e {{ a = f32[<=8] parameter(0)
  w = f32[{0},{0}] parameter(1)
  p = f32[{0},{0}] dot(w, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  f = token[] after-all()
  o = token[] outfeed(a, f), outfeed_shape=f32[<=8]
  ROOT t = (f32[{0},{0}], token[]) tuple(p, o) }})",
                                                size));
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  const auto run = execute({.module = *std::move(module), .engine = "cpu"}, JobContext());
  EXPECT_FALSE(run.has_value());
  return run ? "" : run.error().notes.back();
}

// Another engine is advised with what it would take, where that is much.
TEST(Runs, ARefusalSaysWhatTheEvaluatorWouldTake) {
  EXPECT_EQ(refusalOf(8), "the engine reference can run it");
  EXPECT_THAT(refusalOf(4'000), testing::StartsWith("the engine reference can run it, in about "));
  EXPECT_THAT(refusalOf(20'000'000),
              testing::StartsWith("the engine reference would need more memory: about "));
}

// Of 128 devices by its shapes, and each makes 512 MB.
std::shared_ptr<const Module> wideModule() {
  auto module = parseModuleStrictly(R"(HloModule wide
ENTRY e { p = f32[1000000] parameter(0)
  small = f32[1000000] negate(p)
  ROOT whole = f32[128000000] all-gather(small), dimensions={0}, replica_groups={} })");
  EXPECT_TRUE(module.has_value());
  return *std::move(module);
}

TEST(Runs, WhatTakesMoreThanThereIsIsRefusedBeforeItRuns) {
  const WorkerOptions limited{.command = {"nobody"}, .memoryLimitBytes = 1'000'000'000};
  const auto run =
      execute({.module = wideModule(), .engine = "cpu:no-cache", .worker = limited}, JobContext());
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "out-of-memory");
  EXPECT_THAT(run.error().message, testing::StartsWith("wide takes at least 6"));
  ASSERT_EQ(run.error().notes.size(), 3u);
  EXPECT_THAT(run.error().notes[0], testing::HasSubstr("each of 128 devices takes 488 MiB for its results"));
  EXPECT_THAT(run.error().notes[1], testing::HasSubstr("whole (488 MiB)"));
}

// Making 4 TB of arguments first would end the process.
TEST(Runs, WhatTakesMoreThanThereIsIsRefusedBeforeItsArgumentsAreMade) {
  auto parsed = parseModuleStrictly(R"(HloModule large
ENTRY e { p = f32[1000000,1000000] parameter(0)
  ROOT r = f32[1000000,1000000] negate(p) })");
  ASSERT_TRUE(parsed.has_value());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  for (const std::string engine : {"reference", "cpu"}) {
    const auto run = execute({.module = module, .engine = engine}, JobContext());
    ASSERT_FALSE(run.has_value()) << engine;
    EXPECT_EQ(run.error().kind, "out-of-memory") << run.error().message;
    EXPECT_THAT(run.error().notes[engine == "cpu" ? 0 : 1], testing::HasSubstr("p (3.64 TiB)"));
  }
}

TEST(Runs, EvaluatingTakesAtLeastWhatOneInstructionDoes) {
  const MemoryNeeds needs = leastNeedsOf(*wideModule(), /*lists=*/128, /*devices=*/128);
  EXPECT_EQ(needs.arguments, 128 * 4'000'000);
  EXPECT_EQ(needs.results, 512'000'000);
  EXPECT_EQ(needs.temporaries, 4'000'000);
  EXPECT_EQ(needs.total(), 128 * 520'000'000ll);
  EXPECT_TRUE(checkNeeds(needs, needs.total(), "wide").has_value());
  EXPECT_FALSE(checkNeeds(needs, needs.total() - 1, "wide").has_value());
}

TEST(Runs, ATestProgramIsSentToCheck) {
  auto module = parseModuleStrictly(R"(HloModule m
ENTRY e { a = f32[] constant(1)
  c = () custom-call(a, a), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT t = () tuple() })");
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  const auto run = execute({.module = std::shared_ptr<const Module>(*std::move(module))}, JobContext());
  ASSERT_FALSE(run.has_value());
  EXPECT_THAT(
      run.error().notes,
      testing::Contains("it is a test program that holds its own answers: `hilo check FILE` runs it"));
}

TEST(Runs, ConstantsThatWereNotPrintedAreTheSameOnEveryEngine) {
  std::vector<uint64_t> digests;
  for (const char* engine : {"reference", "cpu"}) {
    const auto run =
        execute({.module = parsed("c = f32[4] constant({...})\nROOT s = f32[4] add(a, c)"), .engine = engine},
                JobContext());
    ASSERT_TRUE(run) << engine << toString(run.error());
    EXPECT_THAT(run->notes, testing::Contains("c was elided: filled from seed 0"));
    digests.push_back(run->outputDigest);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST(Timings, NearestRankQuantiles) {
  const Timings timings{.samplesNs = {50, 10, 40, 20, 30}};
  EXPECT_EQ(timings.medianNs(), 30);
  EXPECT_EQ(timings.quantileNs(0.1), 10);
  EXPECT_EQ(timings.quantileNs(0.9), 50);
  EXPECT_EQ(timings.quantileNs(0), 10);
  EXPECT_EQ(Timings{}.medianNs(), 0);
}

TEST(Timings, TheMediansIntervalGrowsNarrowerWithMoreSamples) {
  Timings timings;
  const auto interval = [&](int n) {
    timings.samplesNs.clear();
    for (int i = n; i > 0; --i) timings.samplesNs.push_back(i);
    return timings.medianIntervalNs();
  };
  // 2 * 0.5^5 is over 5%, 2 * 0.5^6 is not.
  EXPECT_FALSE(interval(5).has_value());
  ASSERT_TRUE(interval(6).has_value());
  EXPECT_EQ(interval(6)->low, 1);
  EXPECT_EQ(interval(6)->high, 6);
  // From a table of the binomial law: ranks 2 and 9 of 10, 40 and 61 of 100.
  EXPECT_EQ(interval(10)->low, 2);
  EXPECT_EQ(interval(10)->high, 9);
  EXPECT_EQ(interval(100)->low, 40);
  EXPECT_EQ(interval(100)->high, 61);
}

TEST(Timings, PairsAreComparedTurnByTurn) {
  // The machine slows down by the turn; the ratio stays.
  Timings a, b;
  for (int64_t turn = 1; turn <= 9; ++turn) {
    a.samplesNs.push_back(100 * turn);
    b.samplesNs.push_back(150 * turn);
  }
  const auto ratio = pairedRatio(a, b);
  ASSERT_TRUE(ratio.has_value());
  EXPECT_DOUBLE_EQ(ratio->median, 1.5);
  EXPECT_DOUBLE_EQ(ratio->low, 1.5);
  EXPECT_DOUBLE_EQ(ratio->high, 1.5);
  b.samplesNs.pop_back();
  EXPECT_FALSE(pairedRatio(a, b).has_value());
}

TEST(Execute, InTurnsAndWithTheTimesOfThunks) {
  const auto module = parsed("  n = f32[4] negate(a)\n  ROOT r = f32[4] exponential(n)\n");
  std::vector<RunRequest> requests;
  for (const char* engine : {"reference", "cpu:no-cache+no-passes"})
    requests.push_back({.module = module, .engine = engine, .repeat = 7, .timesThunks = true});
  const auto runs = executeInTurns(requests, JobContext());
  ASSERT_TRUE(runs) << toString(runs.error());
  ASSERT_EQ(runs->size(), 2u);
  for (const RunRecord& run : *runs) {
    EXPECT_EQ(run.timings.n(), 7u);
    EXPECT_GE(run.warmUps, 1);
    EXPECT_FALSE(run.version.empty());
  }
  EXPECT_TRUE((*runs)[0].thunkTimes.empty());
  EXPECT_EQ((*runs)[1].flags, "no-cache no-passes");
  ASSERT_EQ((*runs)[1].thunkTimes.size(), 2u);
  for (const ThunkTime& time : (*runs)[1].thunkTimes) {
    EXPECT_EQ(time.kind, "kernel");
    EXPECT_EQ(time.times, 1);
    EXPECT_GE(time.totalNs, 0);
  }
  EXPECT_TRUE(compareRuns((*runs)[0], (*runs)[1], {}, true).pairedRatio.has_value());
}

TEST(Execute, OneThatFailsDoesNotEndTheTurnsOfOthers) {
  const auto module = parsed("  ROOT n = f32[4] negate(a)\n");
  std::vector<RunRequest> requests(3, {.module = module, .repeat = 6});
  requests[1].devices = 2'000;
  const auto runs = tryInTurns(requests, JobContext());
  ASSERT_TRUE(runs) << toString(runs.error());
  ASSERT_EQ(runs->size(), 3u);
  ASSERT_FALSE((*runs)[1]);
  EXPECT_EQ((*runs)[1].error().kind, "wrong-device-count");
  ASSERT_TRUE((*runs)[0] && (*runs)[2]);
  EXPECT_EQ((*runs)[0]->timings.n(), 6u);
  EXPECT_TRUE(compareRuns(*(*runs)[0], *(*runs)[2], {}, true).pairedRatio.has_value());
  EXPECT_FALSE(executeInTurns(requests, JobContext()));
}

TEST(Execute, FlagsAnEngineLacksAreRefused) {
  const auto run =
      execute({.module = parsed("  ROOT r = f32[4] negate(a)\n"), .engine = "cpu:faster"}, JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "unknown-engine");
  EXPECT_THAT(run.error().notes[0], testing::HasSubstr("no-passes"));
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

// On one device too, where nobody is met.
TEST(Execute, GlobalIdsWithoutAChannelAreRefusedByEveryEngine) {
  const auto module = parsed(
      "  ROOT r = f32[4] all-gather(a), dimensions={0}, replica_groups={{0}}, use_global_device_ids=true\n");
  for (const std::string engine : {"reference", "cpu"}) {
    const auto run = execute({.module = module, .engine = engine}, JobContext());
    ASSERT_FALSE(run) << engine;
    EXPECT_EQ(run.error().kind, "not-runnable");
    ASSERT_FALSE(run.error().notes.empty());
    EXPECT_THAT(run.error().notes[0], testing::HasSubstr("use_global_device_ids"));
  }
}

std::shared_ptr<const Module> summedOnTwoPartitions() {
  auto module = parseModuleStrictly(R"(HloModule m, num_partitions=2
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[1] parameter(0)
  ROOT r = f32[1] all-reduce(a), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add })");
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

TEST(Execute, RunsOnAsManyDevicesAsTheModuleAsksFor) {
  const ArgumentSource each = {
      .kind = ArgumentSource::Kind::Given, .given = {vectorOf({1})}, .otherGiven = {{vectorOf({2})}}};
  const auto run = execute({.module = summedOnTwoPartitions(), .arguments = each}, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_EQ(run->devices, 2);
  EXPECT_EQ(*run->output, Literal::tuple({vectorOf({3}), vectorOf({3})}));

  const auto four =
      execute({.module = summedOnTwoPartitions(), .arguments = each, .devices = 4}, JobContext());
  EXPECT_EQ(four.error().kind, "wrong-argument");  // two lists for four devices
  EXPECT_EQ(execute({.module = summedOnTwoPartitions(), .arguments = each, .devices = 1}, JobContext())
                .error()
                .kind,
            "not-runnable");

  RunRecord other = *run;
  other.output = Literal::tuple({vectorOf({3}), vectorOf({4})});
  const RunComparison comparison = compareRuns(*run, other);
  ASSERT_EQ(comparison.leaves.size(), 2u);
  EXPECT_EQ(comparison.leaves[1].path, "device 1");
  EXPECT_EQ(comparison.leaves[1].mismatches, 1);
  other.devices = 1;
  EXPECT_EQ(compareRuns(*run, other).notComparable, "run a is of 2 devices, run b of 1");
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
  EXPECT_EQ(same.verdict, Verdict::Match);
  EXPECT_TRUE(same.bitwiseEqual);
  const RunComparison other = compareRuns(*a, *b);
  EXPECT_EQ(other.verdict, Verdict::Differs);
  ASSERT_EQ(other.leaves.size(), 1u);
  // 1, 4, 9, 16 against 2, 4, 6, 8.
  EXPECT_EQ(other.leaves[0].mismatches, 3);
  EXPECT_EQ(other.leaves[0].maxAbsError, 8);
  EXPECT_EQ(compareRuns(*a, *b, {.absolute = 8, .relative = 0}).verdict, Verdict::Match);
  EXPECT_THAT(other.leaves[0].firstMismatch, testing::HasSubstr("[0]"));
}

// A dot of n terms by the evaluator, which rounds once, and what came out with `change` made to it.
RunComparison compareDots(int64_t n, const std::function<void(std::span<float>)>& change) {
  const std::string text = fmt::format(R"(HloModule m
ENTRY e {{
  a = f32[16,{0}] parameter(0)
  b = f32[{0},16] parameter(1)
  ROOT d = f32[16,16] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
)",
                                       n);
  const auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<Literal> arguments;
  for (const auto& sizes : {std::vector<int64_t>{16, n}, std::vector<int64_t>{n, 16}}) {
    Literal& made = arguments.emplace_back(Shape::array(ElementType::F32, sizes));
    for (float& x : made.mutableData<float>()) x = normal(random);
  }
  const auto a = execute({.module = std::shared_ptr<const Module>(module->get(), [](const Module*) {}),
                          .arguments = {.kind = ArgumentSource::Kind::Given, .given = arguments}},
                         JobContext());
  EXPECT_TRUE(a) << toString(a.error());
  RunRecord b = *a;
  change(b.output->mutableData<float>());
  return compareRuns(*a, std::move(b));
}

TEST(CompareRuns, ALongSumMayDifferByRounding) {
  // As far off as a sum of 4096 terms of about 1 is when each step rounds: by 1e-5 or so, of elements
  // of about 64.
  const RunComparison off = compareDots(4096, [](std::span<float> values) {
    for (float& x : values) x += 2e-5f;
  });
  EXPECT_GT(off.leaves[0].mismatches, 0);
  EXPECT_EQ(off.leaves[0].beyondRounding, 0);
  EXPECT_EQ(off.leaves[0].rounding.terms, 4096);
  EXPECT_EQ(off.verdict, Verdict::DiffersByRounding);
}

TEST(CompareRuns, ATermThatIsMissingIsNoRounding) {
  for (const int64_t n : {64, 4096, 100'000}) {
    const RunComparison off = compareDots(n, [](std::span<float> values) { values[100] -= 0.5f; });
    EXPECT_EQ(off.leaves[0].beyondRounding, 1) << n;
    EXPECT_EQ(off.verdict, Verdict::Differs) << n;
  }
}

TEST(CompareRuns, AToleranceThatWasGivenIsTheWholeQuestion) {
  RunComparison off = compareDots(4096, [](std::span<float> values) {
    for (float& x : values) x += 2e-5f;
  });
  EXPECT_EQ(compareRuns(off.a, off.b, {.absolute = 1e-6, .relative = 0}).verdict, Verdict::Differs);
  EXPECT_EQ(compareRuns(off.a, off.b, {.absolute = 1e-4, .relative = 0}).verdict, Verdict::Match);
}

TEST(CompareRuns, WithoutOutputsTheDigestDecides) {
  auto a = *runOn("  ROOT r = f32[4] negate(a)\n", vectorOf({1, 2, 3, 4}));
  RunRecord b = a;
  b.output.reset();
  EXPECT_EQ(compareRuns(a, b).verdict, Verdict::Match);
  EXPECT_FALSE(compareRuns(a, b).comparable);
  b.outputDigest ^= 1;
  EXPECT_EQ(compareRuns(a, b).verdict, Verdict::Differs);
}

TEST(ModuleHash, LooksThroughNamesAndMetadata) {
  const auto hash = [](const char* body) { return moduleHash(*parsed(body)); };
  EXPECT_EQ(hash("  ROOT r = f32[4] negate(a)\n"),
            hash("  ROOT other = f32[4] negate(a), metadata={op_name=\"x\"}\n"));
  EXPECT_NE(hash("  ROOT r = f32[4] negate(a)\n"), hash("  ROOT r = f32[4] abs(a)\n"));
  EXPECT_NE(hash("  c = f32[2] constant({1, 2})\n  ROOT r = f32[4] negate(a)\n"),
            hash("  c = f32[2] constant({1, 3})\n  ROOT r = f32[4] negate(a)\n"));
}

// What the text leaves out counts: values of large arrays, of tuples, and that there are none.
TEST(ModuleHash, TellsLargeConstantsApart) {
  const auto hash = [](const char* constant) { return moduleHash(*parsed(constant)); };
  constexpr const char* kOne =
      "  c = s32[11] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})\n  ROOT r = f32[4] abs(a)\n";
  constexpr const char* kOther =
      "  c = s32[11] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11})\n  ROOT r = f32[4] abs(a)\n";
  constexpr const char* kNone = "  c = s32[11] constant({...})\n  ROOT r = f32[4] abs(a)\n";
  EXPECT_EQ(hash(kOne), hash(kOne));
  EXPECT_NE(hash(kOne), hash(kOther));
  EXPECT_NE(hash(kOne), hash(kNone));
  EXPECT_NE(hash("  c = (s32[2], pred[]) constant(({1, 2}, true))\n  ROOT r = f32[4] abs(a)\n"),
            hash("  c = (s32[2], pred[]) constant(({1, 3}, true))\n  ROOT r = f32[4] abs(a)\n"));
}

TEST(ModuleHash, IsOneOfModulesThatDifferInNamesAlone) {
  constexpr std::string_view kText = R"(HloModule NAME

SUMS {
  LEFT = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(LEFT, y)
}

ENTRY MAIN {
  a = f32[4] parameter(0), origin={{"LEFT"}}
  ROOT r = f32[4] all-reduce(a), replica_groups={}, to_apply=SUMS, metadata={op_name="MAIN"}
}
)";
  const auto hash = [&](std::string_view name, std::string_view sum, std::string_view left,
                        std::string_view main) {
    std::string text(kText);
    for (const auto& [from, to] : {std::pair("NAME", name), std::pair("SUMS", sum), std::pair("LEFT", left),
                                   std::pair("MAIN", main)}) {
      for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, 4, to);
    }
    const ParseResult read = parseModule(text);
    EXPECT_TRUE(read.diagnostics.empty());
    return moduleHash(*read.module);
  };
  EXPECT_EQ(hash("m", "sum", "x", "main"), hash("jit_step", "region_0.7", "arg.1", "main.9"));
}

// One that prints a called computation wherever it is called would write 2^60 of them.
TEST(ModuleHash, TellsCallsApartAndTakesEachComputationOnce) {
  const auto hash = [](std::string_view first, std::string_view last) {
    std::string text = "HloModule m\n\nc0 {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n\n";
    for (int i = 1; i < 60; ++i) {
      text += fmt::format(
          "c{0} {{\n  a = f32[] parameter(0)\n  b = f32[] call(a), to_apply=c{1}\n"
          "  ROOT r = f32[] call(b), to_apply=c{1}\n}}\n\n",
          i, i - 1);
    }
    text += fmt::format(
        "ENTRY e {{\n  a = f32[] parameter(0)\n  b = f32[] call(a), to_apply={}\n"
        "  ROOT r = f32[] call(b), to_apply={}\n}}\n",
        first, last);
    return moduleHash(*parseModule(text).module);
  };
  EXPECT_EQ(hash("c59", "c58"), hash("c59", "c58"));
  EXPECT_NE(hash("c59", "c58"), hash("c59", "c59"));
  EXPECT_NE(hash("c59", "c58"), hash("c58", "c59"));
}

// A module read with errors: there is no parameter 0.
TEST(Runs, ParametersOfAModuleThatLacksOne) {
  const std::shared_ptr<const Module> module =
      parseModule(
          "HloModule m\nENTRY e {\n  a = f32[4] parameter(1)\n  b = f32[4] parameter(1)\n"
          "  ROOT r = f32[4] add(a, b)\n}\n")
          .module;
  ASSERT_NE(module, nullptr);
  const std::vector<std::pair<std::string, std::string>> expected = {{"b", "f32[4]"}};
  EXPECT_EQ(parametersOf({.module = module}), expected);
}

}  // namespace
}  // namespace hilo
