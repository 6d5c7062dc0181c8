// Plans written as XLA writes them and read again.
#include <gtest/gtest.h>

#include "core/compiler/buffers/buffer_assigner.h"
#include "core/hlo/dump/buffer_assignment_writer.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

BufferAssignment planOf(const Module& module) {
  auto plan = assignBuffers(module);
  EXPECT_TRUE(plan) << toString(plan.error());
  return std::move(*plan);
}

std::unique_ptr<Module> sample() {
  return *parseModuleStrictly(R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}) }
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  p = f32[100] parameter(0)
  z = f32[] constant(0)
  r = f32[100] reverse(p), dimensions={0}
  h = f32[100]{0:S(5)} copy(r)
  t = f32[100] sine(r)
  n = f32[] reduce(t, z), dimensions={0}, to_apply=sum
  ROOT o = (f32[100], f32[]) tuple(t, n)
})");
}

TEST(PlanText, ReadsBackAsItWas) {
  const auto module = sample();
  const BufferAssignment plan = planOf(*module);
  const auto read = parseBufferAssignment(printBufferAssignment(plan));
  ASSERT_TRUE(read) << toString(read.error());
  ASSERT_EQ(read->allocations.size(), plan.allocations.size());
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const BufferAllocation &a = plan.allocations[i], &b = read->allocations[i];
    EXPECT_EQ(a.sizeBytes, b.sizeBytes);
    EXPECT_EQ(a.color, b.color);
    EXPECT_EQ(a.isEntryParameter, b.isEntryParameter);
    EXPECT_EQ(a.isConstant, b.isConstant);
    EXPECT_EQ(a.isThreadLocal, b.isThreadLocal);
    EXPECT_EQ(a.maybeLiveOut, b.maybeLiveOut);
    EXPECT_EQ(a.isPreallocatedTemp, b.isPreallocatedTemp);
    ASSERT_EQ(a.assigned.size(), b.assigned.size());
    for (size_t j = 0; j < a.assigned.size(); ++j) {
      EXPECT_EQ(a.assigned[j].bufferId, b.assigned[j].bufferId);
      EXPECT_EQ(a.assigned[j].offsetBytes, b.assigned[j].offsetBytes);
    }
  }
  EXPECT_EQ(read->totalBytes, plan.totalBytes);
  EXPECT_EQ(read->sequence, plan.sequence);
  EXPECT_EQ(read->liveRanges.size(), plan.liveRanges.size());
}

TEST(PlanText, GoesThroughTheProto) {
  const auto module = sample();
  const BufferAssignment plan = planOf(*module);
  pb::BufferAssignmentProto proto;
  writeBufferAssignment(plan, proto);
  const auto result = readBufferAssignment(proto, module.get());
  ASSERT_TRUE(result);
  const BufferAssignment& read = *result;
  EXPECT_EQ(read.totalBytes, plan.totalBytes);
  ASSERT_EQ(read.allocations.size(), plan.allocations.size());
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    EXPECT_EQ(read.allocations[i].parameterNumber, plan.allocations[i].parameterNumber);
    EXPECT_EQ(read.allocations[i].isTuple, plan.allocations[i].isTuple);
    EXPECT_EQ(read.allocations[i].assigned.size(), plan.allocations[i].assigned.size());
  }
  ASSERT_EQ(read.heapTraces.size(), plan.heapTraces.size());
  EXPECT_EQ(read.heapTraces[0].events.size(), plan.heapTraces[0].events.size());
  EXPECT_EQ(read.peakBuffers, plan.peakBuffers);
  EXPECT_EQ(read.buffers.size(), plan.buffers.size());
  EXPECT_EQ(read.aliases.size(), plan.aliases.size());
}

// Every allocation comes back with the facts it was written with.
TEST(PlanText, AllocationsGoThroughTheProto) {
  BufferAssignment plan;
  bool BufferAllocation::* const facts[] = {
      &BufferAllocation::isThreadLocal,    &BufferAllocation::isTuple,
      &BufferAllocation::isConstant,       &BufferAllocation::maybeLiveOut,
      &BufferAllocation::isEntryParameter, &BufferAllocation::isParameterAliasedWithOutput};
  for (unsigned bits = 0; bits < 64; ++bits) {
    BufferAllocation allocation{
        .index = static_cast<int64_t>(bits), .sizeBytes = 128 + bits, .color = bits % 3};
    for (size_t i = 0; i < std::size(facts); ++i) allocation.*facts[i] = (bits >> i & 1) != 0;
    if (allocation.isEntryParameter) {
      allocation.parameterNumber = 33;
      allocation.parameterShapeIndex = {1, 2, 3, 4};
    } else {
      allocation.isParameterAliasedWithOutput = false;  // says nothing of others
    }
    plan.allocations.push_back(allocation);
  }
  pb::BufferAssignmentProto proto;
  writeBufferAssignment(plan, proto);
  const auto read = readBufferAssignment(proto, nullptr);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->allocations.size(), plan.allocations.size());
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const BufferAllocation &a = read->allocations[i], &b = plan.allocations[i];
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.sizeBytes, b.sizeBytes);
    EXPECT_EQ(a.color, b.color);
    for (bool BufferAllocation::* fact : facts) EXPECT_EQ(a.*fact, b.*fact) << i;
    EXPECT_EQ(a.parameterNumber, b.parameterNumber);
    EXPECT_EQ(a.parameterShapeIndex, b.parameterShapeIndex);
  }
}

}  // namespace
}  // namespace hilo
