// The property every pass must have: the reference evaluator gives the same answer before and after. Tried
// for each pass of the table and each pipeline on random modules of one device and of several.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/xla_passes.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

// Equal as numbers: zeros of either sign are equal, so are NaNs.
bool sameNumbers(const Literal& a, const Literal& b) {
  if (a.shape() != b.shape()) return false;
  if (a.isTuple()) return std::ranges::equal(a.elements(), b.elements(), sameNumbers);
  if (a.shape().elementType() != ElementType::F32) return a == b;
  return std::ranges::equal(a.data<float>(), b.data<float>(),
                            [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// One random module with all it takes, and the outputs of its devices.
struct Trial {
  std::shared_ptr<const Module> module;
  std::function<Result<std::vector<Literal>>(const Module&)> outputs;
  std::function<bool(const Literal&, const Literal&)> same;
};

bool agree(const Literal& a, const Literal& b) { return fuzz::difference(b, a, {}).empty(); }

// Of one device, rich in what simplifiers look for.
Trial simpleTrial(uint64_t seed) {
  const std::shared_ptr<const Module> module = makeRandomModule({.seed = seed});
  auto made = makeArguments(*module, seed);
  EXPECT_TRUE(made.has_value());
  return {module,
          [arguments = made->arguments](const Module& changed) -> Result<std::vector<Literal>> {
            TRY(auto output, evaluate(changed, arguments));
            return std::vector{std::move(output)};
          },
          sameNumbers};
}

// Of up to four devices: loops, branches, calls, collectives, arrays with fewer elements than their bounds.
Trial deviceTrial(uint64_t seed) {
  auto made = fuzz::makeDeviceCase(seed, /*operations=*/25, /*mostDevices=*/4);
  EXPECT_TRUE(made.has_value()) << (made ? "" : toString(made.error()));
  const auto arguments = made->arguments;
  return {made->module,
          [grid = made->grid, arguments](const Module& changed) {
            return fuzz::evaluateCase(changed, grid, arguments);
          },
          agree};
}

// A pass that wants an order of instructions says so; one that leaves what is dead to dce, as all may, has
// left it in a fused computation, where the verifier takes none; one that takes what another pass makes of a
// type says that it is of another.
bool isRefusal(std::string_view kind) {
  return kind == "not-scheduled" || kind == "fusion-computation" || kind == "unsupported-type";
}

// How many of the modules the passes changed.
size_t expectEqualResults(const std::vector<ConfiguredPass>& passes, std::string_view name,
                          Trial (*make)(uint64_t), uint64_t seeds) {
  size_t changed = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Trial trial = make(seed);
    const Diagnostics problems = verify(*trial.module, {});
    if (hasErrors(problems)) {
      ADD_FAILURE() << "the generator is wrong: " << toString(problems[0]);
      return changed;
    }
    const PassRun run = runPasses(trial.module, passes, {});
    if (!run.completed()) {
      const Diagnostics& said = run.steps.back().problems;
      const auto error = std::ranges::find(said, Severity::kError, &Diagnostic::severity);
      const std::string kind = error == said.end() ? "" : error->kind;
      EXPECT_TRUE(isRefusal(kind)) << name << ", seed " << seed << ": "
                                   << (error == said.end() ? "" : toString(*error));
      continue;
    }
    if (run.output() == trial.module) continue;
    ++changed;
    const auto expected = trial.outputs(*trial.module), actual = trial.outputs(*run.output());
    EXPECT_TRUE(expected.has_value()) << toString(expected.error());
    EXPECT_TRUE(actual.has_value()) << name << ", seed " << seed << ": " << toString(actual.error());
    if (!expected || !actual) continue;
    EXPECT_TRUE(std::ranges::equal(*expected, *actual, trial.same))
        << name << " changes the answer of the module of seed " << seed;
  }
  return changed;
}

// Of each kind of module the passes are tried on, how many they must change at least for the test
// to say something.
constexpr uint64_t kSimple = 60, kOnDevices = 40;

// Passes that change hardly any of these modules. Others have modules for them: those in the golden and
// results tests of their own, collective_results_test.cpp and loop_results_test.cpp, and those of the cpu
// engine for products (dot_chain_test.cpp, library_dot_forms_test.cpp, dot_algorithms_test.cpp), calls to
// libraries (library_calls_test.cpp) and sums of whole large arrays (cpu_sums_test.cpp). Some that are no
// step of XLA's pipeline have rows in tests/conformance/passes/rows all the same. Those of shardings have
// modules with shardings (tests/unit/compiler/spmd).
constexpr std::string_view kTriedElsewhere[] = {
    "all-gather-combiner",
    "all-reduce-code-motion",
    "all-reduce-combiner",
    "convolution-as-dot",
    "cudnn-scale-swizzle",  // rows of block-scaling-rewriter
    "dot-fusion",
    "split-k",
    "collective-pipeliner",
    "collective-pipeliner-backward",
    "collective-pipeliner-forward",
    "collective-pipeliner-forward-sink",
    "convert-async-collectives-to-sync",
    "broadcast_canonicalizer",
    "comparison-expander",
    "convert-mover",
    "logistic-expander",
    "reduction-degenerate-dim-remover",
    "reshape-mover",
    "simplify-fp-conversions",
    "host-offloading-prepare-elide-move-to-host",
    "float-normalization-f4e2m1fn",
    "float-normalization-f8e3m4",
    "float-normalization-f8e4m3",
    "float-normalization-f8e4m3b11fnuz",
    "float-normalization-f8e4m3fn",
    "float-normalization-f8e4m3fnuz",
    "float-normalization-f8e5m2",
    "float-normalization-f8e5m2fnuz",
    "float-normalization-f8e8m0fnu",
    "float-normalization-s4",
    "float-normalization-u4",
    "cse_barrier_expander",
    "cublas-gemm-rewriter",
    "reduction-dimension-grouper",
    "dot-merger",
    "horizontal_input_fusion",
    "double-buffer-loop-unrolling",
    "expand-dot-algorithms",
    "expand-library-calls",
    "gpu-convert-async-collectives-to-sync",
    "gpusolver-rewriter",
    "argminmax-splitter",
    "latency-hiding-scheduler",
    "legalize-scheduling-annotations",
    "legalize-scheduling-annotations-gpu",
    "library-dots",
    "partial-sort-fusion",
    "dot-chain-fusion",
    "dot_dimension_merger",
    "spmd-prepare",
    "reduce-scatter-combiner",
    "reduction-splitter",
    "scatter_expander",
    "transpose-folding",
    "triangular-solve-rewriter",
    "rematerialization",
    "schedule-aware-combiner",
    "sharding-propagation",
    "sharding-remover",
    "shardy-xla",
    "spmd-partitioning",
};

// It has rows in tests/conformance/passes/rows, which are tried there.
bool hasRows(std::string_view pass) {
  return std::ranges::any_of(xlaPasses(), [&](const XlaPass& xla) {
    return xla.ours == pass &&
           std::filesystem::exists(fmt::format("tests/conformance/passes/rows/{}.rows", xla.name));
  });
}

bool isTriedElsewhere(std::string_view pass) {
  return std::ranges::find(kTriedElsewhere, pass) != std::end(kTriedElsewhere);
}

// The schedulers of memory move what only its place in the list keeps in order, such as infeeds and transfers
// without tokens between them: modules of several devices have these.
bool reordersEffects(std::string_view pass) { return pass.ends_with("memory-scheduler"); }

TEST(EqualResults, EveryPass) {
  for (const Pass& pass : allPasses()) {
    const std::vector<ConfiguredPass> alone = {&pass};
    const size_t simple = expectEqualResults(alone, pass.name, simpleTrial, kSimple);
    const size_t onDevices =
        reordersEffects(pass.name) ? 0 : expectEqualResults(alone, pass.name, deviceTrial, kOnDevices);
    const bool saysMuch = simple > kSimple / 4 || onDevices >= 5;
    EXPECT_TRUE(saysMuch || isTriedElsewhere(pass.name) || hasRows(pass.name))
        << pass.name << " changed " << simple << " modules of one device and " << onDevices << " of several";
    EXPECT_FALSE(saysMuch && isTriedElsewhere(pass.name))
        << pass.name << " changed " << simple << " modules of one device and " << onDevices << " of several";
  }
}

TEST(EqualResults, EveryPipeline) {
  for (const Pipeline& pipeline : allPipelines()) {
    const size_t simple = expectEqualResults(pipeline.passes, pipeline.name, simpleTrial, kSimple);
    const bool changesMany = !std::ranges::all_of(pipeline.passes, [](const ConfiguredPass& of) {
      return isTriedElsewhere(of.pass->name) || hasRows(of.pass->name);
    });
    EXPECT_TRUE(simple > kSimple / 4 || !changesMany) << pipeline.name << " changed " << simple;
    std::vector<ConfiguredPass> passes = pipeline.passes;
    std::erase_if(passes, [](const ConfiguredPass& of) { return reordersEffects(of.pass->name); });
    expectEqualResults(passes, pipeline.name, deviceTrial, kOnDevices);
  }
}

}  // namespace
}  // namespace hilo
