#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/path/open_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hilo {
namespace {

constexpr const char* kDump = "resources/samples/dump";

struct Read {
  std::shared_ptr<const OpenedDump> dump;
  std::shared_ptr<const OpenedFile> file;
  ModuleBuffers buffers;
};

Read readLastStage(const std::string& path) {
  Read read;
  read.dump = *openDump(path);
  read.file = *loadStage(*read.dump, 0, read.dump->modules[0].stages.size() - 1);
  read.buffers = readBuffers(*read.dump, 0, *read.file->module);
  return read;
}

std::vector<std::string> namesOf(const Read& read, const std::vector<size_t>& slices) {
  std::vector<std::string> names;
  for (const size_t n : slices)
    names.emplace_back(read.file->module->instruction(read.buffers.slices[n].instruction)->name());
  return names;
}

size_t onlySlice(const Read& read, const char* name) {
  const auto& slices = read.buffers.slicesOfInstruction(read.file->module->findInstruction(name)->id());
  EXPECT_EQ(slices.size(), 1u) << name;
  return slices.at(0);
}

TEST(InstructionBuffers, SayWhereAValueLiesAndWhatSharesItsBytes) {
  const Read read = readLastStage(kDump);
  EXPECT_TRUE(read.buffers.diagnostics.empty());
  ASSERT_EQ(read.buffers.allocations.size(), 5u);
  const size_t select = onlySlice(read, "multiply_select_fusion");
  EXPECT_EQ(read.buffers.slices[select].offsetBytes, 1024);
  EXPECT_EQ(read.buffers.slices[select].sizeBytes, 1024);
  EXPECT_EQ(read.buffers.allocations[read.buffers.slices[select].allocation].kind, "preallocated temp");
  EXPECT_EQ(namesOf(read, read.buffers.sharing(select)), std::vector<std::string>{});
  // The two products lie at offset 0, one after the other.
  EXPECT_EQ(namesOf(read, read.buffers.sharing(onlySlice(read, "dot_general.1"))),
            std::vector<std::string>{"dot_general.2"});
  const size_t weights = onlySlice(read, "params__weights__.1");
  EXPECT_EQ(read.buffers.allocations[read.buffers.slices[weights].allocation].kind,
            "parameter 0, maybe live out");
  EXPECT_EQ(namesOf(read, read.buffers.sharing(weights)),
            std::vector<std::string>{"multiply_subtract_fusion"});
}

TEST(InstructionBuffers, InstructionsWithoutAValueOfTheirOwnHaveNone) {
  const Read read = readLastStage(kDump);
  const Instruction* inFusion = read.file->module->findInstruction("max.2.clone.1");
  ASSERT_NE(inFusion, nullptr);
  EXPECT_TRUE(read.buffers.slicesOfInstruction(inFusion->id()).empty());
  EXPECT_TRUE(read.buffers.slicesOfInstruction(InstructionId{}).empty());
}

class WithThunks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "hilo_instruction_buffers_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(kDump, folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }
  std::filesystem::path folder_;
};

TEST_F(WithThunks, KernelsAreJoinedToInstructionsByName) {
  write("module_0001.jit_step.thunk_sequence.txt",
        "kGemm\t\n"
        "kKernel\t, kernel = dot_general_1, launch dimensions = blocks: {1, 1, 1}\n"
        "kKernel\t, kernel = nobody\n");
  const Read read = readLastStage(folder_);
  ASSERT_EQ(read.buffers.thunks.size(), 3u);
  const auto& thunks =
      read.buffers.thunksOfInstruction(read.file->module->findInstruction("dot_general.1")->id());
  ASSERT_EQ(thunks.size(), 1u);
  EXPECT_EQ(read.buffers.thunks[thunks[0]].position, 1);
  EXPECT_EQ(read.buffers.thunks[thunks[0]].line, 2u);
  EXPECT_TRUE(read.buffers.thunks[2].instructions.empty());
}

TEST_F(WithThunks, WhatCannotBeReadIsToldAndTheRestIsThere) {
  write("module_0001.jit_step.thunk_sequence.txt", "this is no thunk\n");
  const Read read = readLastStage(folder_);
  ASSERT_EQ(read.buffers.diagnostics.size(), 1u);
  EXPECT_EQ(read.buffers.diagnostics[0].kind, "bad-thunk-sequence");
  EXPECT_EQ(read.buffers.allocations.size(), 5u);
}

}  // namespace
}  // namespace hilo
