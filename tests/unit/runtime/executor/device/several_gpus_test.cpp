// Programs on several GPUs, of a driver and with a NCCL that do all on the host.
#include <gtest/gtest.h>

#include "core/runtime/device/cuda/cuda_device.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"
#include "tests/unit/runtime/executor/device/grid_programs.h"

namespace hilo {
namespace {

const LibrarySearch kWithNccl{.folders = {HILO_FAKE_CUDA "/lib64"}, .asksSystem = false};
const LibrarySearch kWithout{.folders = {}, .asksSystem = false};

// The parameter, twice itself, by way of the collective to the result.
Program withCollective(Collective collective, bool isSplit = false) {
  Program program = gridProgram(2);
  program.replicas = 2;
  program.collectives = {std::move(collective)};
  const std::vector<ReadSlice> from = {ReadSlice({2, 0, kArrayBytes})};
  const std::vector<WriteSlice> to = {WriteSlice({1, 0, kArrayBytes})};
  ThunkSequence& sequence = program.sequences[0];
  sequence = {copyThunk("copied", 0, 2), addThunk("doubled", 0, 2)};
  if (!isSplit) {
    sequence.push_back({.name = "together", .body = CollectiveThunk{.operands = from, .results = to}});
    return program;
  }
  sequence.push_back(
      {.name = "begun", .body = CollectiveThunk{.phase = CollectivePhase::Start, .operands = from}});
  // The operand's memory has other values by then.
  sequence.push_back(addThunk("changed", 0, 2));
  sequence.push_back(
      {.name = "ended", .body = CollectiveThunk{.phase = CollectivePhase::Done, .results = to}});
  return program;
}
Collective sum(std::vector<std::vector<int64_t>> groups) {
  return {.kind = CollectiveKind::AllReduce,
          .groups = std::move(groups),
          .reductions = {{.type = ElementType::S32}},
          .reduction = ReductionKind::Sum,
          .outer = {1}};
}

class SeveralGpus : public testing::Test {
 protected:
  Result<std::unique_ptr<DeviceExecutor>> make(Program program, size_t gpus, const LibrarySearch& search) {
    newFakeDriver().attributes[115] = 1;
    std::vector<std::unique_ptr<Device>> devices;
    while (devices.size() < gpus) devices.push_back(openCudaDevice(loadFakeDriver(), 0).value());
    return DeviceExecutor::make(std::make_shared<const Program>(std::move(program)), std::move(devices), {},
                                search);
  }
  // Of 5, 6, ... and of 105, 106, ...: what each device has as element 1.
  static Result<std::pair<int32_t, int32_t>> secondOf(const DeviceExecutor& executor) {
    const std::vector<std::vector<Literal>> arguments = {{counted(5)}, {counted(105)}};
    TRY(const auto outputs, executor.runOnDevices({.replicas = 2, .partitions = 1}, arguments));
    return std::pair(outputs[0].data<int32_t>()[1], outputs[1].data<int32_t>()[1]);
  }
};

TEST_F(SeveralGpus, AddUpByNcclRunAfterRun) {
  for (const bool isSplit : {false, true}) {
    const auto executor = make(withCollective(sum({{0, 1}}), isSplit), 2, kWithNccl);
    ASSERT_TRUE(executor) << toString(executor.error());
    for (int run = 0; run < 3; ++run) {
      const auto got = secondOf(**executor);
      ASSERT_TRUE(got) << toString(got.error());
      EXPECT_EQ(*got, std::pair(2 * 6 + 2 * 106, 2 * 6 + 2 * 106));
    }
  }
}

TEST_F(SeveralGpus, EachAloneInItsGroupKeepItsOwn) {
  const auto executor = make(withCollective(sum({{0}, {1}})), 2, kWithNccl);
  ASSERT_TRUE(executor) << toString(executor.error());
  EXPECT_EQ(secondOf(**executor).value(), std::pair(12, 212));
}

// The second has what the first gave; nobody gives to the first.
TEST_F(SeveralGpus, PassOnAndClearWhatNobodySends) {
  const auto executor =
      make(withCollective({.kind = CollectiveKind::Permute, .groups = {{0, 1}}, .outer = {1}}), 2, kWithNccl);
  ASSERT_TRUE(executor) << toString(executor.error());
  EXPECT_EQ(secondOf(**executor).value(), std::pair(0, 12));
}

// A permute needs no kernel of the host's: without NCCL, or with fewer GPUs than devices, the host does it.
TEST_F(SeveralGpus, AreServedByTheHostWhereThereIsNoNccl) {
  const Collective permute{.kind = CollectiveKind::Permute, .groups = {{0, 1}}, .outer = {1}};
  const auto without = make(withCollective(permute), 2, kWithout),
             shared = make(withCollective(permute), 1, kWithNccl);
  ASSERT_TRUE(without && shared);
  EXPECT_EQ(secondOf(**without).value(), std::pair(0, 12));
  EXPECT_EQ(secondOf(**shared).value(), std::pair(0, 12));
}

// Replica 1 goes another way.
TEST_F(SeveralGpus, ThatWaitForEachOtherInVainAreNamed) {
  Program program = withCollective(sum({{0, 1}}));
  program.allocations.push_back({AllocationKind::DeviceIds, kDeviceIdsBytes, 0});
  // Replica 1 runs a sequence without the collective.
  const Thunk meets = program.sequences[0].back();
  program.sequences[0].back() = {
      .name = "chosen",
      .body = ConditionalThunk{.selector = ReadSlice({3, 0, 4}), .byPred = false, .branches = {1, 2}}};
  program.sequences.push_back({meets});
  program.sequences.push_back({copyThunk("alone", 2, 1)});
  const auto executor = make(std::move(program), 2, kWithNccl);
  ASSERT_TRUE(executor) << toString(executor.error());
  const auto got = secondOf(**executor);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, "deadlock");
  ASSERT_EQ(got.error().notes.size(), 2u);
  EXPECT_NE(got.error().notes[0].find("waits at together (all-reduce) for device 1"), std::string::npos);
  EXPECT_NE(got.error().notes[1].find("has finished"), std::string::npos);
}

}  // namespace
}  // namespace hilo
