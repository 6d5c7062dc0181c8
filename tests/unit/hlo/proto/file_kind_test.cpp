#include "core/hlo/proto/file_kind.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {
namespace {

pb::HloModuleProto smallModule(const std::string& name) {
  pb::HloModuleProto module;
  module.set_name(name);
  module.set_entry_computation_name("main");
  auto* computation = module.add_computations();
  computation->set_name("main");
  computation->set_id(1);
  auto* parameter = computation->add_instructions();
  parameter->set_name("p");
  parameter->set_opcode("parameter");
  parameter->mutable_shape()->set_element_type(pb::F32);
  parameter->mutable_shape()->add_dimensions(4);
  parameter->set_id(2);
  computation->set_root_id(2);
  module.mutable_host_program_shape()->mutable_result()->set_element_type(pb::F32);
  return module;
}

FileKind binaryKind(const google::protobuf::Message& message) {
  const FileFormat format = detectKind(message.SerializeAsString());
  EXPECT_EQ(format.encoding, Encoding::Binary);
  return format.kind;
}
FileKind textKind(const google::protobuf::Message& message) {
  const FileFormat format = detectKind(toTextProto(message));
  EXPECT_EQ(format.encoding, Encoding::Text);
  return format.kind;
}

pb::BufferAssignmentProto smallAssignment() {
  pb::BufferAssignmentProto assignment;
  auto* buffer = assignment.add_logical_buffers();
  buffer->set_id(3);
  buffer->set_size(16);
  buffer->mutable_defined_at()->set_instruction_id(2);
  auto* allocation = assignment.add_buffer_allocations();
  allocation->set_size(16);
  allocation->add_assigned()->set_logical_buffer_id(3);
  return assignment;
}

TEST(FileKind, EveryProtobufKindBinaryAndText) {
  const auto module = smallModule("jit_f");
  EXPECT_EQ(binaryKind(module), FileKind::HloModule);
  EXPECT_EQ(textKind(module), FileKind::HloModule);

  pb::HloProto hlo;
  *hlo.mutable_hlo_module() = module;
  EXPECT_EQ(binaryKind(hlo), FileKind::HloProto);
  EXPECT_EQ(textKind(hlo), FileKind::HloProto);
  *hlo.mutable_buffer_assignment() = smallAssignment();
  EXPECT_EQ(binaryKind(hlo), FileKind::HloProto);
  EXPECT_EQ(textKind(hlo), FileKind::HloProto);

  pb::HloSnapshot snapshot;
  *snapshot.mutable_hlo() = hlo;
  EXPECT_EQ(binaryKind(snapshot), FileKind::HloSnapshot);
  auto* literal = snapshot.add_arguments();
  literal->mutable_shape()->set_element_type(pb::F32);
  literal->add_f32s(1);
  *snapshot.mutable_result() = *literal;
  snapshot.set_execution_platform("cuda");
  EXPECT_EQ(binaryKind(snapshot), FileKind::HloSnapshot);
  EXPECT_EQ(textKind(snapshot), FileKind::HloSnapshot);
  EXPECT_EQ(binaryKind(*literal), FileKind::Literal);
  EXPECT_EQ(textKind(*literal), FileKind::Literal);

  pb::HloUnoptimizedSnapshot unoptimized;
  *unoptimized.mutable_hlo_module() = module;
  *unoptimized.add_partitions()->add_arguments() = *literal;
  EXPECT_EQ(binaryKind(unoptimized), FileKind::HloUnoptimizedSnapshot);
  EXPECT_EQ(textKind(unoptimized), FileKind::HloUnoptimizedSnapshot);

  EXPECT_EQ(binaryKind(smallAssignment()), FileKind::BufferAssignment);
  EXPECT_EQ(textKind(smallAssignment()), FileKind::BufferAssignment);
}

TEST(FileKind, ReportsAndMetadata) {
  pb::HloModuleMetadataProto metadata;
  metadata.set_canonical_module_id(7);
  metadata.add_pass_metadata()->set_pass_name("dce");
  EXPECT_EQ(binaryKind(metadata), FileKind::HloModuleMetadata);
  EXPECT_EQ(textKind(metadata), FileKind::HloModuleMetadata);

  pb::ScheduleProto schedule;
  *schedule.mutable_hlo_module() = smallModule("s");
  auto* step = schedule.add_computation_schedules()->add_instructions();
  step->set_id(2);
  step->set_end_timestamp_cycles(10);
  EXPECT_EQ(binaryKind(schedule), FileKind::Schedule);
  EXPECT_EQ(textKind(schedule), FileKind::Schedule);

  pb::ThunkMetadataListProto thunks;
  thunks.add_thunk_metadata()->set_thunk_kind("kKernel");
  thunks.mutable_thunk_metadata(0)->mutable_thunk_info()->set_thunk_id(1);
  EXPECT_EQ(binaryKind(thunks), FileKind::ThunkMetadata);

  pb::MemoryUsageReportProto report;
  auto* space = report.add_memory_space_allocation_entries();
  space->set_total_bytes(100);
  space->add_allocation_entries()->set_size(100);
  EXPECT_EQ(binaryKind(report), FileKind::MemoryUsageReport);

  pb::GpuExecutableProto executable;
  *executable.mutable_hlo_module_with_config()->mutable_hlo_module() = smallModule("x");
  *executable.mutable_buffer_assignment() = smallAssignment();
  EXPECT_EQ(binaryKind(executable), FileKind::GpuExecutable);
  EXPECT_EQ(textKind(executable), FileKind::GpuExecutable);
}

TEST(FileKind, ExecutablesAreToldApart) {
  pb::GpuExecutableProto gpu;
  *gpu.mutable_hlo_module_with_config()->mutable_hlo_module() = smallModule("x");
  gpu.add_thunks()->mutable_memzero_thunk()->mutable_dest_buffer()->mutable_slice()->set_size(4);
  gpu.mutable_thunks(0)->mutable_thunk_info()->set_thunk_id(1);
  EXPECT_EQ(binaryKind(gpu), FileKind::GpuExecutable);
  EXPECT_EQ(textKind(gpu), FileKind::GpuExecutable);

  pb::CompilationResultProto cpu;
  *cpu.mutable_hlo_module()->mutable_hlo_module() = smallModule("x");
  auto& thunk = *cpu.mutable_thunk_sequence()->add_thunks();
  thunk.set_kind("kernel");
  thunk.mutable_kernel_thunk()->set_kernel_name("fusion_kernel");
  cpu.add_object_files()->set_contents(
      "\x7f"
      "ELF...");
  EXPECT_EQ(binaryKind(cpu), FileKind::CpuExecutable);
  EXPECT_EQ(textKind(cpu), FileKind::CpuExecutable);

  pb::ExecutableAndOptionsProto pjrt;
  pjrt.set_serialized_executable(cpu.SerializeAsString());
  pjrt.set_pjrt_client_name("PjRtCpuClient");
  EXPECT_EQ(binaryKind(pjrt), FileKind::PjrtExecutable);
  pjrt.set_serialized_executable("another client's own");
  EXPECT_NE(binaryKind(pjrt), FileKind::PjrtExecutable);
}

// Of two top-level fields that are in no schema.
std::string withUnknownFields(const google::protobuf::Message& message) {
  return message.SerializeAsString() + "\xa2\x01\x03" + "abc" + "\xaa\x01\x03" + "abc";  // 20 and 21
}

TEST(FileKind, ExecutablesWithUnknownFieldsAreToldApart) {
  pb::CompilationResultProto cpu;
  cpu.mutable_thunk_sequence()->add_thunks()->set_kind("kernel");
  *cpu.mutable_hlo_module()->mutable_hlo_module() = smallModule("x");
  EXPECT_EQ(detectKind(withUnknownFields(cpu)).kind, FileKind::CpuExecutable);
  // With what older versions wrote, whose numbers XLA:GPU has too.
  cpu.set_entry_function_name("main");
  for (const char* code : {"code", "more", "and more"}) cpu.add_obj_files(code);
  cpu.set_obj_files_kind(2);
  cpu.add_compiled_symbols()->set_name("fusion_kernel");
  EXPECT_EQ(detectKind(withUnknownFields(cpu)).kind, FileKind::CpuExecutable);
  cpu.clear_thunk_sequence();
  EXPECT_EQ(detectKind(withUnknownFields(cpu)).kind, FileKind::CpuExecutable);

  pb::GpuExecutableProto gpu;
  *gpu.mutable_hlo_module_with_config()->mutable_hlo_module() = smallModule("x");
  gpu.set_asm_text(".version 8.0");
  gpu.set_binary(
      "\x7f"
      "ELF");
  EXPECT_EQ(detectKind(withUnknownFields(gpu)).kind, FileKind::GpuExecutable);
  gpu.mutable_gpu_compute_capability()->mutable_cuda_compute_capability()->set_major(9);
  (*gpu.mutable_dnn_compiled_graphs())["convolution"] = "{}";
  EXPECT_EQ(detectKind(withUnknownFields(gpu)).kind, FileKind::GpuExecutable);
  gpu.mutable_gpu_compute_capability()->mutable_rocm_compute_capability()->set_gcn_arch_name("gfx942");
  gpu.add_thunks()->mutable_thunk_info()->set_thunk_id(1);
  EXPECT_EQ(detectKind(withUnknownFields(gpu)).kind, FileKind::GpuExecutable);
}

// A module whose name has the bytes of a nested message: told apart by what must be there, not
// by what parses.
TEST(FileKind, ModuleNamedLikeAMessage) {
  EXPECT_EQ(binaryKind(smallModule("\x0a\x03xyz")), FileKind::HloModule);
  EXPECT_EQ(binaryKind(smallModule("")), FileKind::HloModule);
}

TEST(FileKind, UnknownFieldsOfANewerSchemaDoNotHideAModule) {
  std::string bytes = smallModule("jit_f").SerializeAsString();
  bytes += std::string(
      "\xfa\x7d\x03"
      "abc",
      6);  // field 2015
  EXPECT_EQ(detectKind(bytes).kind, FileKind::HloModule);
}

TEST(FileKind, LengthPrefixedSnapshot) {
  pb::HloUnoptimizedSnapshot head;
  *head.mutable_hlo_module() = smallModule("jit_f");
  head.add_partitions()->add_arguments_descriptors()->set_argument_size_bytes(3);
  const std::string bytes = head.SerializeAsString();
  ASSERT_LT(bytes.size(), 128u);
  EXPECT_EQ(detectKind(char(bytes.size()) + bytes + "abc").kind, FileKind::DelimitedUnoptimizedSnapshot);
}

TEST(FileKind, Texts) {
  EXPECT_EQ(detectKind("HloModule m\n\nENTRY e { ROOT p = f32[] parameter(0) }").kind, FileKind::HloText);
  EXPECT_EQ(detectKind("2024-01-01 00:00:00.1: I xla/service/dump.cc:12] HloModule m").kind,
            FileKind::HloText);
  EXPECT_EQ(detectKind("// a comment\nHloModule m").kind, FileKind::HloText);
  EXPECT_EQ(detectKind("e {\n ROOT p = f32[] parameter(0)\n}").kind, FileKind::HloText);
  EXPECT_EQ(detectKind("module @jit_f {\n  func.func public @main() {}\n}").kind, FileKind::Mlir);
  EXPECT_EQ(detectKind("BufferAssignment:\nallocation 0: size 4").kind, FileKind::BufferAssignmentText);
  EXPECT_EQ(detectKind("Total bytes used: 3 (3B)\n").kind, FileKind::MemoryUsageText);
  EXPECT_EQ(detectKind("kKernel\t, kernel = f\n").kind, FileKind::ThunkSequenceText);
  EXPECT_EQ(detectKind("*** Begin module_0000.f.before_optimizations.txt ***\nHloModule f").kind,
            FileKind::StdoutDump);
  EXPECT_EQ(detectKind("a log line\n*** Begin a.txt ***\nHloModule a\n*** End a.txt ***\n").kind,
            FileKind::StdoutDump);
  // A long line full of the word is no line that starts with it, and costs no look back over all of it.
  std::string words;
  for (int i = 0; i < 300'000; ++i) words += "x HloModule";
  EXPECT_EQ(detectKind(words).kind, FileKind::UnknownText);
  EXPECT_EQ(detectKind("; ModuleID = 'x'\n").kind, FileKind::LlvmIr);
  EXPECT_EQ(detectKind("//\n.version 8.0\n.target sm_80\n").kind, FileKind::Ptx);
  EXPECT_EQ(detectKind("xla_gpu_enable_triton_gemm: false\n").kind, FileKind::OtherTextProto);
  EXPECT_EQ(detectKind("hello world").kind, FileKind::UnknownText);
  EXPECT_EQ(detectKind(std::string(1000, '(')).kind, FileKind::UnknownText);
  EXPECT_EQ(detectKind(" \n").kind, FileKind::Empty);
  EXPECT_EQ(detectKind("").kind, FileKind::Empty);
}

TEST(FileKind, ForeignBinaries) {
  using namespace std::string_view_literals;
  EXPECT_EQ(detectKind("ML\xefR\x0d"sv).kind, FileKind::MlirBytecode);
  EXPECT_EQ(detectKind("\x93NUMPY\x01\x00"sv).kind, FileKind::Numpy);
  EXPECT_EQ(detectKind("PK\x03\x04"sv).kind, FileKind::Zip);
  EXPECT_EQ(detectKind("SQLite format 3\0"sv).kind, FileKind::Sqlite);
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 4096; ++i) noise += char((x = x * 1664525 + 1013904223) >> 24);
  EXPECT_EQ(detectKind(noise).kind, FileKind::Unknown);
  EXPECT_EQ(detectKind(std::string(4096, '\0')).kind, FileKind::Unknown);
}

}  // namespace
}  // namespace hilo
