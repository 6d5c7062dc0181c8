// The thunks of XLA's executables: every kind is read, keeps its bytes, and comes back from a file as
// it went in.
#include "core/hlo/dump/thunk_protos.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::ElementsAre;

// Random values for all fields, of a oneof for one; what runs thunks runs one that uses nothing. Every
// slice begins elsewhere.
class Filler {
 public:
  explicit Filler(uint32_t seed) : random_(seed) {}
  std::set<int64_t> offsets;

  void fill(Message& message) {
    const auto& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const auto* oneof = field.real_containing_oneof();
      if (oneof != nullptr && message.GetReflection()->HasOneof(message, oneof)) continue;
      const int count = field.is_repeated() ? 2 : 1;
      for (int n = 0; n < count; ++n) set(message, field);
    }
  }

 private:
  int64_t number() { return static_cast<int64_t>(random_() % 1000) + 1; }

  void set(Message& message, const FieldDescriptor& field) {
    const auto* reflection = message.GetReflection();
    const bool repeated = field.is_repeated();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (field.message_type()->name() == "ShapeProto") return;
        return fillMessage(repeated ? *reflection->AddMessage(&message, &field)
                                    : *reflection->MutableMessage(&message, &field));
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = "name" + std::to_string(number());
        return repeated ? reflection->AddString(&message, &field, text)
                        : reflection->SetString(&message, &field, text);
      }
      case FieldDescriptor::CPPTYPE_INT64:
        return repeated ? reflection->AddInt64(&message, &field, number())
                        : reflection->SetInt64(&message, &field, number());
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(&message, &field, static_cast<int32_t>(number()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(&message, &field, static_cast<uint64_t>(number()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(&message, &field, static_cast<uint32_t>(number()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return repeated ? reflection->AddBool(&message, &field, random_() % 2 == 0)
                        : reflection->SetBool(&message, &field, true);
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto& values = *field.enum_type();
        const auto* value = values.value(static_cast<int>(random_() % values.value_count()));
        return repeated ? reflection->AddEnum(&message, &field, value)
                        : reflection->SetEnum(&message, &field, value);
      }
      default:
        FAIL() << field.full_name();
    }
  }

  void fillMessage(Message& message) {
    if (auto* thunk = dynamic_cast<pb::cpu::ThunkProto*>(&message))
      return void(thunk->mutable_rng_seed_thunk());
    if (auto* thunk = dynamic_cast<pb::gpu::ThunkProto*>(&message))
      return void(thunk->mutable_rng_seed_thunk());
    fill(message);
    auto* slice = dynamic_cast<pb::BufferAllocationSliceProto*>(&message);
    if (slice == nullptr) return;
    slice->set_offset(static_cast<int64_t>(offsets.size()) * 4096);
    offsets.insert(slice->offset());
  }

  std::mt19937 random_;
};

std::set<int64_t> offsetsOf(const DumpedThunk& thunk) {
  std::set<int64_t> offsets;
  for (const ThunkSlice& slice : *thunk.slices) offsets.insert(slice.offsetBytes);
  return offsets;
}

// A sequence of one thunk through both encodings: told by its content, read, and the same.
template <typename Sequence>
void expectRoundTrip(const Sequence& sequence, FileKind kind, const DumpedThunk& thunk) {
  for (const Encoding encoding : {Encoding::Binary, Encoding::Text}) {
    const std::string bytes = encoding == Encoding::Binary ? *toBinaryProto(sequence) : toTextProto(sequence);
    ASSERT_EQ(fileKindName(detectKind(bytes).kind), fileKindName(kind)) << bytes;
    const auto file = readProtoFile(bytes, detectKind(bytes));
    ASSERT_TRUE(file.has_value()) << toString(file.error());
    EXPECT_TRUE(file->diagnostics.empty());
    EXPECT_EQ(*toBinaryProto(*file->message), *toBinaryProto(sequence));
    const auto again = readThunks(*file->message);
    ASSERT_TRUE(again && again->thunks.size() == 1);
    EXPECT_EQ(again->thunks[0].description, thunk.description);
    EXPECT_EQ(again->thunks[0].kernelName, thunk.kernelName);
    EXPECT_EQ(offsetsOf(again->thunks[0]), offsetsOf(thunk));
  }
}

template <typename Sequence>
void expectReadWhole(Sequence& sequence, Message& impl, const char* kind, FileKind fileKind) {
  SCOPED_TRACE(kind);
  Filler filler(7);
  filler.fill(impl);
  const auto read = readThunks(sequence);
  ASSERT_TRUE(read && read->thunks.size() == 1);
  EXPECT_TRUE(read->diagnostics.empty());
  EXPECT_EQ(read->thunks[0].kind, kind);
  EXPECT_EQ(offsetsOf(read->thunks[0]), filler.offsets);
  expectRoundTrip(sequence, fileKind, read->thunks[0]);
}

// `impl` gives the message of a kind within a thunk.
void expectCpuKind(const char* kind, Message* (*impl)(pb::cpu::ThunkProto&)) {
  pb::cpu::ThunkSequenceProto sequence;
  auto& thunk = *sequence.add_thunks();
  thunk.set_kind(kind);
  thunk.mutable_info()->set_op_name("op.1");
  expectReadWhole(sequence, *impl(thunk), kind, FileKind::CpuThunkSequence);
}
void expectGpuKind(const char* kind, Message* (*impl)(pb::gpu::ThunkProto&)) {
  pb::gpu::ThunkSequenceProto sequence;
  auto& thunk = *sequence.add_thunks();
  thunk.mutable_thunk_info()->set_profile_annotation("op.1");
  thunk.mutable_thunk_info()->set_thunk_id(3);
  expectReadWhole(sequence, *impl(thunk), kind, FileKind::GpuThunkSequence);
}

TEST(ThunkProtos, EveryKindOfTheCpuKeepsItsBytes) {
  using Thunk = pb::cpu::ThunkProto;
#define CPU_THUNK(name, field, kind) \
  expectCpuKind(kind, [](Thunk& thunk) -> Message* { return thunk.mutable_##field(); });
#include "core/hlo/dump/cpu_thunks.def"
}

TEST(ThunkProtos, EveryKindOfTheGpuKeepsItsBytes) {
  using Thunk = pb::gpu::ThunkProto;
#define GPU_THUNK(name, field, kind) \
  expectGpuKind(kind, [](Thunk& thunk) -> Message* { return thunk.mutable_##field(); });
#include "core/hlo/dump/gpu_thunks.def"
}

TEST(ThunkProtos, TheTablesHoldEveryKindOfTheSchema) {
  int cpu = 0, gpu = 0;
#define CPU_THUNK(...) ++cpu;
#include "core/hlo/dump/cpu_thunks.def"
#define GPU_THUNK(...) ++gpu;
#include "core/hlo/dump/gpu_thunks.def"
  EXPECT_EQ(cpu, pb::cpu::ThunkProto::descriptor()->FindOneofByName("impl")->field_count());
  EXPECT_EQ(gpu, pb::gpu::ThunkProto::descriptor()->FindOneofByName("impl")->field_count());
}

TEST(ThunkProtos, AKindThatIsNotKnownIsNamedAndTheRestIsRead) {
  pb::gpu::ThunkSequenceProto sequence;
  sequence.add_thunks()->mutable_memzero_thunk()->mutable_dest_buffer()->mutable_slice()->set_size(64);
  auto& newer = *sequence.add_thunks();
  newer.GetReflection()->MutableUnknownFields(&newer)->AddLengthDelimited(70, "");
  sequence.add_thunks()->mutable_rng_seed_thunk();
  const auto read = readThunks(sequence);
  ASSERT_EQ(read->thunks.size(), 3u);
  EXPECT_EQ(read->thunks[0].kind, "kMemzero");
  EXPECT_EQ(read->thunks[1].kind, "field 70");
  EXPECT_FALSE(read->thunks[1].slices.has_value());
  EXPECT_EQ(read->thunks[2].kind, "kRngSeed");
  ASSERT_EQ(read->diagnostics.size(), 1u);
  EXPECT_EQ(read->diagnostics[0].kind, "unknown-thunk-kind");
  EXPECT_THAT(read->diagnostics[0].message, testing::HasSubstr("field 70"));
}

TEST(ThunkProtos, ASliceThatNoMemoryHasIsLeftOutAndSaid) {
  pb::cpu::ThunkSequenceProto sequence;
  auto& copy = *sequence.add_thunks()->mutable_copy_thunk();
  copy.mutable_src_buffer_shape()->mutable_slice()->set_offset(INT64_MAX);
  copy.mutable_src_buffer_shape()->mutable_slice()->set_size(2);
  copy.mutable_dst_buffer_shape()->mutable_slice()->set_size(4);
  const auto read = readThunks(sequence);
  EXPECT_EQ(read->thunks[0].slices->size(), 1u);
  ASSERT_EQ(read->diagnostics.size(), 1u);
  EXPECT_EQ(read->diagnostics[0].kind, "bad-thunk-slice");
}

TEST(ThunkProtos, WhatWaitsUsesTheBytesOfWhatWasBegun) {
  pb::gpu::ThunkSequenceProto sequence;
  auto& start = *sequence.add_thunks()->mutable_async_start_thunk();
  start.set_async_execution_id(5);
  auto& inner = *start.mutable_thunks()->add_thunks()->mutable_memzero_thunk();
  inner.mutable_dest_buffer()->mutable_slice()->set_offset(128);
  inner.mutable_dest_buffer()->mutable_slice()->set_size(64);
  sequence.add_thunks()->mutable_async_done_thunk()->set_async_execution_id(5);
  const auto read = readThunks(sequence);
  ASSERT_EQ(read->thunks[1].slices->size(), 1u);
  EXPECT_EQ((*read->thunks[1].slices)[0].offsetBytes, 128);
  EXPECT_TRUE((*read->thunks[1].slices)[0].writes);
  ASSERT_EQ(read->thunks[0].groups.size(), 1u);
  EXPECT_EQ(read->thunks[0].groups[0].label, "async");
}

TEST(ThunkProtos, TokensAndCommunicatorsAreOfTheirThunks) {
  pb::cpu::ThunkSequenceProto sequence;
  for (int i = 0; i < 3; ++i) sequence.add_thunks()->mutable_call_thunk();
  auto& token = *sequence.add_thunk_resources();
  token.mutable_resource()->set_kind(pb::cpu::Resource::TOKEN);
  token.add_thunk_indices(0);
  token.add_thunk_indices(99);  // there is no such thunk
  auto& communicator = *sequence.add_thunk_resources();
  communicator.mutable_resource()->set_kind(pb::cpu::Resource::COLLECTIVE_COMMUNICATOR);
  communicator.add_thunk_indices(2);
  auto& other = *sequence.add_thunk_resources();
  other.mutable_resource()->set_kind(pb::cpu::Resource::COLLECTIVE_COMMUNICATOR);
  other.add_thunk_indices(1);
  const auto read = readThunks(sequence);
  EXPECT_THAT(read->thunks[0].tokens, ElementsAre(0u));
  EXPECT_THAT(read->thunks[0].communicators, ElementsAre());
  EXPECT_THAT(read->thunks[1].communicators, ElementsAre(2u));
  EXPECT_THAT(read->thunks[2].communicators, ElementsAre(1u));
}

std::string fieldOf(const DumpedThunk& thunk, std::string_view name) {
  const auto found = std::ranges::find(thunk.fields, name, &ThunkField::name);
  return found == thunk.fields.end() ? "none" : found->value;
}

TEST(ThunkProtos, FieldsAreWholeAndHaveTheirPath) {
  pb::gpu::ThunkSequenceProto sequence;
  auto& kernel = *sequence.add_thunks()->mutable_kernel_thunk();
  auto& launch = *kernel.mutable_launch_dimensions();
  launch.mutable_thread_counts_per_block()->mutable_coordinates()->set_x(128);
  for (int i = 0; i < 20; ++i) kernel.add_written(i == 19);
  auto& custom = *sequence.add_thunks()->mutable_custom_call_thunk();
  custom.set_opaque(std::string(100, 'a') + "b");
  custom.add_operands()->mutable_shaped_slice()->mutable_shape()->set_element_type(pb::F32);
  sequence.add_thunks()->mutable_all_reduce_thunk()->set_reduction_kind(pb::gpu::REDUCTION_KIND_MAX);
  const auto read = readThunks(sequence);
  EXPECT_EQ(fieldOf(read->thunks[0], "launch_dimensions.thread_counts_per_block.coordinates.x"), "128");
  EXPECT_THAT(fieldOf(read->thunks[0], "written"), testing::EndsWith("false, true]"));
  EXPECT_THAT(fieldOf(read->thunks[1], "opaque"), testing::EndsWith("ab\""));
  EXPECT_EQ(fieldOf(read->thunks[1], "operands"), "[{shaped_slice = {shape = f32[]}}]");
  EXPECT_EQ(fieldOf(read->thunks[2], "reduction_kind"), "REDUCTION_KIND_MAX");
}

TEST(ThunkProtos, WhichOfSeveralEmptyMessagesIsThereIsAField) {
  pb::cpu::ThunkSequenceProto sequence;
  sequence.add_thunks()->mutable_collective_thunk()->mutable_all_to_all_thunk();
  EXPECT_EQ(fieldOf(readThunks(sequence)->thunks[0], "all_to_all_thunk"), "{}");
}

TEST(ThunkProtos, FieldsTheSchemaDoesNotHaveHaveTheirNumber) {
  pb::gpu::ThunkSequenceProto sequence;
  auto& gather = *sequence.add_thunks()->mutable_all_gather_thunk();
  gather.GetReflection()->MutableUnknownFields(&gather)->AddVarint(4, 2);
  auto& config = *gather.mutable_collective_config();
  *config.GetReflection()->MutableUnknownFields(&config)->AddLengthDelimited(9) = "\x01z";
  const auto read = readThunks(sequence);
  EXPECT_EQ(fieldOf(read->thunks[0], "field 4"), "2");
  EXPECT_EQ(fieldOf(read->thunks[0], "collective_config.field 9"), "2 bytes 017a");
  EXPECT_THAT(read->thunks[0].description, testing::HasSubstr("field 4 = 2"));
}

}  // namespace
}  // namespace hilo
