// Runs of thunks given to a device as graphs: by the fake driver, call by call, and by the simulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/runtime/device/cuda/cuda_device.h"
#include "core/runtime/device/simulated/simulated_device.h"
#include "core/runtime/executor/graph_plan.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"
#include "tests/unit/runtime/executor/device/grid_programs.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// Twice the parameter in the result, by way of a second array.
Program doubled() {
  Program program = gridProgram(2);
  program.sequences[0] = {copyThunk("left", 0, 1), copyThunk("right", 0, 2), addThunk("sum", 2, 1)};
  return program;
}

// The result is the parameter, and the parameter again for as long as the result's first byte is not zero.
Program looped() {
  Program program = gridProgram(1);
  WhileThunk loop{.test = ReadSlice({1, 0, 1}), .condition = 1, .body = 2};
  program.sequences = {{copyThunk("first", 0, 1), {.name = "loop", .body = loop}, addThunk("last", 0, 1)},
                       {},
                       {addThunk("again", 0, 1)}};
  return program;
}

// By the first number of the parameter: twice it, three times it, or the last, four times.
Program chosen() {
  Program program = gridProgram(1);
  ConditionalThunk choice{.selector = ReadSlice({0, 0, 4}), .byPred = false, .branches = {1, 2, 3}};
  const Thunk again = addThunk("again", 0, 1);
  program.sequences = {{copyThunk("first", 0, 1), {.name = "choice", .body = choice}},
                       {again},
                       {again, again},
                       {again, again, again}};
  return program;
}

class Graphs : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    fake.attributes[115] = 1;
    // The library that sets conditions: the fake driver does not read it.
    root = std::filesystem::path(testing::TempDir()) / "cuda_root";
    std::filesystem::create_directories(root / "lib64");
    std::ofstream(root / "lib64/libcudadevrt.a") << "x";
    setenv("CUDA_HOME", root.c_str(), 1);
  }
  std::unique_ptr<Device> device() {
    if (GetParam()) return openCudaDevice(loadFakeDriver(), 0).value();
    const auto load = [](std::string_view ptx, const std::string& name, bool isChecked) {
      return loadPtx(ptx, {.file = name, .isChecked = isChecked});
    };
    return makeSimulatedDevice({.load = load, .isChecked = true});
  }
  std::unique_ptr<DeviceExecutor> make(Program program, uint32_t least) {
    return DeviceExecutor::make(std::make_shared<const Program>(std::move(program)), device(), {},
                                {.graphThunks = least})
        .value();
  }
  static std::vector<int32_t> valuesOf(const Result<Literal>& output) {
    if (!output) return {};
    const auto data = output->data<int32_t>();
    return {data.begin(), data.end()};
  }
  int64_t callsOf(std::string_view symbol) const {
    return std::ranges::count_if(fake.calls,
                                 [&](const std::string& call) { return call.starts_with(symbol); });
  }
  FakeDriver& fake = newFakeDriver();
  std::filesystem::path root;
};

TEST_P(Graphs, DoWhatTheThunksDo) {
  const auto executor = make(doubled(), 2);
  for (const int32_t first : {5, -3}) {
    const std::vector<Literal> arguments = {counted(first)};
    const auto output = executor->run(arguments);
    ASSERT_TRUE(output) << toString(output.error());
    for (int32_t i = 0; i < kElements; ++i)
      EXPECT_EQ(valuesOf(output)[static_cast<size_t>(i)], 2 * (first + i));
  }
}

TEST_P(Graphs, LoopByThemselves) {
  const auto executor = make(looped(), 2);
  Literal argument(Shape::array(ElementType::S32, {kElements}));
  std::ranges::fill(argument.mutableData<int32_t>(), 64);
  const std::vector<Literal> arguments = {std::move(argument)};
  const auto output = executor->run(arguments);
  ASSERT_TRUE(output) << toString(output.error());
  // 64, 128, 192, and 256 ends it; then once more.
  EXPECT_EQ(valuesOf(output), std::vector<int32_t>(kElements, 320));
  if (GetParam()) {
    EXPECT_EQ(callsOf("cuGraphAddNode while"), 1);
    EXPECT_EQ(callsOf("cuGraphAddKernelNode set"), 2) << "before the loop, and at the end of its body";
    EXPECT_EQ(callsOf("cuGraphLaunch"), 1);
    EXPECT_EQ(callsOf("cuLaunchKernelEx"), 0);
  }
}

TEST_P(Graphs, ChooseByThemselves) {
  const auto executor = make(chosen(), 2);
  for (const auto& [selector, times] :
       {std::pair(0, 2), std::pair(1, 3), std::pair(2, 4), std::pair(-1, 4)}) {
    const std::vector<Literal> arguments = {counted(selector)};
    const auto output = executor->run(arguments);
    ASSERT_TRUE(output) << toString(output.error());
    EXPECT_EQ(valuesOf(output)[3], times * (selector + 3)) << selector;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Graphs, testing::Bool(),
                         [](const auto& info) { return info.param ? "FakeDriver" : "Simulated"; });

class CudaGraphs : public Graphs {};

TEST_P(CudaGraphs, AreMadeOnceAndToldNewAddresses) {
  {
    const auto executor = make(doubled(), 2);
    const std::vector<Literal> arguments = {counted(1)};
    for (int run = 0; run < 3; ++run) ASSERT_TRUE(executor->run(arguments));
    EXPECT_EQ(callsOf("cuGraphInstantiate"), 1);
    EXPECT_EQ(callsOf("cuGraphLaunch"), 3);
    EXPECT_EQ(callsOf("cuLaunchKernelEx") + callsOf("cuMemcpyDtoDAsync"), 0);
    // What the driver cannot bring up to date is made anew.
    fake.failing["cuGraphExecUpdate"] = 910;
    const int64_t updates = callsOf("cuGraphExecUpdate"), made = callsOf("cuGraphInstantiate");
    for (int run = 0; run < 3; ++run) ASSERT_TRUE(executor->run(arguments));
    EXPECT_EQ(callsOf("cuGraphInstantiate") - made, callsOf("cuGraphExecUpdate") - updates);
  }
  EXPECT_EQ(fake.living, 0) << "all that was made is given back";
}

TEST_P(CudaGraphs, ThatFailAreToldWithTheFirstInstruction) {
  fake.failing["cuGraphLaunch"] = 700;
  const auto executor = make(doubled(), 2);
  const std::vector<Literal> arguments = {counted(1)};
  const auto output = executor->run(arguments);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, "illegal-address");
  EXPECT_EQ(output.error().place.instruction, "left");
}

INSTANTIATE_TEST_SUITE_P(Fake, CudaGraphs, testing::Values(true));

TEST(GraphPlan, TakesTheLongestRunsAndSaysWhyNot) {
  Program program = gridProgram(1);
  WhileThunk loop{.test = ReadSlice({1, 0, 1}), .condition = 1, .body = 2};
  SortThunk sort;
  program.sequences = {{addThunk("a", 0, 1),
                        addThunk("b", 0, 1),
                        {.name = "sort", .body = sort},
                        addThunk("c", 0, 1),
                        {.name = "loop", .body = loop}},
                       {},
                       {{.name = "inner", .body = sort}}};
  const GraphPlan plan = planGraphs(program, {.leastThunks = 2})[0];
  EXPECT_EQ(plan.graphs, (std::vector<GraphRange>{{0, 2}}));
  EXPECT_EQ(plan.why[0], "");
  EXPECT_EQ(plan.why[2], "the host does it");
  EXPECT_EQ(plan.why[3], "a run of 1, and a graph begins at 2");
  EXPECT_EQ(plan.why[4], "it runs inner: the host does it");
  const GraphPlan noLoops = planGraphs(program, {.leastThunks = 1, .whyNoLoops = "no library"})[0];
  EXPECT_EQ(noLoops.why[4], "no library");
  EXPECT_EQ(noLoops.graphs.size(), 2u);
}

TEST(GraphPlan, CountsWhatALoopRunsAndEndsWhereThatIsTooMuch) {
  Program program = gridProgram(1);
  const auto loopOf = [](uint32_t sequence) {
    return Thunk{.name = "loop",
                 .body = WhileThunk{.test = ReadSlice({1, 0, 1}), .condition = sequence, .body = sequence}};
  };
  // Three kernels twice, and the loop itself.
  program.sequences = {{loopOf(1)}, {addThunk("a", 0, 1), addThunk("b", 0, 1), addThunk("c", 0, 1)}};
  EXPECT_EQ(planGraphs(program, {.leastThunks = 7})[0].graphs.size(), 1u);
  EXPECT_EQ(planGraphs(program, {.leastThunks = 8})[0].why[0], "a run of 7, and a graph begins at 8");
  // Each sequence runs the next one twice: as a tree it would have 2^64 thunks.
  program.sequences.clear();
  for (uint32_t s = 0; s < 64; ++s) program.sequences.push_back({loopOf(s + 1)});
  program.sequences.push_back({addThunk("a", 0, 1)});
  const auto plans = planGraphs(program, {});
  EXPECT_EQ(plans[0].why[0].find("it runs loop: "), 0u) << plans[0].why[0];
  EXPECT_EQ(plans[60].graphs.size(), 1u);
}

}  // namespace
}  // namespace hilo
