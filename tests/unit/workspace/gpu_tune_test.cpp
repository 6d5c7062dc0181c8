// Tuning for a GPU: which kernels are tried, that wrong ones are caught, what is chosen and found again.
#include "core/workspace/tune/gpu_tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/kernel_variants.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/store/store.h"
#include "core/workspace/tune/gpu_trials.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return *std::move(module);
}

constexpr const char* kDot = R"(HloModule m
ENTRY e {
  a = bf16[64,64]{1,0} parameter(0)
  b = bf16[64,64]{1,0} parameter(1)
  first = bf16[64,64]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  second = bf16[64,64]{1,0} dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT sum = bf16[64,64]{1,0} add(first, second)
}
)";

// What the variant asks for, of a module that is changed first.
Result<Program> compiledAs(const Module& module, const std::string& name,
                           const std::optional<GpuKernelChoice>& choice) {
  const std::shared_ptr<Module> stated = module.clone();
  stateGpuKernel(*stated->findInstruction(name), choice);
  const bool asksLibrary = choice && choice->shape == "library call";
  TRY(CompiledModule made, compileForGpu(stated, *gpuTarget("sm_90a"), {},
                                         {.libraries = asksLibrary ? LibraryChoice::All : LibraryChoice::None,
                                          .runsPasses = false}));
  made.program.moduleHash = 0;
  return std::move(made.program);
}

// Its first store goes far past the end of its array.
Program withWildStore(Program program) {
  std::vector<std::byte>& code = program.objects.at(0).code;
  std::string ptx(reinterpret_cast<const char*>(code.data()), code.size());
  const size_t store = ptx.find("st.global"), end = ptx.find(']', store);
  EXPECT_NE(end, std::string::npos) << ptx;
  const size_t plus = ptx.find('+', store);
  ptx.replace(std::min(plus, end), end - std::min(plus, end), "+67108864");
  const auto* bytes = reinterpret_cast<const std::byte*>(ptx.data());
  code.assign(bytes, bytes + ptx.size());
  return program;
}

class GpuTuneTest : public testing::Test {
 protected:
  GpuTuneRequest request(const std::string& text) {
    return {.module = parsed(text),
            .device = *findDevice("h100"),
            .target = "sm_90a",
            .runsPasses = false,
            .store = store.get()};
  }
  static GpuTuneReport tuned(const GpuTuneRequest& request) {
    auto report = tuneForGpu(request, JobContext());
    EXPECT_TRUE(report.has_value()) << toString(report.error());
    return report ? *std::move(report) : GpuTuneReport();
  }
  static const TriedKernel& find(const TunedKernel& tuned, std::string_view choice) {
    const auto found = std::ranges::find(tuned.tried, choice, &TriedKernel::choice);
    EXPECT_NE(found, tuned.tried.end()) << choice;
    return found == tuned.tried.end() ? tuned.tried.front() : *found;
  }
  std::unique_ptr<RunStore> store = *RunStore::open(":memory:");
};

TEST_F(GpuTuneTest, TriesTheKernelsOfADotOnceForThoseAlike) {
  const GpuTuneReport report = tuned(request(kDot));
  ASSERT_EQ(report.tuned.size(), 1u);
  const TunedKernel& dot = report.tuned[0];
  EXPECT_THAT(dot.instructions, testing::ElementsAre("first", "second"));
  EXPECT_EQ(dot.tried.front().choice, "default");
  EXPECT_TRUE(find(dot, "elements").isTrusted);
  for (const TriedKernel& each : dot.tried) {
    EXPECT_EQ(each.failure, TrialFailure::None) << each.choice << ": " << each.remark;
    EXPECT_TRUE(each.wasRun || each.remark.starts_with("the code of")) << each.choice << ": " << each.remark;
  }
  EXPECT_TRUE(dot.isEstimated);
  EXPECT_GT(dot.bestNs, 0);
  for (const std::string& name : dot.instructions) {
    const auto stated = statedGpuKernel(*report.module->findInstruction(name));
    EXPECT_EQ(stated ? toString(*stated) : "default", dot.best);
  }
}

// The tiled dot computes something else, small tiles write past their array, large ones do not compile.
TEST_F(GpuTuneTest, CatchesPlantedFaults) {
  GpuTuneRequest planted = request(kDot);
  planted.compile = [](const Module& alone, const std::string& name,
                       const std::optional<GpuKernelChoice>& choice) -> Result<Program> {
    if (choice && choice->rows == 128) return fail("planted", "no registers are left");
    const std::shared_ptr<Module> changed = alone.clone();
    if (choice && choice->shape == "tiled dot") {
      Instruction& dot = *changed->findInstruction(name);
      dot.setOperand(0, dot.operand(1));
    }
    TRY(Program program, compiledAs(*changed, name, choice));
    return choice && choice->rows == 64 ? withWildStore(std::move(program)) : std::move(program);
  };
  const GpuTuneReport report = tuned(planted);
  ASSERT_EQ(report.tuned.size(), 1u);
  const TriedKernel &tiled = find(report.tuned[0], "tiled dot"),
                    &large = find(report.tuned[0], "tensor dot 128x128");
  EXPECT_EQ(tiled.failure, TrialFailure::WrongResults) << tiled.remark;
  EXPECT_THAT(tiled.remark, HasSubstr("elements differ, first"));
  EXPECT_EQ(large.failure, TrialFailure::Compilation);
  EXPECT_EQ(large.remark, "no registers are left");
  const TriedKernel& small = find(report.tuned[0], "tensor dot 64x64");
  EXPECT_EQ(small.failure, TrialFailure::RedZone) << small.remark;
  EXPECT_NE(report.tuned[0].best, "tensor dot 64x64");
  EXPECT_NE(report.tuned[0].best, "tiled dot");
  EXPECT_NE(report.tuned[0].best, "tensor dot 128x128");
}

constexpr const char* kFusion = R"(HloModule m
body { p = f32[48,64]{1,0} parameter(0)
  n = f32[48,64]{1,0} negate(p)
  ROOT r = f32[48,64]{1,0} exponential(n) }
ENTRY e { p = f32[48,64]{1,0} parameter(0)
  ROOT f = f32[48,64]{1,0} fusion(p), kind=kLoop, calls=body }
)";

TEST_F(GpuTuneTest, TriesTilePrograms) {
  GpuTuneRequest few = request(kFusion);
  few.tilings = 3;
  const GpuTuneReport report = tuned(few);
  ASSERT_EQ(report.tuned.size(), 1u);
  int tiles = 0;
  for (const TriedKernel& each : report.tuned[0].tried) {
    if (!each.choice.starts_with("tile program ")) continue;
    ++tiles;
    EXPECT_EQ(each.failure, TrialFailure::None) << each.choice << ": " << each.remark;
    EXPECT_GT(each.estimatedNs, 0);
    const auto again = parseGpuKernelChoice(each.choice);
    EXPECT_EQ(again.sizes.size(), 2u);
    EXPECT_EQ(toString(again), each.choice);
  }
  EXPECT_EQ(tiles, 3);
}

// Sizes that cannot be are refused with their reason, not compiled as something else.
TEST_F(GpuTuneTest, RefusesTilesThatCannotBe) {
  const auto wrong = compiledAs(*parsed(kFusion), "f", parseGpuKernelChoice("tile program 16"));
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "1 tile sizes are given, 2 dimensions have tiles");
}

TEST_F(GpuTuneTest, SaysAllReasonsWhereNothingWorks) {
  GpuTuneRequest planted = request(kDot);
  planted.compile = [](const Module&, const std::string&,
                       const std::optional<GpuKernelChoice>&) -> Result<Program> {
    return fail("planted", "the machine is on fire");
  };
  const GpuTuneReport report = tuned(planted);
  ASSERT_EQ(report.tuned.size(), 1u);
  EXPECT_EQ(report.tuned[0].best, "default");
  EXPECT_THAT(report.tuned[0].error,
              HasSubstr("no variant works: default: compilation failed: the machine is on fire"));
}

TEST_F(GpuTuneTest, FindsAgainWithTheReasonsOfFailures) {
  GpuTuneRequest planted = request(kDot);
  planted.compile = [](const Module& alone, const std::string& name,
                       const std::optional<GpuKernelChoice>& choice) -> Result<Program> {
    if (choice && choice->shape == "tiled dot") return fail("planted", "not today");
    return compiledAs(alone, name, choice);
  };
  const GpuTuneReport first = tuned(planted);
  planted.compile = [](const Module&, const std::string&,
                       const std::optional<GpuKernelChoice>&) -> Result<Program> {
    ADD_FAILURE() << "what is kept is compiled again";
    return fail("planted", "");
  };
  const GpuTuneReport second = tuned(planted);
  ASSERT_EQ(second.tuned.size(), 1u);
  EXPECT_TRUE(second.tuned[0].reused);
  EXPECT_EQ(second.tuned[0].best, first.tuned[0].best);
  EXPECT_EQ(find(second.tuned[0], "tiled dot").failure, TrialFailure::Compilation);
  EXPECT_EQ(find(second.tuned[0], "tiled dot").remark, "not today");
}

// Three fusions, of which none is another's like.
constexpr const char* kThreeFusions = R"(HloModule m
first { p = f32[8,16]{1,0} parameter(0)
  ROOT r = f32[8,16]{1,0} negate(p) }
second { p = f32[8,16]{1,0} parameter(0)
  ROOT r = f32[8,16]{1,0} abs(p) }
third { p = f32[8,16]{1,0} parameter(0)
  ROOT r = f32[8,16]{1,0} exponential(p) }
ENTRY e { p = f32[8,16]{1,0} parameter(0)
  f1 = f32[8,16]{1,0} fusion(p), kind=kLoop, calls=first
  f2 = f32[8,16]{1,0} fusion(f1), kind=kLoop, calls=second
  ROOT f3 = f32[8,16]{1,0} fusion(f2), kind=kLoop, calls=third }
)";

// What was found before a run is stopped lies in the file, whoever opens it again.
TEST_F(GpuTuneTest, GoesOnWhereItWasStopped) {
  const std::string file = testing::TempDir() + "stopped_tuning_" + std::to_string(getpid()) + ".db";
  std::filesystem::remove(file);
  std::mutex mutex;
  std::set<std::string> compiled;
  const CancelToken stop;
  GpuTuneRequest three = request(kThreeFusions);
  three.tilings = 4;
  three.compile = [&](const Module& alone, const std::string& name,
                      const std::optional<GpuKernelChoice>& choice) {
    {
      const std::lock_guard lock(mutex);
      compiled.insert(name);
    }
    if (name == "f2") stop.cancel();
    return compiledAs(alone, name, choice);
  };
  {
    const auto kept = *RunStore::open(file);
    three.store = kept.get();
    const auto stopped = tuneForGpu(three, JobContext(stop));
    ASSERT_FALSE(stopped.has_value());
    EXPECT_EQ(stopped.error().kind, "cancelled");
    EXPECT_THAT(compiled, testing::ElementsAre("f1", "f2"));
  }
  compiled.clear();
  const auto kept = *RunStore::open(file);
  three.store = kept.get();
  const GpuTuneReport report = tuned(three);
  ASSERT_EQ(report.tuned.size(), 3u);
  EXPECT_TRUE(report.tuned[0].reused);
  EXPECT_FALSE(report.tuned[1].reused) << "it was not tried to the end";
  EXPECT_FALSE(report.tuned[2].reused);
  EXPECT_THAT(compiled, testing::ElementsAre("f2", "f3"));
  std::filesystem::remove(file);
}

TEST_F(GpuTuneTest, LeavesWhatIsTooMuchForTheSimulatedGpuUnseen) {
  GpuTuneRequest few = request(kDot);
  few.mostFlops = 1000;
  const GpuTuneReport report = tuned(few);
  ASSERT_EQ(report.tuned.size(), 1u);
  EXPECT_THAT(find(report.tuned[0], "elements").remark, HasSubstr("many for the simulated GPU"));
  EXPECT_FALSE(find(report.tuned[0], "elements").wasRun);
  EXPECT_NE(report.tuned[0].best, "");
}

TEST(KernelVariants, FollowTheInstructionAndTheArchitecture) {
  const auto namesOf = [](const std::string& body, const char* target) {
    const auto module = parsed(
        "HloModule m\nmax { x = f32[] parameter(0) y = f32[] parameter(1) ROOT m = f32[] "
        "maximum(x, y) }\nENTRY e {\n" +
        body + "\n}");
    std::vector<std::string> names;
    for (const KernelVariant& variant : kernelVariants(*module->entry()->root(), *findGpuTarget(target)))
      names.push_back(toString(variant.choice));
    return names;
  };
  EXPECT_THAT(namesOf("a = f32[8] parameter(0)\nROOT s = f32[8] add(a, a)", "sm_90"), IsEmpty());
  const std::string thin =
      "a = f16[8,8] parameter(0)\nROOT s = f16[8,8] dot(a, a), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}";
  const std::string dot =
      "a = f16[64,64] parameter(0)\nROOT s = f16[64,64] dot(a, a), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}";
  EXPECT_THAT(namesOf(thin, "sm_75"),
              testing::ElementsAre("elements", "library call", "tiled dot", "thin dot"));
  EXPECT_THAT(namesOf(dot, "sm_75"), testing::ElementsAre("elements", "library call", "tiled dot"));
  EXPECT_THAT(namesOf(dot, "sm_80"), testing::ElementsAre("elements", "library call", "tiled dot",
                                                          "tensor dot 64x64", "tensor dot 128x128"));
  EXPECT_THAT(
      namesOf(
          "a = f32[8,8] parameter(0)\nz = f32[] constant(0)\nROOT s = f32[8] reduce(a, z), dimensions={1}, "
          "to_apply=max",
          "sm_90"),
      testing::ElementsAre("elements", "rows", "columns"));
}

// Answers 10, 20, 10.1 and 20.1; those within 1 of each other are alike.
TEST(RightAnswers, AreThoseOfTheMostTrusted) {
  const std::vector<double> answers = {20, 10, 10.1, 20.1, 20.2};
  const auto alike = [&](size_t a, size_t b) { return std::abs(answers[a] - answers[b]) < 1; };
  EXPECT_EQ(rightAnswers({false, true, true, false, false}, alike),
            (std::vector<bool>{false, true, true, false, false}));
  EXPECT_EQ(rightAnswers({true, false, false, true, false}, alike),
            (std::vector<bool>{true, false, false, true, true}));
  EXPECT_EQ(rightAnswers({true, true, false, false, false}, alike),
            (std::vector<bool>{true, false, false, true, true}))
      << "the first of equals";
}

TEST(BestKernel, IsWithinTwoMicrosecondsTheOneWithTheLeastScratch) {
  const std::vector<TriedKernel> tried = {
      {.choice = "a", .estimatedNs = 10'000, .scratchBytes = 100},
      {.choice = "b", .estimatedNs = 11'900, .scratchBytes = 0},
      {.choice = "c", .estimatedNs = 12'100, .scratchBytes = 0},
      {.choice = "d", .failure = TrialFailure::WrongResults, .estimatedNs = 1}};
  EXPECT_EQ(bestKernel(tried)->choice, "b");
  EXPECT_EQ(bestKernel({tried[3]}), nullptr);
}

}  // namespace
}  // namespace hilo
