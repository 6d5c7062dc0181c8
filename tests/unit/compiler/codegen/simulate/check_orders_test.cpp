// Races that weaker orders than a barrier of the whole block leave open, and the same kernels made right.
#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

std::string own(const std::string& body) { return kOwnElement + body; }

// Warp 0 writes, warp 1 reads what it wrote. `between` is done by both.
std::string handOver(const std::string& between) {
  return own("setp.ge.u32 %p1, %r1, 32;\n@!%p1 st.shared.u32 [%r2], %r1;\n" + between +
             "\n@%p1 ld.shared.u32 %r4, [%r2+-128];");
}

TEST(SimulatedOrders, ABarrierOfSomeThreadsOrdersThemAlone) {
  EXPECT_EQ(faultOf(handOver("bar.sync 0;")), "");
  EXPECT_EQ(faultOf(handOver("bar.sync 1, 64;")), "");
  EXPECT_EQ(faultOf(handOver("bar.warp.sync -1;")), "race at 17");
  // Each warp meets itself.
  EXPECT_EQ(faultOf(handOver("shr.u32 %r5, %r1, 5; add.u32 %r5, %r5, 1; bar.sync %r5, 32;")), "race at 17");
}

TEST(SimulatedOrders, WarpsZeroAndOneMeetButNotTwo) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 32;\nsetp.ge.u32 %p2, %r1, 64;\n@%p1 st.shared.u32 [%r2], %r1;\n"
      "@!%p2 bar.sync 1, 64;\n@%p2 ld.shared.u32 %r4, [%r2+-256];";
  EXPECT_EQ(faultOf(own(body), {.kernel = "k", .block = {96}}), "race at 18");
}

TEST(SimulatedOrders, AnOperationOfHalfAWarpOrdersThatHalf) {
  const auto halves = [](const std::string& reader) {
    return own(
        "mov.u32 %r5, 0xffff;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r2], %r1;\n"
        "@!%p1 mov.u32 %r5, 0xffff0000;\nbar.warp.sync %r5;\n" +
        reader);
  };
  const SimulatedLaunch warp{.kernel = "k", .block = {32}};
  EXPECT_EQ(faultOf(halves("xor.b32 %r6, %r2, 4;\n@%p1 ld.shared.u32 %r4, [%r6];"), warp), "");
  EXPECT_EQ(faultOf(halves("xor.b32 %r6, %r2, 64;\n@!%p1 ld.shared.u32 %r4, [%r6];"), warp), "race at 20");
}

TEST(SimulatedOrders, ArrivingAtABarrierDoesNotWaitForIt) {
  // Warp 0 arrives after its reads, warp 1 syncs before it writes: right. The other way round it is a race.
  const auto produce = [](const char* first, const char* second) {
    return own(
        std::string("setp.lt.u32 %p1, %r1, 32;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n@%p1 bra A;\n") +
        first + "st.shared.u32 [%r2+-128], %r1;\nbra B;\nA: ld.shared.u32 %r4, [%r2];\n" + second + "B:");
  };
  EXPECT_EQ(faultOf(produce("bar.sync 1, 64;\n", "bar.arrive 1, 64;\n")), "");
  EXPECT_EQ(faultOf(produce("bar.arrive 1, 64;\n", "bar.sync 1, 64;\n")), "race at 21");
}

// Block 0 writes x[1] and then the flag x[0]; block 1 waits for the flag and reads x[1].
std::string flag(const std::string& afterWrite, const std::string& write, const std::string& afterRead) {
  return "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra R;\nst.global.u32 [%rd1+4], 7;\n" +
         afterWrite + "\n" + write +
         "\nret;\nR: ld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, 9;\n@%p2 bra R;\n" +
         afterRead + "\nld.global.u32 %r3, [%rd1+4];";
}
const SimulatedLaunch kTwoBlocks{.kernel = "k", .grid = {2}};

TEST(SimulatedOrders, AFlagNeedsFencesOnBothSides) {
  const char* store = "st.relaxed.gpu.global.u32 [%rd1], 9;";
  EXPECT_EQ(faultOf(flag("fence.acq_rel.gpu;", store, "fence.acq_rel.gpu;"), kTwoBlocks), "");
  EXPECT_EQ(faultOf(flag("membar.gl;", store, "membar.gl;"), kTwoBlocks), "");
  EXPECT_EQ(faultOf(flag("fence.acq_rel.gpu;", "atom.global.exch.b32 %r9, [%rd1], 9;", "fence.acq_rel.gpu;"),
                    kTwoBlocks),
            "");
  EXPECT_EQ(faultOf(flag("", "st.release.gpu.global.u32 [%rd1], 9;", "fence.acq_rel.gpu;"), kTwoBlocks), "");
}
TEST(SimulatedOrders, AFlagWithoutTheWritersFence) {
  EXPECT_EQ(faultOf(flag("", "st.relaxed.gpu.global.u32 [%rd1], 9;", "fence.acq_rel.gpu;"), kTwoBlocks),
            "race at 21");
}
TEST(SimulatedOrders, AFlagWithoutTheReadersFence) {
  EXPECT_EQ(faultOf(flag("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32 [%rd1], 9;", ""), kTwoBlocks),
            "race at 21");
}
TEST(SimulatedOrders, AFlagWithAFenceOfTheBlockAlone) {
  EXPECT_EQ(faultOf(flag("fence.acq_rel.cta;", "st.relaxed.gpu.global.u32 [%rd1], 9;", "fence.acq_rel.gpu;"),
                    kTwoBlocks),
            "race at 21");
}
TEST(SimulatedOrders, AFlagThatIsReadBeforeAFenceOfTheBlockAlone) {
  const char* store = "st.relaxed.gpu.global.u32 [%rd1], 9;";
  EXPECT_EQ(faultOf(flag("fence.acq_rel.gpu;", store, "fence.acq_rel.cta;"), kTwoBlocks), "race at 21");
  EXPECT_EQ(faultOf(flag("membar.gl;", store, "membar.cta;"), kTwoBlocks), "race at 21");
}
TEST(SimulatedOrders, AFlagThatIsFencedBeforeTheWriteItGuards) {
  const std::string body =
      "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra R;\nmembar.gl;\nst.global.u32 [%rd1+4], "
      "7;\n"
      "st.volatile.global.u32 [%rd1], 9;\nret;\nR: ld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, "
      "%r2, 9;\n"
      "@%p2 bra R;\nmembar.gl;\nld.global.u32 %r3, [%rd1+4];";
  EXPECT_EQ(faultOf(body, kTwoBlocks), "race at 21");
}
TEST(SimulatedOrders, AFlagThatIsNoStrongAccess) {
  EXPECT_EQ(faultOf(flag("membar.gl;", "st.global.u32 [%rd1], 9;", "membar.gl;"), kTwoBlocks), "race at 17");
}

// The last block to arrive sums what all wrote; its first thread tells the others.
std::string lastBlock(const std::string& fence) {
  return "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
         "st.global.u32 [%rd3+4], %r1;\n" +
         fence +
         "\natom.global.inc.u32 %r2, [%rd1], 100;\nbar.sync 0;\nsetp.ne.u32 %p1, %r2, 4;\n@%p1 ret;\n"
         "ld.global.u32 %r3, [%rd1+4];\nld.global.u32 %r4, [%rd1+12];";
}
TEST(SimulatedOrders, TheLastBlockSeesTheOthersThroughTheirFences) {
  EXPECT_EQ(faultOf(lastBlock("membar.gl;"), {.kernel = "k", .grid = {4}}), "");
  EXPECT_EQ(faultOf(lastBlock(""), {.kernel = "k", .grid = {4}}), "race at 19");
}

}  // namespace
}  // namespace hilo
