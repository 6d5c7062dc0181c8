// Faults planted in kernels: check mode names the kind and the line of each, and nothing in what is right.
#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

const SimulatedLaunch kBlock{.kernel = "k", .block = {64}};

constexpr const char* kIndex =
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n";

TEST(SimulatedCheckMode, WhatIsRightGivesNoFinding) {
  EXPECT_EQ(faultOf(std::string(kIndex) + "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd3], %r2;"), "");
  EXPECT_EQ(
      faultOf("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
              "xor.b32 %r3, %r2, 4;\nld.shared.u32 %r4, [%r3];\nbar.sync 0;\nst.shared.u32 [%r2], %r4;"),
      "");
}

TEST(SimulatedCheckMode, AReadPastABuffer) {
  EXPECT_EQ(faultOf(std::string(kIndex) + "ld.global.u32 %r2, [%rd3+4];"), "out-of-bounds at 13");
}
TEST(SimulatedCheckMode, AWriteBeforeABuffer) {
  EXPECT_EQ(faultOf(std::string(kIndex) + "st.global.u32 [%rd3+-4], %r1;"), "out-of-bounds at 13");
}
TEST(SimulatedCheckMode, ANullPointer) {
  EXPECT_EQ(faultOf("mov.u64 %rd2, 0;\nld.u32 %r1, [%rd2];"), "out-of-bounds at 11");
}
TEST(SimulatedCheckMode, AWritePastSharedMemory) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nmad.lo.s32 %r2, %r1, 4, 772;\nst.shared.u32 [%r2], %r1;"),
            "out-of-bounds at 12");
}
// Of shared memory, which has 1,024 bytes: nobody reads the last 4 of 16.
TEST(SimulatedCheckMode, TheEndOfAVectorThatNobodyReads) {
  const SimulatedLaunch one{.kernel = "k", .block = {1}};
  const std::string read =
      "mov.u32 %r9, 0;\nst.shared.v2.u32 [pool], {%r9, %r9};\nld.shared.v4.u32 {%r1, %r2, %r3, %r4}, "
      "[pool];\n"
      "add.u32 %r5, %r1, %r2;\nst.global.u32 [%rd1], %r5;\n";
  EXPECT_EQ(faultOf(read, one), "");
  EXPECT_EQ(faultOf(read + "st.global.u32 [%rd1+4], %r3;", one), "never-written at 12");
  EXPECT_EQ(faultOf("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+4];\nst.global.u32 [%rd1], %r1;", one),
            "misaligned at 10");
}
// 6 bytes of 8: a shift drops the upper half of the second word, and a move lets go of it.
TEST(SimulatedCheckMode, TheHalfOfAWordThatNobodyReads) {
  const SimulatedLaunch one{.kernel = "k", .block = {1}};
  const std::string read =
      "mov.u32 %r9, 0;\nst.shared.u32 [pool], %r9;\nst.shared.u16 [pool+4], %r9;\n"
      "ld.shared.v2.u32 {%r1, %r2}, [pool];\nshl.b32 %r3, %r2, 16;\nadd.u32 %r4, %r1, %r3;\n"
      "st.global.u32 [%rd1], %r4;\n";
  EXPECT_EQ(faultOf(read, one), "");
  EXPECT_EQ(faultOf(read + "st.global.u32 [%rd1+4], %r2;", one), "never-written at 13");
  EXPECT_EQ(faultOf(read + "shr.u32 %r5, %r2, 16;\nst.global.u32 [%rd1+4], %r5;", one),
            "never-written at 13");
}
TEST(SimulatedCheckMode, AReadFarBehindLocalMemory) {
  EXPECT_EQ(faultOf("st.local.u32 [own], 1;\nld.local.u32 %r1, [own+28];"), "");
  EXPECT_EQ(
      faultOf(
          "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd4, own;\nadd.u64 %rd3, %rd4, %rd2;\n"
          "st.local.u32 [%rd3], 1;"),
      "out-of-bounds at 14");
}
TEST(SimulatedCheckMode, AWriteBeforeLocalMemory) {
  EXPECT_EQ(faultOf("st.local.u32 [own+-8], 1;"), "out-of-bounds at 10");
}
TEST(SimulatedCheckMode, AMisalignedShared) {
  EXPECT_EQ(faultOf("st.shared.u32 [pool+2], 1;", {.kernel = "k", .block = {1}}), "misaligned at 10");
}
TEST(SimulatedCheckMode, AnAtomicBehindABuffer) {
  EXPECT_EQ(faultOf("red.global.add.u32 [%rd1+256], 1;"), "out-of-bounds at 10");
}
TEST(SimulatedCheckMode, AGenericAccessBehindSharedMemory) {
  EXPECT_EQ(
      faultOf(
          "mov.u32 %r1, 1048576;\ncvt.u64.u32 %rd2, %r1;\ncvta.shared.u64 %rd3, %rd2;\nst.u32 [%rd3], 1;"),
      "out-of-bounds at 13");
}
TEST(SimulatedCheckMode, ThreadsThatWriteTheSameByte) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 1;\nst.shared.u8 [%r2], %r1;"), "race at 12");
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nst.shared.u8 [%r1], %r1;"), "");
}
// Whoever comes first, the bytes are the same. Who reads them in between could have seen others.
TEST(SimulatedCheckMode, ThreadsThatWriteTheSameToAByte) {
  const SimulatedLaunch twoBlocks{.kernel = "k", .grid = {2}};
  EXPECT_EQ(faultOf("st.shared.u32 [pool], 7;"), "same-value at 10");
  EXPECT_EQ(faultOf("mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], 5;", twoBlocks), "same-value at 11");
  EXPECT_EQ(faultOf("mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;", twoBlocks), "race at 11");
  EXPECT_EQ(faultOf("ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;", twoBlocks), "race at 10");
}
TEST(SimulatedCheckMode, ABlockReadsWhatAnotherWrites) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], 3;\n"
                    "@!%p1 ld.global.u32 %r2, [%rd1];",
                    {.kernel = "k", .grid = {2}}),
            "race at 13");
}
TEST(SimulatedCheckMode, SomeReadWhatAnotherThenWrites) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r1, 63;\n"
                    "@%p1 st.global.u32 [%rd1], 3;"),
            "race at 13");
}
TEST(SimulatedCheckMode, AThreadThatWaitsForOneOfItsWarpThatEnded) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\n@%p1 ret;\nbar.sync 1, 64;"),
            "deadlock at 13");
}
TEST(SimulatedCheckMode, ALoopWithoutEnd) { EXPECT_EQ(faultOf("L: bra L;"), "endless-wait at 10"); }
TEST(SimulatedCheckMode, ALockThatIsNotGivenBack) {
  EXPECT_EQ(faultOf("L: atom.global.cas.b32 %r1, [%rd1], 1, 2;\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra L;"),
            "endless-wait at 12");
}
TEST(SimulatedCheckMode, AMisalignedVector) {
  EXPECT_EQ(faultOf("ld.global.v2.u32 {%r1, %r2}, [%rd1+4];"), "misaligned at 10");
}
TEST(SimulatedCheckMode, SharedMemoryThatNobodyWrote) {
  EXPECT_EQ(faultOf("ld.shared.u32 %r1, [pool+8];"), "never-written at 10");
}
TEST(SimulatedCheckMode, SharedMemoryReadWithoutABarrier) {
  EXPECT_EQ(
      faultOf(
          "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nxor.b32 %r3, %r2, 128;\n"
          "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\nld.shared.u32 %r4, [%r3];\nL:"),
      "race at 16");
}
TEST(SimulatedCheckMode, SharedMemoryWrittenWhileOthersRead) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
                    "ld.shared.u32 %r4, [pool];\nst.shared.u32 [%r2], %r4;"),
            "race at 15");
}
TEST(SimulatedCheckMode, ThreadsThatWriteTheSameElement) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;"), "race at 11");
}
TEST(SimulatedCheckMode, BlocksThatWriteTheSameElement) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;", {.kernel = "k", .grid = {2}}),
            "race at 11");
}
TEST(SimulatedCheckMode, AtomicsDoNotRaceButAPlainReadBesideThemDoes) {
  EXPECT_EQ(faultOf("red.global.add.u32 [%rd1], 1;"), "");
  // A thread's update comes after the read of the one before it.
  EXPECT_EQ(faultOf("red.global.add.u32 [%rd1], 1;\nld.global.u32 %r1, [%rd1];"), "race at 10");
}
TEST(SimulatedCheckMode, ABarrierThatPartOfTheBlockReaches) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\n@!%p1 bra L;\nbar.sync 0;\nL:"),
            "divergent-barrier at 13");
}
TEST(SimulatedCheckMode, TwoBarriersMetAsOne) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL: "
                    "bar.sync 0;\nM:"),
            "divergent-barrier at 13");
}
TEST(SimulatedCheckMode, ABarrierOfMoreThreadsThanThereAre) {
  EXPECT_EQ(faultOf("bar.sync 1, 96;"), "deadlock at 10");
}
TEST(SimulatedCheckMode, AShuffleThatALaneNeverReaches) {
  EXPECT_EQ(faultOf("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bar.sync 2, 64;\n"
                    "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;"),
            "deadlock at 13");
}
TEST(SimulatedCheckMode, ALoopThatWaitsForNobody) {
  EXPECT_EQ(faultOf("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra L;"),
            "endless-wait at 12");
}
TEST(SimulatedCheckMode, ACopyThatIsNotWaitedFor) {
  EXPECT_EQ(
      faultOf(
          "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "
          "%rd2;\n"
          "cp.async.ca.shared.global [%r2], [%rd3], 4;\ncp.async.commit_group;\nld.shared.u32 %r4, [%r2];"),
      "never-written at 16");
}
TEST(SimulatedCheckMode, ATrap) { EXPECT_EQ(faultOf("trap;"), "trap at 10"); }
TEST(SimulatedCheckMode, ABarrierThatDoesNotExist) {
  EXPECT_EQ(faultOf("bar.sync 16;"), "wrong-barrier at 10");
}

TEST(SimulatedCheckMode, AReportNamesKernelThreadBlockAddressAndBuffer) {
  std::vector<unsigned> x(64, 1);
  auto run = SimulatedRun::ofText(
      faultKernel(
          "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 7;\n@%p1 bra L;\nld.global.u32 %r2, [%rd1+260];\nL:"),
      true);
  EXPECT_EQ(run.fault(kBlock, x), "out-of-bounds at 13");
  EXPECT_EQ(run.message().substr(0, 46), "k.ptx:13: error: out-of-bounds: k: it reads 4 ");
  EXPECT_NE(run.message().find("byte 260 of argument 1, which has 256, thread (7, 0, 0) of block (0, 0, 0)"),
            std::string::npos)
      << run.message();
}

TEST(SimulatedCheckMode, KernelsThatAreRightGiveNoFinding) {
  auto run = SimulatedRun::ofFile("basic.ptx", true);
  auto in = countingValues<float>(4096);
  std::vector<float> out(4096);
  int n = 64;
  EXPECT_EQ(run.fault({.kernel = "transpose", .grid = {2, 2}, .block = {32, 8}}, in, out, n), "");
  EXPECT_EQ(run.fault({.kernel = "matmul", .grid = {4, 4}, .block = {16, 16}}, in, in, out, n), "");
  EXPECT_EQ(run.fault({.kernel = "blockReduce", .grid = {4}, .block = {256}}, in, out, n), "");
  EXPECT_EQ(run.fault({.kernel = "softmax", .grid = {4}, .block = {96}}, in, out, n), "");
  std::vector<unsigned> flags(9), order(9);
  EXPECT_EQ(run.fault({.kernel = "chain", .grid = {9}, .block = {32}}, flags, order), "");
  auto tensor = SimulatedRun::ofFile("tensor.ptx", true);
  int tiles = 5;
  EXPECT_EQ(tensor.fault({.kernel = "pipeline", .block = {128}}, in, out, tiles), "");
}

}  // namespace
}  // namespace hilo
