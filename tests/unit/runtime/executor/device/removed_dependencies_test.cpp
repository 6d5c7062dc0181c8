// Random programs on several streams: every order that the plan allows gives the same, and each wait that is
// left out is found.
#include <gtest/gtest.h>

#include <random>

#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/runtime/device/simulated/simulated_device.h"
#include "tests/unit/runtime/executor/device/grid_programs.h"

namespace hilo {
namespace {

constexpr uint32_t kTemporaries = 6;

// Copies and sums between the parameter and the temporaries, which all hold something first.
Program randomProgram(uint64_t seed, int thunks) {
  std::mt19937_64 random(seed);
  Program program = gridProgram(kTemporaries);
  ThunkSequence& sequence = program.sequences[0];
  for (uint32_t to = 1; to <= kTemporaries; ++to)
    sequence.push_back(copyThunk("begin." + std::to_string(to), 0, to));
  for (int i = 0; i < thunks; ++i) {
    const auto from = static_cast<uint32_t>(random() % (kTemporaries + 1));
    const auto to = static_cast<uint32_t>(1 + random() % kTemporaries);
    if (from == to) continue;
    const bool copies = random() % 4 == 0;
    sequence.push_back(copies ? copyThunk("copy." + std::to_string(i), from, to)
                              : addThunk("add." + std::to_string(i), from, to));
  }
  return program;
}

// One element after the other, thunk by thunk.
std::vector<int32_t> expected(const Program& program, const Literal& argument) {
  std::vector<std::vector<uint32_t>> arrays(kTemporaries + 1, std::vector<uint32_t>(kElements));
  for (size_t i = 0; i < kElements; ++i) arrays[0][i] = static_cast<uint32_t>(argument.data<int32_t>()[i]);
  for (const Thunk& thunk : program.sequences[0]) {
    const auto* copy = std::get_if<CopyThunk>(&thunk.body);
    const auto* add = std::get_if<KernelThunk>(&thunk.body);
    const uint32_t from = copy != nullptr ? copy->source.allocation : add->arguments[0].allocation;
    const uint32_t to = copy != nullptr ? copy->destination.allocation : add->results[0].allocation;
    for (size_t i = 0; i < kElements; ++i)
      arrays[to][i] = copy != nullptr ? arrays[from][i] : arrays[to][i] + arrays[from][i];
  }
  return {arrays[1].begin(), arrays[1].end()};
}

// Compiled once: the programs have the same kernel.
Result<SimulatedModule> loadOnce(std::string_view ptx, const std::string& name, bool isChecked) {
  static std::map<bool, SimulatedModule>& loaded = *new std::map<bool, SimulatedModule>();
  if (const auto found = loaded.find(isChecked); found != loaded.end()) return found->second;
  TRY(SimulatedModule module, loadPtx(ptx, {.file = name, .isChecked = isChecked}));
  return loaded.emplace(isChecked, std::move(module)).first->second;
}

struct Outcome {
  std::vector<int32_t> output;
  Diagnostics findings;
};
Outcome runOn(const std::shared_ptr<const Program>& program, SimulatedDeviceOptions options,
              StreamPlan plan) {
  options.load = loadOnce;
  DeviceExecutorOptions planned;
  planned.plans.push_back(std::move(plan));
  const auto executor =
      DeviceExecutor::make(program, makeSimulatedDevice(std::move(options)), {}, std::move(planned));
  EXPECT_TRUE(executor) << toString(executor.error());
  Outcome outcome;
  const std::vector<Literal> arguments = {counted(3)};
  const auto output = (*executor)->run(arguments, {.findings = &outcome.findings});
  EXPECT_TRUE(output) << toString(output.error());
  const auto values = output->data<int32_t>();
  outcome.output.assign(values.begin(), values.end());
  return outcome;
}

TEST(StreamPlans, GiveTheSameInEveryOrderTheyAllow) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto program = std::make_shared<const Program>(randomProgram(seed, 24));
    const StreamPlan plan = makeStreamPlan(*program, 0, 4);
    EXPECT_GT(plan.streams, 1u);
    const Outcome outcome = runOn(program, {.isChecked = true, .orderSeed = seed}, plan);
    EXPECT_EQ(outcome.output, expected(*program, counted(3))) << seed;
    for (const Diagnostic& finding : outcome.findings) ADD_FAILURE() << toString(finding);
  }
}

TEST(StreamPlans, WithoutOneOfTheirWaitsAreFound) {
  int removed = 0;
  for (uint64_t seed = 0; removed < 200; ++seed) {
    const auto program = std::make_shared<const Program>(randomProgram(seed, 24));
    const StreamPlan plan = makeStreamPlan(*program, 0, 4);
    for (size_t step = 0; step < plan.steps.size() && removed < 200; ++step) {
      for (size_t wait = 0; wait < plan.steps[step].waits.size() && removed < 200; ++wait, ++removed) {
        StreamPlan without = plan;
        auto& waits = without.steps[step].waits;
        waits.erase(waits.begin() + static_cast<ptrdiff_t>(wait));
        const Outcome outcome = runOn(program, {.isChecked = true}, without);
        const bool isFound = std::ranges::any_of(
            outcome.findings, [](const Diagnostic& finding) { return finding.kind == "missing-dependency"; });
        EXPECT_TRUE(isFound) << "seed " << seed << ", step " << step << ", wait " << wait;
      }
    }
  }
}

TEST(StreamPlans, WithoutAWaitGiveAnotherResultInSomeOrder) {
  Program chain = gridProgram(2);
  chain.sequences[0] = {copyThunk("left", 0, 1), copyThunk("right", 0, 2), addThunk("sum", 2, 1)};
  const auto program = std::make_shared<const Program>(std::move(chain));
  StreamPlan plan = makeStreamPlan(*program, 0, 4);
  ASSERT_EQ(plan.steps[2].waits.size(), 1u);
  const std::vector<int32_t> right = expected(*program, counted(3));
  plan.steps[2].waits.clear();
  bool differs = false;
  for (uint64_t seed = 0; seed < 32 && !differs; ++seed)
    differs = runOn(program, {.orderSeed = seed}, plan).output != right;
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace hilo
