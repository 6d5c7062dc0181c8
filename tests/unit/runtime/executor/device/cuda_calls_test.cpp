// What the executor of devices asks of the driver, in which order, and what becomes of its failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/device/cuda/cuda_device.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"
#include "tests/unit/runtime/executor/device/grid_programs.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// The parameter twice, each by a stream of its own, then both together.
Program forked() {
  Program program = gridProgram(2);
  program.sequences[0] = {copyThunk("left", 0, 1), copyThunk("right", 0, 2), addThunk("sum", 2, 1)};
  return program;
}

class CudaCalls : public testing::Test {
 protected:
  Result<std::unique_ptr<DeviceExecutor>> make(Program program) {
    fake.attributes[115] = 1;
    return DeviceExecutor::make(std::make_shared<const Program>(std::move(program)),
                                openCudaDevice(loadFakeDriver(), 0).value(), {});
  }
  Result<Literal> runForked() {
    TRY(const auto executor, make(forked()));
    const std::vector<Literal> arguments = {counted(5)};
    return executor->run(arguments);
  }
  // Those of `symbols`, in the order they were called.
  std::vector<std::string> callsOf(std::vector<std::string> symbols) const {
    std::vector<std::string> found;
    for (const std::string& call : fake.calls) {
      const std::string symbol = call.substr(0, call.find(' '));
      if (std::ranges::find(symbols, symbol) != symbols.end()) found.push_back(symbol);
    }
    return found;
  }
  FakeDriver& fake = newFakeDriver();
};

TEST_F(CudaCalls, AreTheOnesOfTheProgramInItsOrder) {
  const auto output = runForked();
  ASSERT_TRUE(output) << toString(output.error());
  for (int32_t i = 0; i < kElements; ++i)
    EXPECT_EQ(output->data<int32_t>()[static_cast<size_t>(i)], 2 * (5 + i));
  EXPECT_EQ(
      callsOf({"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemcpyHtoDAsync", "cuMemcpyDtoDAsync",
               "cuLaunchKernelEx", "cuMemcpyDtoHAsync", "cuMemFreeAsync"}),
      (std::vector<std::string>{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemcpyHtoDAsync",
                                "cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync", "cuLaunchKernelEx",
                                "cuMemcpyDtoHAsync", "cuMemFreeAsync", "cuMemFreeAsync", "cuMemFreeAsync"}));
  // The second stream waits for the first when it begins; the sum for the copy on the other stream; the first
  // for the second at the end.
  EXPECT_EQ(callsOf({"cuStreamWaitEvent", "cuLaunchKernelEx"}),
            (std::vector<std::string>{"cuStreamWaitEvent", "cuStreamWaitEvent", "cuLaunchKernelEx",
                                      "cuStreamWaitEvent"}));
  EXPECT_THAT(fake.calls, Contains("cuLaunchKernelEx grid 1 1 1 block 16 1 1 shared 0"));
  EXPECT_EQ(fake.living, 0) << "all that was made is given back";
}

TEST_F(CudaCalls, LaunchWithClustersAndSharedMemoryAsTheKernelAsks) {
  Program program = forked();
  program.kernels[0].launch.gridX = 4;
  program.kernels[0].launch.blockX = 4;
  program.kernels[0].launch.clusterX = 2;
  program.kernels[0].launch.sharedBytes = 70000;
  fake.attributes[120] = 1;
  const auto executor = make(std::move(program));
  ASSERT_TRUE(executor) << toString(executor.error());
  const std::vector<Literal> arguments = {counted(0)};
  ASSERT_TRUE((*executor)->run(arguments));
  EXPECT_THAT(fake.calls,
              Contains("cuLaunchKernelEx grid 4 1 1 block 4 1 1 shared 70000 attribute 4: 2 1 1"));
}

TEST_F(CudaCalls, ThatFailAreToldWithTheInstruction) {
  fake.failing["cuLaunchKernelEx"] = 700;
  const auto output = runForked();
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, "illegal-address");
  EXPECT_EQ(output.error().place.instruction, "sum");
  EXPECT_EQ(fake.living, 0);
}

TEST_F(CudaCalls, SayWhatThereIsNoRoomFor) {
  fake.failing["cuMemAllocAsync"] = 2;
  const auto output = runForked();
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, "out-of-memory");
  EXPECT_THAT(output.error().notes, Contains(HasSubstr("64 bytes")));
}

TEST_F(CudaCalls, SayThatCodeIsOfAnotherArchitecture) {
  fake.failing["cuModuleLoadDataEx"] = 209;
  const auto output = runForked();
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, "wrong-machine");
  EXPECT_EQ(output.error().place.instruction, "add");
}

TEST_F(CudaCalls, TellALateErrorWhereItIsMet) {
  fake.failing["cuStreamSynchronize"] = 700;
  const auto output = runForked();
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, "illegal-address");
  EXPECT_THAT(output.error().message, StartsWith("cuStreamSynchronize"));
}

TEST_F(CudaCalls, AreOfOneStreamWhereOneThunkComesAfterTheOther) {
  const auto executor = make(forked());
  ASSERT_TRUE(executor);
  const std::vector<Literal> arguments = {counted(5)};
  const auto output = (*executor)->run(arguments, {.sequential = true});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->data<int32_t>()[1], 12);
  EXPECT_TRUE(callsOf({"cuStreamWaitEvent"}).empty());
}

// One run that is traced, with the libraries of a folder.
std::vector<ThunkEvent> tracedWith(const char* cuda, const ProgramRunner& executor) {
  setenv("CUDA_HOME", cuda, 1);
  ThunkTrace trace;
  const std::vector<Literal> arguments = {counted(0)};
  EXPECT_TRUE(executor.run(arguments, {.trace = &trace}));
  unsetenv("CUDA_HOME");
  return trace.events();
}

TEST_F(CudaCalls, GiveTimesByEvents) {
  const auto executor = make(forked());
  ASSERT_TRUE(executor);
  const auto events = tracedWith("/", **executor);
  ASSERT_EQ(events.size(), 3u);
  for (const ThunkEvent& event : events) EXPECT_EQ(event.durationNs, 250'000);  // the driver says 0.25 ms
  EXPECT_NE(events[0].thread, events[1].thread) << "lanes are streams";
}

// The tests' own CUPTI says 300 ns of each, 1000 ns after the one before, and the driver 0.25 ms of all.
TEST_F(CudaCalls, GiveTimesByCupti) {
  const auto executor = make(forked());
  ASSERT_TRUE(executor);
  const auto events = tracedWith(HILO_FAKE_CUDA, **executor);
  ASSERT_EQ(events.size(), 3u);
  for (const ThunkEvent& event : events) EXPECT_EQ(event.durationNs, 300);
  EXPECT_EQ(events[2].startNs - events[0].startNs, 2000);
}

// What a handler for CUDA was given.
struct GivenToHandler {
  void* stream = nullptr;
  std::vector<const void*> buffers;
} given;

FfiError* handlerForCuda(FfiCallFrame* frame) {
  if (frame->extensions != nullptr) {
    FfiMetadata* metadata = reinterpret_cast<FfiMetadataExtension*>(frame->extensions)->metadata;
    metadata->version.minor = kFfiMinor;
    return nullptr;
  }
  FfiStreamGet get{};
  get.structBytes = sizeof(get);
  get.context = frame->context;
  if (FfiError* error = frame->api->streamGet(&get)) return error;
  given.stream = get.stream;
  const auto& from = *static_cast<FfiBuffer*>(frame->arguments.buffers[0]);
  const auto& to = *static_cast<FfiBuffer*>(frame->results.buffers[0]);
  given.buffers = {from.data, to.data};
  // The memory of the fake driver is the host's.
  for (int64_t i = 0; i < kElements; ++i)
    static_cast<int32_t*>(to.data)[i] = 3 * static_cast<const int32_t*>(from.data)[i];
  FfiAllocate memory{};
  memory.structBytes = sizeof(memory);
  memory.context = frame->context;
  memory.size = 100;
  if (FfiError* error = frame->api->memoryAllocate(&memory)) return error;
  FfiFree free{};
  free.structBytes = sizeof(free);
  free.context = frame->context;
  free.data = memory.data;
  return frame->api->memoryFree(&free);
}

// The parameter by way of pinned memory to the result.
TEST_F(CudaCalls, PinMemoryOfTheHostForWhatLiesThere) {
  Program program = gridProgram(2);
  program.allocations[2].memorySpace = kHostMemorySpace;
  program.sequences[0] = {copyThunk("away", 0, 2), copyThunk("back", 2, 1), addThunk("sum", 2, 1)};
  {
    const auto executor = make(std::move(program));
    ASSERT_TRUE(executor) << toString(executor.error());
    const std::vector<Literal> arguments = {counted(5)};
    const auto output = (*executor)->run(arguments);
    ASSERT_TRUE(output) << toString(output.error());
    EXPECT_EQ(output->data<int32_t>()[3], 16);
  }
  EXPECT_EQ(
      callsOf({"cuMemAllocAsync", "cuMemHostAlloc", "cuMemFreeHost"}),
      (std::vector<std::string>{"cuMemAllocAsync", "cuMemAllocAsync", "cuMemHostAlloc", "cuMemFreeHost"}));
  EXPECT_EQ(fake.living, 0);
}

TEST_F(CudaCalls, OfAHandlerForCudaHaveAddressesAndStreamOfTheGpu) {
  Program program = gridProgram(1);
  const CustomCallArray array{.type = ElementType::S32, .dimensions = {kElements}, .minorToMajor = {0}};
  program.sequences[0] = {{.name = "tripled",
                           .body = CustomCallThunk{.target = "triple",
                                                   .backendConfig = "",
                                                   .operandArrays = {array},
                                                   .resultArrays = {array},
                                                   .operands = {ReadSlice({0, 0, kArrayBytes})},
                                                   .results = {WriteSlice({1, 0, kArrayBytes})}}}};
  FfiHandler handler{.target = "triple", .library = ""};
  handler.cuda.execute = handlerForCuda;
  fake.attributes[115] = 1;
  const auto executor = DeviceExecutor::make(std::make_shared<const Program>(std::move(program)),
                                             openCudaDevice(loadFakeDriver(), 0).value(),
                                             [&](std::string_view) { return CallHandler(&handler); });
  ASSERT_TRUE(executor) << toString(executor.error());
  const std::vector<Literal> arguments = {counted(5)};
  const auto output = (*executor)->run(arguments);
  ASSERT_TRUE(output) << toString(output.error());
  EXPECT_EQ(output->data<int32_t>()[2], 21);
  EXPECT_NE(given.stream, nullptr);
  EXPECT_EQ(callsOf({"cuMemAllocAsync"}).size(), 3u) << "parameter, result, and what the handler asks for";
}

TEST_F(CudaCalls, TellWhatTheDeviceHeldAtMost) {
  const auto executor = make(forked());
  ASSERT_TRUE(executor) << toString(executor.error());
  const std::vector<Literal> arguments = {counted(5)};
  int64_t held = 0;
  ASSERT_TRUE((*executor)->run(arguments, {.mostHeldBytes = &held}));
  // The parameter and its two copies, the second of which is the result.
  EXPECT_EQ(held, 3 * kElements * 4);
}

}  // namespace
}  // namespace hilo
