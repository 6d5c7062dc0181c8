// Threads of a warp that use cells side by side: each is still known by its own number.
#include <fmt/format.h>

#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

// Of x, 64 numbers. Block 0 does `first`, with %p1; then thread 5 of block 1 does `then`, with %p3.
std::string told(const std::string& first, const std::string& then, uint32_t threads = 32) {
  std::vector<unsigned> x(64, 1);
  auto run = SimulatedRun::ofText(
      faultKernel(kOwnElement +
                  ("mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p1, %r9, 0;\nmad.lo.u32 %r8, %r9, 100, %r1;\n"
                   "setp.eq.u32 %p3, %r8, 105;\nmul.wide.u32 %rd4, %r1, 16;\nadd.u64 %rd5, %rd1, %rd4;\n"
                   "setp.lt.u32 %p4, %r8, 10;\nand.b32 %r7, %r1, 31;\nmul.wide.u32 %rd6, %r7, 4;\n"
                   "add.u64 %rd7, %rd1, %rd6;\n" +
                   first + "\n" + then)),
      true);
  return run.fault({.kernel = "k", .grid = {2}, .block = {threads}}, x) == "" ? "" : run.message();
}

std::string writesAt(int element) { return fmt::format("@%p3 st.global.u32 [%rd1+{}], 1;", 4 * element); }
std::string readsAt(int element) { return fmt::format("@%p3 ld.global.u32 %r4, [%rd1+{}];", 4 * element); }

void expectNamed(const std::string& message, const std::string& who) {
  EXPECT_NE(message.find(who + " with nothing to order them"), std::string::npos) << message;
}

constexpr const char* kEachReads = "@%p1 ld.global.u32 %r4, [%rd3];";
constexpr const char* kTenRead = "@%p4 ld.global.u32 %r4, [%rd3];";

TEST(SimulatedRuns, AWriteOfWhatALaneRead) {
  expectNamed(told(kEachReads, writesAt(0)), "thread 0 of block 0 read");
  expectNamed(told(kEachReads, writesAt(31)), "thread 31 of block 0 read");
  EXPECT_EQ(told(kEachReads, readsAt(7)), "");
  EXPECT_EQ(told(kEachReads, writesAt(32)), "");
}
TEST(SimulatedRuns, AReadOfWhatALaneWrote) {
  expectNamed(told("@%p1 st.global.u32 [%rd3], %r1;", readsAt(7)), "thread 7 of block 0 wrote");
  const std::string both = std::string(kEachReads) + "\n@%p1 st.global.u32 [%rd3], %r4;";
  expectNamed(told(both, readsAt(31)), "thread 31 of block 0 wrote");
}
TEST(SimulatedRuns, PartOfALine) {
  expectNamed(told(kTenRead, writesAt(9)), "thread 9 of block 0 read");
  EXPECT_EQ(told(kTenRead, writesAt(10)), "");
}
TEST(SimulatedRuns, PartOfALineOnceMore) {
  const std::string again = std::string(kEachReads) + "\nbar.sync 0;\n" + kTenRead;
  expectNamed(told(again, writesAt(9)), "thread 9 of block 0 read");
  expectNamed(told(again, writesAt(10)), "thread 10 of block 0 read");
}
TEST(SimulatedRuns, ALineThatTwoWarpsRead) {
  expectNamed(told("@%p1 ld.global.u32 %r4, [%rd7];", writesAt(7), 64), "several threads of block 0 read");
}
TEST(SimulatedRuns, AVectorALane) {
  expectNamed(told("@%p1 ld.global.v4.u32 {%r4, %r5, %r6, %r10}, [%rd5];\n@%p1 st.global.u32 [%rd5], %r10;",
                   writesAt(13), 8),
              "thread 3 of block 0 read");
}
TEST(SimulatedRuns, WhatALaneWritesToTheCellOfAnother) {
  expectNamed(told("@%p1 ld.global.u32 %r4, [%rd3];\n@%p1 st.global.u32 [%rd3+4], %r1;", ""),
              "thread 0 of block 0 wrote");
}

}  // namespace
}  // namespace hilo
