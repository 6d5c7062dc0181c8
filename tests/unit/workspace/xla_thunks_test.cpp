// XLA's thunks joined to the instructions they come of and to the bytes its buffer assignment gave these.
#include "core/workspace/thunks/xla_thunks.h"

#include "core/workspace/path/open_path.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hilo {
namespace {

using testing::ElementsAre;

class XlaThunksTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "hilo_xla_thunks_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void read() {
    dump_ = *openDump(folder_);
    file_ = *loadStage(*dump_, 0, dump_->modules[0].stages.size() - 1);
    auto made = studyThunksOfDump(*dump_, 0, *file_->module);
    ASSERT_TRUE(made) << made.error().message;
    study_ = std::move(*made);
  }
  std::string nameOf(size_t thunk) const {
    const auto& ids = study_.thunks[thunk].instructions;
    return ids.empty() ? "" : std::string(file_->module->instruction(ids[0])->name());
  }
  std::vector<std::string> usesOf(size_t thunk) const {
    std::vector<std::string> uses;
    for (const ThunkUse& use : study_.thunks[thunk].uses)
      uses.push_back((use.writes ? "writes " : "reads ") + use.place + " " + use.value);
    return uses;
  }
  std::filesystem::path folder_;
  std::shared_ptr<const OpenedDump> dump_;
  std::shared_ptr<const OpenedFile> file_;
  ThunkStudy study_;
};

TEST_F(XlaThunksTest, bytesComeFromTheBufferAssignment) {
  std::filesystem::copy("resources/samples/dump", folder_);
  write("module_0001.jit_step.thunk_sequence.txt",
        "kKernel\t, kernel = dot_general_1, launch dimensions = blocks: {1, 1, 1}\n"
        "kKernel\t, kernel = reduce_divide_fusion\n"
        "kKernel\t, kernel = multiply_select_fusion\n"
        "kDot\t\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 4u);
  EXPECT_THAT(usesOf(0), ElementsAre("reads allocation 0 [0, 2048) batch.1",
                                     "reads allocation 1 [0, 512) params__weights__.1",
                                     "writes allocation 4 [0, 1024) dot_general.1"));
  EXPECT_THAT(usesOf(1), ElementsAre("reads allocation 4 [0, 1024) dot_general.1",
                                     "writes allocation 3 [0, 4) reduce_divide_fusion"));
  // The kernel before it is the only dot that is left.
  EXPECT_EQ(nameOf(3), "dot_general.2");
  // dot_general.2 is written where dot_general.1 was read; the two fusions do not wait for each other.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (const ThunkHazard& hazard : study_.hazards) {
    edges.emplace_back(hazard.from, hazard.to);
    if (hazard.from == 1 && hazard.to == 3) EXPECT_TRUE(hazard.writeAfterRead && !hazard.readAfterWrite);
  }
  EXPECT_THAT(edges, testing::UnorderedElementsAre(std::pair(0u, 1u), std::pair(0u, 2u), std::pair(2u, 3u),
                                                   std::pair(1u, 3u)));
}

// As XLA prints them: blocks and threads by x, y and z; what is no kernel has none.
TEST_F(XlaThunksTest, launchesAreAsPrinted) {
  std::filesystem::copy("resources/samples/dump", folder_);
  write(
      "module_0001.jit_step.thunk_sequence.txt",
      "kKernel\t, kernel = dot_general_1, launch dimensions = blocks: {7200, 2, 1}, threads/block: {128, 1, "
      "3}, cluster_dim = nullopt\n"
      "kKernel\t, kernel = reduce_divide_fusion\n"
      "kDot\t\n");
  read();
  const auto launches = launchesOf(study_);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0], (ThunkLaunch{14'400, 384}));
  EXPECT_EQ(launches[1], std::nullopt);
  EXPECT_EQ(launches[2], std::nullopt);
}

constexpr const char* kRecorded = R"(HloModule jit_g, is_scheduled=true

%command_buffer (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %sine.1 = f32[8]{0} sine(%p)
  ROOT %cosine.1 = f32[8]{0} cosine(%sine.1)
}

%helper (q: f32[8]) -> f32[8] {
  %q = f32[8]{0} parameter(0)
  ROOT %negate.1 = f32[8]{0} negate(%q)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %call.1 = f32[8]{0} call(%x), to_apply=%helper
  %call.2 = f32[8]{0} call(%call.1), to_apply=%command_buffer
  ROOT %copy.1 = f32[8]{0} copy(%call.2)
}
)";

TEST_F(XlaThunksTest, aCommandBufferComesOfTheCallThatHoldsWhatIsRecorded) {
  write("module_0001.jit_g.sm_8.0_gpu_after_optimizations.txt", kRecorded);
  write("module_0001.jit_g.thunk_sequence.txt", "kKernel\t, kernel = negate_1\nkCommandBuffer\t\nkCopy\t\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 5u);
  EXPECT_EQ(nameOf(1), "call.2");
  EXPECT_EQ(nameOf(4), "copy.1");
}

// XLA prints none of them; a parameter runs nothing.
TEST_F(XlaThunksTest, whatACommandBufferRunsComesOfItsComputation) {
  write("module_0001.jit_g.sm_8.0_gpu_after_optimizations.txt", kRecorded);
  write("module_0001.jit_g.thunk_sequence.txt", "kKernel\t, kernel = negate_1\nkCommandBuffer\t\nkCopy\t\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 5u);
  for (const size_t i : {2u, 3u}) {
    EXPECT_EQ(study_.thunks[i].parent, 1u);
    EXPECT_EQ(study_.thunks[i].part, "recorded");
    EXPECT_THAT(study_.thunks[i].description, testing::HasSubstr("not printed by XLA"));
  }
  EXPECT_EQ(nameOf(2), "sine.1");
  EXPECT_EQ(study_.thunks[2].kind, "kSine");
  EXPECT_EQ(nameOf(3), "cosine.1");
  // The inspector of an instruction has them too.
  const ModuleBuffers buffers = readBuffers(*dump_, 0, *file_->module);
  for (const auto& [name, kind] : {std::pair("call.2", "kCommandBuffer"), std::pair("sine.1", "kSine")}) {
    const auto& thunks = buffers.thunksOfInstruction(file_->module->findInstruction(name)->id());
    ASSERT_EQ(thunks.size(), 1u) << name;
    EXPECT_EQ(buffers.thunks[thunks[0]].kind, kind);
  }
}

// One whose members are printed keeps these.
TEST_F(XlaThunksTest, whatIsPrintedOfACommandBufferStays) {
  write("module_0001.jit_g.sm_8.0_gpu_after_optimizations.txt", kRecorded);
  write("module_0001.jit_g.thunk_sequence.txt",
        "kKernel\t, kernel = negate_1\nkCommandBuffer\t\n  kKernel\t, kernel = sine_1\nkCopy\t\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 4u);
  EXPECT_EQ(study_.thunks[2].kind, "kKernel");
}

constexpr const char* kLoops = R"(HloModule jit_f, is_scheduled=true

%cond (s: (s32[], f32[8])) -> pred[] {
  %s = (s32[], f32[8]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %n = s32[] constant(3)
  ROOT %less = pred[] compare(%i, %n), direction=LT
}

%body (t: (s32[], f32[8])) -> (s32[], f32[8]) {
  %t = (s32[], f32[8]) parameter(0)
  %k = s32[] get-tuple-element(%t), index=0
  %v = f32[8] get-tuple-element(%t), index=1
  %sine.1 = f32[8] sine(%v)
  %copy.7 = f32[8] copy(%sine.1)
  ROOT %r = (s32[], f32[8]) tuple(%k, %copy.7)
}

ENTRY %main (x: f32[8], y: f32[4,4]) -> (f32[8], f32[4,4]) {
  %x = f32[8] parameter(0)
  %y = f32[4,4] parameter(1)
  %copy.1 = f32[8] copy(%x)
  %gemm.3 = f32[4,4] custom-call(%y, %y), custom_call_target="__cublas$gemm"
  %zero = s32[] constant(0)
  %copy.2 = s32[] copy(%zero)
  %init = (s32[], f32[8]) tuple(%copy.2, %copy.1)
  %while.9 = (s32[], f32[8]) while(%init), condition=%cond, body=%body
  %out = f32[8] get-tuple-element(%while.9), index=1
  %neg.1 = f32[8] negate(%out)
  %copy.3 = f32[8] copy(%neg.1)
  %copy.4 = f32[8] copy(%neg.1)
  ROOT %tuple = (f32[8], f32[4,4]) tuple(%copy.3, %gemm.3)
}
)";

TEST_F(XlaThunksTest, whatIsNoKernelIsJoinedByItsPlace) {
  write("module_0002.jit_f.sm_8.0_gpu_after_optimizations.txt", kLoops);
  write("module_0002.jit_f.thunk_sequence.txt",
        "kCopy\t\nkGemm\t\nkCopy\t\nkWhile\t\n"
        "condition:\n    kKernel\t, kernel = less\n"
        "  body:\n    kKernel\t, kernel = sine_1\n    kCopy\t\n\n"
        "kKernel\t, kernel = neg_1\n"
        "kCopy\t\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 9u);
  EXPECT_EQ(nameOf(0), "copy.1");
  EXPECT_EQ(nameOf(1), "gemm.3");
  EXPECT_EQ(nameOf(2), "copy.2");
  EXPECT_EQ(nameOf(3), "while.9");
  EXPECT_EQ(nameOf(6), "copy.7");
  EXPECT_EQ(study_.thunks[6].parent, 3u);
  // Two copies stand behind the kernel, and one thunk: it cannot be told which.
  EXPECT_EQ(nameOf(8), "");
}

// What an executable of XLA:CPU says: bytes of its own, and names of instructions.
constexpr const char* kCpuExecutable = R"(
hlo_module { hlo_module {
  name: "f" entry_computation_name: "main" entry_computation_id: 1 id: 0
  host_program_shape { parameters { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } }
    result { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } parameter_names: "x" }
  computations { name: "main" id: 1 root_id: 3
    program_shape { parameters { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } }
      result { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } parameter_names: "x" }
    instructions { name: "x" opcode: "parameter" id: 1
      shape { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } }
    instructions { name: "neg.1" opcode: "negate" id: 2 operand_ids: 1
      shape { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } }
    instructions { name: "abs.2" opcode: "abs" id: 3 operand_ids: 2
      shape { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } } } } }
buffer_assignment {
  logical_buffers { id: 1 size: 16 defined_at { instruction_name: "x" instruction_id: 1 } }
  logical_buffers { id: 2 size: 16 defined_at { instruction_name: "neg.1" instruction_id: 2 } }
  logical_buffers { id: 3 size: 16 defined_at { instruction_name: "abs.2" instruction_id: 3 } }
  buffer_allocations { index: 0 size: 16 is_entry_computation_parameter: true
    assigned { logical_buffer_id: 1 size: 16 } }
  buffer_allocations { index: 1 size: 64 assigned { logical_buffer_id: 2 offset: 32 size: 16 }
    assigned { logical_buffer_id: 3 size: 16 } } }
thunk_sequence {
  thunks { kind: "kernel" info { op_name: "neg.1" } kernel_thunk { kernel_name: "neg.1_kernel"
    num_workgroups { x: 2 y: 1 z: 1 }
    arguments_buffers { slice { size: 16 } }
    results_buffers { slice { offset: 32 size: 16 buffer_allocation_index: 1 } } } }
  thunks { kind: "sooner" info { op_name: "later.9" } }
  thunks { kind: "kernel" info { op_name: "abs.2" } kernel_thunk { kernel_name: "abs.2_kernel"
    arguments_buffers { slice { offset: 32 size: 16 buffer_allocation_index: 1 } }
    results_buffers { slice { size: 16 buffer_allocation_index: 1 } } } } }
)";

// A solve that works in place has its operand copied first: both stand in a sequence of their own.
TEST_F(XlaThunksTest, aLibraryCallThatNeedsACopyIsJoined) {
  write("module_0001.jit_f.sm_8.0_gpu_after_optimizations.txt", R"(HloModule jit_f, is_scheduled=true
ENTRY %main (a: f32[4,4], b: f32[4,2]) -> f32[4,2] {
  %a = f32[4,4]{0,1} parameter(0)
  %b = f32[4,2]{0,1} parameter(1)
  ROOT %solved = f32[4,2]{0,1} custom-call(%a, %b), custom_call_target="__cublas$triangularSolve"
})");
  write("module_0001.jit_f.thunk_sequence.txt", "kSequential\t  kCopy\t\n  kTriangularSolve\t\n\n");
  read();
  ASSERT_EQ(study_.thunks.size(), 3u);
  EXPECT_EQ(nameOf(0), "solved");
  EXPECT_EQ(study_.thunks[0].name, "solved");
  EXPECT_EQ(study_.thunks[1].kind, "kCopy");
  EXPECT_EQ(nameOf(1), "");
  EXPECT_EQ(nameOf(2), "solved");
}

TEST_F(XlaThunksTest, anExecutableOpensWithItsThunksJoined) {
  write("f.txtpb", kCpuExecutable);
  const auto file = openFile(folder_ / "f.txtpb");
  ASSERT_TRUE(file) << toString(file.error());
  EXPECT_EQ((*file)->kind, "CompilationResultProto, text");
  ASSERT_TRUE(hasThunkSequence(**file));
  auto made = studyThunksOfFile(**file);
  ASSERT_TRUE(made) << toString(made.error());
  study_ = std::move(*made);
  file_ = *file;
  ASSERT_EQ(study_.thunks.size(), 3u);
  EXPECT_EQ(nameOf(0), "neg.1");
  EXPECT_EQ(nameOf(2), "abs.2");
  EXPECT_THAT(usesOf(0), ElementsAre("reads allocation 0 [0, 16) x", "writes allocation 1 [32, 48) neg.1"));
  EXPECT_THAT(study_.thunks[0].description, testing::HasSubstr("num_workgroups = {x = 2, y = 1, z = 1}"));
  // Nothing is known of the one in the middle: it stands between the others, and is named.
  ASSERT_EQ(study_.notes.size(), 1u);
  EXPECT_THAT(study_.notes[0].message, testing::HasSubstr("sooner"));
  ASSERT_EQ(study_.hazards.size(), 2u);
  EXPECT_EQ(study_.hazards[1].from, 1u);
  const ModuleBuffers buffers = readBuffers(**file);
  EXPECT_THAT(buffers.thunksOfInstruction(study_.thunks[2].instructions[0]), ElementsAre(2u));
}

TEST_F(XlaThunksTest, aSequenceByItselfIsRead) {
  write("printed.txt", "kKernel\t, kernel = neg_1\nkCopy\t\n");
  write("f.txtpb", "thunks { kind: \"copy\" copy_thunk { src_buffer_shape { slice { size: 8 } } } }");
  for (const char* name : {"printed.txt", "f.txtpb"}) {
    const auto content = openPath(folder_ / name);
    ASSERT_TRUE(content) << toString(content.error());
    ASSERT_TRUE(std::holds_alternative<ThunksFile>(*content)) << name;
    ASSERT_TRUE(studyThunksAlone(folder_ / name).has_value()) << name;
  }
  EXPECT_EQ(studyThunksAlone(folder_ / "f.txtpb")->thunks[0].uses[0].place, "allocation 0 [0, 8)");
  // As a module it is refused, with what shows it.
  const auto file = openFile(folder_ / "f.txtpb");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, "thunks-alone");
  EXPECT_THAT(file.error().notes, ElementsAre(testing::HasSubstr("hilo thunks")));
}

// As a client that keeps its module elsewhere writes it.
TEST_F(XlaThunksTest, anExecutableWithoutItsModuleIsRead) {
  const std::string whole = kCpuExecutable;
  write("cpu.txtpb", whole.substr(whole.find("thunk_sequence {")));
  write("gpu.txtpb",
        "thunks { thunk_info { thunk_id: 1 } kernel_thunk { kernel_name: \"neg_1\" } } "
        "asm_text: \".visible .entry neg_1(\\n)\\n{\\n\\tneg.f32;\\n}\\n\" module_name: \"m\"");
  for (const char* name : {"cpu.txtpb", "gpu.txtpb"}) {
    const auto content = openPath(folder_ / name);
    ASSERT_TRUE(content) << toString(content.error());
    ASSERT_TRUE(std::holds_alternative<ThunksFile>(*content)) << name;
    const auto file = openFile(folder_ / name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().kind, "thunks-alone") << toString(file.error());
  }
  const auto cpu = studyThunksAlone(folder_ / "cpu.txtpb");
  ASSERT_TRUE(cpu) << toString(cpu.error());
  ASSERT_EQ(cpu->thunks.size(), 3u);
  EXPECT_TRUE(cpu->thunks[0].instructions.empty());
  const auto gpu = studyThunksAlone(folder_ / "gpu.txtpb");
  ASSERT_TRUE(gpu) << toString(gpu.error());
  const auto forms = kernelFormsAlone(folder_ / "gpu.txtpb", *gpu, 0);
  ASSERT_TRUE(forms) << toString(forms.error());
  ASSERT_EQ(forms->forms.size(), 1u);
  EXPECT_EQ(forms->forms[0].title, "PTX");
}

TEST_F(XlaThunksTest, aKernelsCodeIsCutToItsFunction) {
  write("module_0002.jit_f.sm_8.0_gpu_after_optimizations.txt", kLoops);
  write("module_0002.jit_f.thunk_sequence.txt", "kKernel\t, kernel = neg_1\n");
  write("module_0002.jit_f.ptx",
        ".version 8\n.visible .entry other(\n)\n{\n\tret;\n}\n.visible .entry neg_1(\n)\n{\n\tneg.f32;\n}\n");
  read();
  const auto forms = kernelFormsOfDump(*dump_, 0, study_, 0, *file_->module);
  ASSERT_TRUE(forms) << forms.error().message;
  ASSERT_EQ(forms->forms.size(), 2u);
  EXPECT_EQ(forms->forms[0].title, "HLO");
  EXPECT_EQ(forms->forms[1].text, ".visible .entry neg_1(\n)\n{\n\tneg.f32;\n}\n");
}

}  // namespace
}  // namespace hilo
