#include "core/hlo/dump/buffer_assignment.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

constexpr std::string_view kText =
    "BufferAssignment:\n"
    "allocation 0: size 128, output shape is |c64[4,2]|, maybe-live-out:\n"
    " value: <9 loop_abs_fusion @0> (size=64,offset=0): f32[4,2]{1,0}\n"
    " value: <10 fusion{1,0} @5> (size=128,offset=64): c64[4,2]{1,0}\n"
    "allocation 1: size 16, color 5, parameter 2, shape |f32[4]| at ShapeIndex {0,1}:\n"
    " value: <7 p @0> (size=16,offset=0): f32[4]{0}\n"
    "allocation 2: size 8, constant:\n"
    "allocation 3: size 4, thread-local:\n"
    "allocation 4: size 32, preallocated-temp:\n"
    "\n"
    "Total bytes used: 188 (188B)\n"
    "\n"
    "Used values:\n"
    "<7 p @0>\n"
    " positions:\n"
    "  p\n"
    "\n"
    "HloLiveRange (max 6):\n"
    "  InstructionSequence:\n"
    "    0:p\n"
    "    1:loop_abs_fusion\n"
    "  BufferLiveRange:\n"
    "    p{}:0-6\n"
    "    fusion{1,0}:3-4\n"
    "  Live ranges at 5 (peak):\n"
    "    p: 16 bytes\n";

TEST(BufferAssignmentText, Allocations) {
  const auto assignment = parseBufferAssignment(kText);
  ASSERT_TRUE(assignment) << toString(assignment.error());
  ASSERT_EQ(assignment->allocations.size(), 5u);
  EXPECT_EQ(assignment->totalBytes, 188);
  const BufferAllocation& output = assignment->allocations[0];
  EXPECT_EQ(output.sizeBytes, 128);
  EXPECT_EQ(output.outputShape, "c64[4,2]");
  EXPECT_TRUE(output.maybeLiveOut);
  ASSERT_EQ(output.assigned.size(), 2u);
  EXPECT_EQ(output.assigned[1].bufferId, 10);
  EXPECT_EQ(output.assigned[1].offsetBytes, 64);
  const BufferAllocation& parameter = assignment->allocations[1];
  EXPECT_EQ(parameter.color, 5);
  EXPECT_EQ(parameter.parameterNumber, 2);
  EXPECT_EQ(parameter.parameterShapeIndex, (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(assignment->allocations[2].isConstant);
  EXPECT_TRUE(assignment->allocations[3].isThreadLocal);
  EXPECT_TRUE(assignment->allocations[4].isPreallocatedTemp);
}

TEST(BufferAssignmentText, BuffersAndLiveRanges) {
  const auto assignment = parseBufferAssignment(kText);
  ASSERT_TRUE(assignment);
  const LogicalBuffer* buffer = assignment->buffer(10);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->instruction, "fusion");
  EXPECT_EQ(buffer->shapeIndex, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(buffer->color, 5);
  EXPECT_EQ(buffer->shape, "c64[4,2]{1,0}");
  EXPECT_EQ(assignment->buffer(8), nullptr);
  EXPECT_EQ(assignment->sequence, (std::vector<std::string>{"p", "loop_abs_fusion"}));
  ASSERT_EQ(assignment->liveRanges.size(), 2u);
  EXPECT_EQ(assignment->liveRanges[1].instruction, "fusion");
  EXPECT_EQ(assignment->liveRanges[1].start, 3);
  EXPECT_EQ(assignment->liveRanges[1].end, 4);
}

TEST(BufferAssignmentText, ErrorsHaveALine) {
  const auto none = parseBufferAssignment("hello\n", "x.txt");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "not-a-buffer-assignment");
  for (const char* line :
       {"allocation x: size 3:", "allocation 0: size", " value: <1 p @0> (size=3,offset=0): f32[]",
        "Total bytes used: many", "allocation 0: size 3, parameter 0, shape |f32[]|:"}) {
    const auto bad = parseBufferAssignment(std::string("BufferAssignment:\n") + line, "x.txt");
    ASSERT_FALSE(bad) << line;
    EXPECT_EQ(bad.error().kind, "bad-buffer-assignment");
    EXPECT_EQ(bad.error().place.line, 2u);
  }
}

TEST(BufferAssignmentProto, NamesComeFromTheModule) {
  Module module("m");
  Computation* computation = module.createComputation("main");
  Instruction* parameter = computation->createParameter(0, Shape::array(ElementType::F32, {4}), "p");
  parameter->set<Attr::UniqueId>(77);

  pb::BufferAssignmentProto proto;
  auto& buffer = *proto.add_logical_buffers();
  buffer.set_id(3);
  buffer.set_size(16);
  buffer.mutable_defined_at()->set_instruction_id(77);
  auto& allocation = *proto.add_buffer_allocations();
  allocation.set_index(1);
  allocation.set_size(64);
  allocation.add_assigned()->set_logical_buffer_id(3);
  auto& event = *proto.add_heap_simulator_traces()->add_events();
  event.set_kind(pb::HeapSimulatorTrace::Event::SHARE_WITH);
  event.set_buffer_id(3);
  auto& peak = *proto.add_peak_buffers();
  peak.set_index(1);
  peak.add_logical_buffer_ids(3);

  const auto read = readBufferAssignment(proto, &module);
  ASSERT_TRUE(read);
  const BufferAssignment& assignment = *read;
  ASSERT_NE(assignment.buffer(3), nullptr);
  EXPECT_EQ(assignment.buffer(3)->instruction, "p");
  EXPECT_EQ(assignment.buffer(3)->computation, "main");
  EXPECT_TRUE(assignment.allocations[0].isPreallocatedTemp);
  EXPECT_EQ(assignment.totalBytes, 64);
  EXPECT_EQ(assignment.heapTraces[0].events[0].kind, HeapEvent::Kind::ShareWith);
  EXPECT_EQ(assignment.peakBuffers[0], std::vector<int64_t>{3});
}

TEST(BufferAssignmentProto, OffsetsAndSizesAreNotNegative) {
  pb::BufferAssignmentProto proto;
  auto& allocation = *proto.add_buffer_allocations();
  allocation.set_size(64);
  auto& assigned = *allocation.add_assigned();
  assigned.set_size(16);
  ASSERT_TRUE(readBufferAssignment(proto, nullptr));
  assigned.set_offset(-1);
  const auto offset = readBufferAssignment(proto, nullptr);
  ASSERT_FALSE(offset);
  EXPECT_EQ(offset.error().kind, "bad-buffer-assignment");
  EXPECT_NE(offset.error().message.find("negative offset"), std::string::npos);
  assigned.set_offset(0);
  assigned.set_size(-1);
  const auto size = readBufferAssignment(proto, nullptr);
  ASSERT_FALSE(size);
  EXPECT_NE(size.error().message.find("negative size"), std::string::npos);
}

}  // namespace
}  // namespace hilo
