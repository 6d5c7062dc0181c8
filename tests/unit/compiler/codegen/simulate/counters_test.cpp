// What launches count, by kernel and by line: instructions, sectors, bank conflicts, divergent branches.
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

// The body begins at line 8: three lines come before the kernel.
SimulatedRun counted(const std::string& body) {
  return SimulatedRun::ofText(
      ".visible .entry k(.param .u64 x) {\n.shared .align 16 .b8 pool[4096];\n"
      ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [x]; add.u64 %rd1, %rd1, 31; and.b64 %rd1, %rd1, -32;\n" +
          body + "\nret;\n}\n",
      SimulateOptions{.isCounted = true});
}

// Each lane reads every second element of 64: 8 sectors of 32 bytes. Words 8 apart: of the 8 lanes that write
// two use the same bank.
TEST(SimulatedCounters, SectorsConflictsAndDivergenceOfALine) {
  std::vector<unsigned> x(72, 1);
  auto run = counted(
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\nadd.u64 %rd3, %rd1, %rd2;\n"
      "ld.global.u32 %r2, [%rd3];\nand.b32 %r3, %r1, 7;\nshl.b32 %r4, %r3, 5;\n"
      "setp.lt.u32 %p1, %r1, 8;\n@!%p1 bra L;\nst.shared.u32 [%r4], %r1;\nL:");
  const SimulatedCounters counters = run.good({.kernel = "k", .block = {32}}, x).counters;
  EXPECT_EQ(counters.globalAccesses, 1u);
  EXPECT_EQ(counters.globalSectors, 8u);
  EXPECT_EQ(counters.sharedAccesses, 1u);
  EXPECT_EQ(counters.bankConflicts, 1u);
  EXPECT_EQ(counters.branches, 1u);
  EXPECT_EQ(counters.divergentBranches, 1u);
  ASSERT_EQ(counters.lines.size(), 3u);
  EXPECT_EQ(counters.lines[0].line, 11u);
  EXPECT_EQ(counters.lines[0].globalSectors, 8u);
  EXPECT_EQ(counters.lines[1].line, 15u);
  EXPECT_EQ(counters.lines[1].divergentBranches, 1u);
  EXPECT_EQ(counters.lines[2].line, 16u);
  EXPECT_EQ(counters.lines[2].bankConflicts, 1u);
}

// Side by side, whatever the width: 32 lanes of 8 bytes go in two parts, of 16 in four, each of all banks. Of
// a pitch of 64 bytes 8 lanes of 16 bytes lie in two places of the banks: 4 turns a part, 3 beyond the first,
// of 4 parts.
TEST(SimulatedCounters, WideAccessesGoInPartsOfAWarp) {
  std::vector<unsigned> x(8, 1);
  const auto conflicts = [&](const char* access, int pitch) {
    auto run = counted(fmt::format("mov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, {};\n{}", pitch, access));
    return run.good({.kernel = "k", .block = {32}}, x).counters.bankConflicts;
  };
  EXPECT_EQ(conflicts("st.shared.u64 [%r2], %rd1;", 8), 0u);
  EXPECT_EQ(conflicts("st.shared.u64 [%r2], %rd1;", 16), 2u);
  EXPECT_EQ(conflicts("st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};", 16), 0u);
  EXPECT_EQ(conflicts("st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};", 64), 12u);
  EXPECT_EQ(conflicts("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];", 64), 12u);
  EXPECT_EQ(conflicts("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];", 80), 0u);
}

// 7 before and after (with three of the beginning and ret), 3 a turn of the loop; thread t goes t + 1 times.
TEST(SimulatedCounters, InstructionsThatThreadsExecute) {
  std::vector<unsigned> x(1);
  auto run = counted(
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\n"
      "setp.le.u32 %p1, %r2, %r1;\n@%p1 bra L;\nbar.sync 0;");
  const SimulatedCounters counters = run.good({.kernel = "k", .grid = {3}, .block = {4}}, x).counters;
  EXPECT_EQ(counters.threads, 12u);
  EXPECT_EQ(counters.instructions, 3u * (4 * 7 + 3 * (1 + 2 + 3 + 4)));
}

TEST(SimulatedCounters, WhatIsNotAskedForIsNotCounted) {
  std::vector<unsigned> x(1);
  auto run = SimulatedRun::ofText(".visible .entry k(.param .u64 x) {\nret;\n}\n");
  const SimulatedCounters counters = run.good({.kernel = "k", .block = {4}}, x).counters;
  EXPECT_EQ(counters.threads, 4u);
  EXPECT_EQ(counters.instructions, 0u);
  EXPECT_TRUE(counters.lines.empty());
}

}  // namespace
}  // namespace hilo
