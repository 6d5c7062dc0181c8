// Copies that nobody waits for, or waits for wrongly: cp.async, cp.async.bulk and barriers in memory.
#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

std::string own(const std::string& body) { return kOwnElement + body; }
constexpr const char* kCopy = "cp.async.ca.shared.global [%r2], [%rd3], 4;\n";

TEST(SimulatedCopies, AnAsyncCopyIsCommittedAndWaitedFor) {
  const std::string read = "ld.shared.u32 %r4, [%r2];";
  EXPECT_EQ(faultOf(own(kCopy + ("cp.async.commit_group;\ncp.async.wait_group 0;\n" + read))), "");
  EXPECT_EQ(faultOf(own(kCopy + ("cp.async.commit_group;\n" + read))), "never-written at 16");
  EXPECT_EQ(faultOf(own(kCopy + ("cp.async.wait_group 0;\n" + read))), "never-written at 16");
  EXPECT_EQ(faultOf(own(kCopy + ("cp.async.commit_group;\ncp.async.wait_group 1;\n" + read))),
            "never-written at 17");
}
TEST(SimulatedCopies, OthersReadAnAsyncCopyAfterABarrier) {
  const std::string wait = "cp.async.commit_group;\ncp.async.wait_all;\n", other = "xor.b32 %r5, %r2, 4;\n";
  EXPECT_EQ(faultOf(own(kCopy + wait + other + "bar.sync 0;\nld.shared.u32 %r4, [%r5];")), "");
  EXPECT_EQ(faultOf(own(kCopy + wait + other + "ld.shared.u32 %r4, [%r5];")), "never-written at 18");
}
TEST(SimulatedCopies, AnAsyncCopyFromBehindABuffer) {
  EXPECT_EQ(faultOf(own("cp.async.ca.shared.global [%r2], [%rd3+4], 4;\ncp.async.wait_all;")),
            "out-of-bounds at 14");
}
TEST(SimulatedCopies, AnAsyncCopyToBehindSharedMemory) {
  EXPECT_EQ(faultOf(own("cp.async.ca.shared.global [%r2+1000], [%rd3], 4;\ncp.async.wait_all;")),
            "out-of-bounds at 14");
}
TEST(SimulatedCopies, AnAsyncCopyThatIsNotAligned) {
  EXPECT_EQ(faultOf("cp.async.ca.shared.global [pool], [%rd1+4], 8;\ncp.async.wait_all;"),
            "misaligned at 10");
}

// Thread 0 copies 64 bytes to pool + 64; all wait at the barrier at pool.
std::string bulk(const std::string& wait, const char* init = "mbarrier.init.shared.b64 [pool], 1;",
                 int expected = 64) {
  return own(
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra W;\n" + std::string(init) +
      "\nmbarrier.arrive.expect_tx.shared.b64 %rd5, [pool], " + std::to_string(expected) +
      ";\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [pool+64], [%rd1], 64, [pool];\n"
      "W: bar.sync 0;\n" +
      wait + "\nld.shared.u32 %r4, [pool+68];");
}
constexpr const char* kTry = "L: mbarrier.try_wait.parity.shared.b64 %p2, [pool], 0;\n@!%p2 bra L;";

TEST(SimulatedCopies, ABulkCopyIsThereWhenItsBarrierSaysSo) {
  EXPECT_EQ(faultOf(bulk(kTry)), "");
  EXPECT_EQ(faultOf(bulk("")), "never-written at 21");
}
TEST(SimulatedCopies, ABarrierThatExpectsOtherBytesIsWaitedForEndlessly) {
  EXPECT_EQ(faultOf(bulk(kTry, "mbarrier.init.shared.b64 [pool], 1;", 128)), "endless-wait at 21");
}
TEST(SimulatedCopies, ABarrierThatExpectsOtherArrivalsIsWaitedForEndlessly) {
  EXPECT_EQ(faultOf(bulk(kTry, "mbarrier.init.shared.b64 [pool], 2;")), "endless-wait at 21");
}
TEST(SimulatedCopies, ABarrierThatNobodyMade) {
  std::vector<unsigned> x(64, 1);
  auto run = SimulatedRun::ofText(faultKernel(bulk(kTry, "mov.u32 %r9, 0;")), true);
  EXPECT_EQ(run.fault({.kernel = "k", .block = {64}, .mostWaiting = 100000}, x), "endless-wait at 21");
  EXPECT_NE(
      run.message().find("k.ptx:17: error: never-written: k: it reads 8 bytes at byte 0 of shared memory"),
      std::string::npos)
      << run.message();
}
TEST(SimulatedCopies, AGroupOfBulkCopiesIsWaitedFor) {
  const auto store = [](const std::string& wait) {
    return own(
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [pool], 64;\ncp.async.bulk.commit_group;\n" +
        wait + "\nE: bar.sync 0;\nst.shared.u32 [%r2], %r2;");
  };
  EXPECT_EQ(faultOf(store("cp.async.bulk.wait_group.read 0;")), "");
  EXPECT_EQ(faultOf(store("")), "race at 18");
}
TEST(SimulatedCopies, ABarrierInMemoryOrdersThoseWhoArriveAndWait) {
  const auto phase = [](const std::string& wait) {
    return own(
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [pool+512], 64;\nbar.sync 0;\n"
        "st.shared.u32 [%r2], %r1;\nmbarrier.arrive.shared.b64 %rd5, [pool+512];\n" +
        wait + "\nxor.b32 %r5, %r2, 128;\nld.shared.u32 %r4, [%r5];");
  };
  EXPECT_EQ(faultOf(phase("L: mbarrier.test_wait.shared.b64 %p2, [pool+512], %rd5;\n@!%p2 bra L;")), "");
  EXPECT_EQ(faultOf(phase("mov.u32 %r9, 0;")), "never-written at 21");
}

}  // namespace
}  // namespace hilo
