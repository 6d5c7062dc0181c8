// One module from several sources, arguments by name and by number, arguments that results may lie over: the
// same result, and an error that says what there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/hlo/eval/npy.h"
#include "core/runtime/program/program.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/compile_report.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kModule = R"(HloModule scaled
ENTRY e { x = f32[4] parameter(0)
  scale = f32[] parameter(1)
  s = f32[4] broadcast(scale), dimensions={}
  ROOT r = f32[4] multiply(x, s) })";

class RunSources : public testing::Test {
 protected:
  RunSources() : folder_(std::filesystem::temp_directory_path() / fmt::format("hilo_sources_{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~RunSources() override { std::filesystem::remove_all(folder_); }
  std::string in(const char* name) const { return (folder_ / name).string(); }

  static std::shared_ptr<const OpenedFile> opened(std::string bytes) {
    auto file = openBytes(std::move(bytes), "m");
    EXPECT_TRUE(file.has_value()) << toString(file.error());
    return *file;
  }
  std::shared_ptr<const Program> program() const {
    EXPECT_TRUE(compileAndReport({.module = opened(kModule)->module, .savePath = in("m.program")}));
    return *loadSavedProgram(in("m.program"));
  }

  std::filesystem::path folder_;
};

Literal scalar(float value) {
  Literal literal(Shape::array(ElementType::F32, {}));
  literal.mutableData<float>()[0] = value;
  return literal;
}

TEST_F(RunSources, TextProtoSnapshotAndProgramGiveTheSame) {
  const auto text = opened(kModule);
  const auto settled = settleArguments(*text->module, {.seed = 3});
  ASSERT_TRUE(settled.has_value());
  const auto first = execute({.module = text->module, .engine = "cpu", .arguments = *settled}, JobContext());
  ASSERT_TRUE(first.has_value()) << toString(first.error());
  for (const OutputKind kind : {OutputKind::Module, OutputKind::ModuleText, OutputKind::HloProto,
                                OutputKind::Snapshot, OutputKind::CanonicalText}) {
    const auto bytes = convertModule(*text, {.kind = kind});
    ASSERT_TRUE(bytes.has_value()) << toString(bytes.error());
    const auto again =
        execute({.module = opened(*bytes)->module, .engine = "cpu", .arguments = *settled, .repeat = 3},
                JobContext());
    ASSERT_TRUE(again.has_value()) << toString(again.error());
    EXPECT_EQ(again->outputDigest, first->outputDigest);
    EXPECT_EQ(again->moduleHash, first->moduleHash);
    EXPECT_EQ(again->timings.n(), 3u);
  }
  const auto sides = executeInTurns(
      std::vector<RunRequest>{{.module = text->module, .engine = "cpu", .arguments = *settled, .repeat = 7},
                              {.program = program(), .arguments = *settled, .repeat = 7}},
      JobContext());
  ASSERT_TRUE(sides.has_value()) << toString(sides.error());
  const RunComparison comparison = compareRuns((*sides)[0], (*sides)[1], {}, true);
  EXPECT_TRUE(comparison.bitwiseEqual);
  EXPECT_TRUE(comparison.pairedRatio.has_value());
}

TEST_F(RunSources, AnArgumentByNameIsThatByNumber) {
  ASSERT_TRUE(saveNpy(in("two.npy"), scalar(2)).has_value());
  const auto module = opened(kModule)->module;
  std::vector<uint64_t> digests;
  for (const char* name : {"scale", "1"}) {
    const ArgumentSource source{.seed = 3, .named = {{name, in("two.npy")}}};
    const auto run = execute({.module = module, .arguments = source}, JobContext());
    ASSERT_TRUE(run.has_value()) << toString(run.error());
    digests.push_back(run->outputDigest);
    EXPECT_EQ(run->argumentsDescription, fmt::format("seed 3, {}={}", name, in("two.npy")));
    const auto ofProgram = settleArguments(*program(), source);
    ASSERT_TRUE(ofProgram.has_value());
    EXPECT_TRUE(ofProgram->given[1] == scalar(2));
  }
  EXPECT_EQ(digests[0], digests[1]);
  auto settled = settleArguments(*module, {.seed = 3});
  settled->given[1] = scalar(2);
  EXPECT_EQ(execute({.module = module, .arguments = *settled}, JobContext())->outputDigest, digests[0]);
}

TEST_F(RunSources, ANameThereIsNotIsRefusedWithThoseThereAre) {
  const auto module = opened(kModule)->module;
  for (const char* name : {"weights", "2"}) {
    const auto run = execute({.module = module, .arguments = {.named = {{name, "w.npy"}}}}, JobContext());
    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().kind, "wrong-argument");
    EXPECT_THAT(run.error().message, HasSubstr(name));
    EXPECT_THAT(run.error().notes, ElementsAre("there are: x (f32[4]), scale (f32[])"));
  }
}

TEST_F(RunSources, AWrongNumberOfArgumentsIsSaidWithBothNumbers) {
  const auto module = opened(kModule)->module;
  const ArgumentSource three{.kind = ArgumentSource::Kind::Given, .given = {scalar(1), scalar(2), scalar(3)}};
  for (const char* engine : {"reference", "cpu"}) {
    const auto run = execute({.module = module, .engine = engine, .arguments = three}, JobContext());
    ASSERT_FALSE(run.has_value()) << engine;
    EXPECT_THAT(run.error().message, testing::AllOf(HasSubstr("2 arguments"), HasSubstr("3"))) << engine;
  }
  const auto run = execute({.program = program(), .arguments = three}, JobContext());
  ASSERT_FALSE(run.has_value());
  EXPECT_THAT(run.error().message, testing::AllOf(HasSubstr("2 arguments"), HasSubstr("3")));
}

// Every sample begins with the arguments as they were given, though a result may lie over one of them: after
// many the counter is one up, not many.
TEST_F(RunSources, WithAliasedArgumentsEverySampleIsTheFirst) {
  const auto module = opened(R"(HloModule counts, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY e { count = f32[4] parameter(0)
  step = f32[] parameter(1)
  s = f32[4] broadcast(step), dimensions={}
  next = f32[4] add(count, s)
  ROOT r = (f32[4], f32[4]) tuple(next, count) })")
                          ->module;
  const auto settled = settleArguments(*module, {.seed = 4});
  ASSERT_TRUE(settled.has_value());
  const auto expected = execute({.module = module, .arguments = *settled}, JobContext());
  ASSERT_TRUE(expected.has_value()) << toString(expected.error());
  for (const char* engine : {"reference", "cpu"}) {
    const auto run =
        execute({.module = module, .engine = engine, .arguments = *settled, .repeat = 25}, JobContext());
    ASSERT_TRUE(run.has_value()) << toString(run.error());
    EXPECT_EQ(run->timings.n(), 25u);
    EXPECT_EQ(run->outputDigest, expected->outputDigest) << engine;
    const float* counted = run->output->elements()[0].data<float>().data();
    EXPECT_EQ(counted[0], settled->given[0].data<float>()[0] + settled->given[1].data<float>()[0]);
  }
}

TEST_F(RunSources, ALayoutOfTheEntryIsKeptFromTheProtoToTheProgram) {
  const auto text = opened(R"(HloModule columns, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}
ENTRY e { x = f32[2,3]{0,1} parameter(0)
  ROOT r = f32[2,3]{0,1} exponential(x) })");
  const auto file = opened(*convertModule(*text, {.kind = OutputKind::HloProto}));
  ASSERT_TRUE(compileAndReport({.module = file->module, .savePath = in("m.program")}).has_value());
  const auto program = loadSavedProgram(in("m.program"));
  ASSERT_TRUE(program.has_value());
  for (const Shape shape : {(*program)->parameters[0], (*program)->result})
    EXPECT_EQ(toString(shape), "f32[2,3]{0,1}");
  const auto settled = settleArguments(*file->module, {.seed = 2});
  const auto expected = execute({.module = file->module, .arguments = *settled}, JobContext());
  ASSERT_TRUE(expected.has_value()) << toString(expected.error());
  const auto asItIs =
      execute({.module = file->module, .engine = "cpu:no-passes", .arguments = *settled}, JobContext());
  const auto saved = execute({.program = *program, .arguments = *settled}, JobContext());
  ASSERT_TRUE(asItIs.has_value() && saved.has_value());
  EXPECT_EQ(compareRuns(*expected, *asItIs).verdict, Verdict::Match);
  EXPECT_EQ(compareRuns(*expected, *saved).verdict, Verdict::Match);
}

// The bundled benchmarks, on the evaluator and compiled.
TEST(BundledBenchmarks, AllRun) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("resources/samples/benchmarks")) {
    SCOPED_TRACE(entry.path());
    const auto file = openFile(entry.path());
    ASSERT_TRUE(file.has_value()) << toString(file.error());
    const auto settled = settleArguments(*(*file)->module, {.seed = 1});
    auto runs = executeInTurns(
        std::vector<RunRequest>{{.module = (*file)->module, .arguments = *settled},
                                {.module = (*file)->module, .engine = "cpu", .arguments = *settled}},
        JobContext());
    ASSERT_TRUE(runs.has_value()) << toString(runs.error());
    EXPECT_EQ(compareRuns((*runs)[0], (*runs)[1]).verdict, Verdict::Match);
    ++count;
  }
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace hilo
