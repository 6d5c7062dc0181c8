// Launches of several streams: two that nothing orders race where they use the same bytes.
#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

class SimulatedStreams : public testing::Test {
 protected:
  void SetUp() override { memory_.add("x", std::as_writable_bytes(std::span(x_)), true); }
  // Kinds of what is found, at their lines.
  std::string launch(const char* kernel, uint32_t stream) {
    const void* params[] = {x_.data()};
    const auto report = run_.module()->launch(
        {.kernel = kernel, .block = {64}, .stream = stream, .params = std::as_bytes(std::span(params))},
        &memory_);
    EXPECT_TRUE(report) << (report ? "" : toString(report.error()));
    std::string found;
    for (const Diagnostic& finding : report->findings) found += finding.kind + " " + finding.message + "\n";
    return found;
  }

  std::vector<unsigned> x_ = std::vector<unsigned>(64, 1);
  SimulatedMemory memory_;
  SimulatedRun run_ = SimulatedRun::ofText(
      ".visible .entry writes(.param .u64 x) {\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\nld.param.u64 %rd1, "
      "[x];\n" +
          std::string(kOwnElement) + "st.global.u32 [%rd3], %r1;\nret;\n}\n" +
          ".visible .entry reads(.param .u64 x) {\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\nld.param.u64 %rd1, "
          "[x];\n" +
          std::string(kOwnElement) + "ld.global.u32 %r3, [%rd3];\nret;\n}\n",
      true);
};

TEST_F(SimulatedStreams, LaunchesOfOneStreamComeOneAfterTheOther) {
  EXPECT_EQ(launch("writes", 0), "");
  EXPECT_EQ(launch("reads", 0), "");
  EXPECT_EQ(launch("writes", 0), "");
}
TEST_F(SimulatedStreams, ALaunchThatReadsWhatAnotherStreamWrites) {
  EXPECT_EQ(launch("writes", 0), "");
  const std::string found = launch("reads", 1);
  EXPECT_NE(
      found.find("race reads: it reads 4 bytes at byte 0 of x, which the launch of writes on stream 0 wrote"),
      std::string::npos)
      << found;
}
TEST_F(SimulatedStreams, ALaunchThatWritesWhatAnotherStreamReads) {
  EXPECT_EQ(launch("reads", 0), "");
  EXPECT_EQ(launch("reads", 1), "");
  EXPECT_NE(launch("writes", 1), "");
}
TEST_F(SimulatedStreams, AnEventOrdersThem) {
  EXPECT_EQ(launch("writes", 0), "");
  memory_.record(5, 0);
  memory_.wait(1, 5);
  EXPECT_EQ(launch("reads", 1), "");
}
TEST_F(SimulatedStreams, AnEventThatWasRecordedTooEarlyDoesNot) {
  memory_.record(5, 0);
  EXPECT_EQ(launch("writes", 0), "");
  memory_.wait(1, 5);
  EXPECT_NE(launch("reads", 1), "");
}
TEST_F(SimulatedStreams, EventsOrderOverAThirdStream) {
  EXPECT_EQ(launch("writes", 0), "");
  memory_.record(1, 0);
  memory_.wait(2, 1);
  memory_.record(2, 2);
  memory_.wait(1, 2);
  EXPECT_EQ(launch("reads", 1), "");
}
TEST_F(SimulatedStreams, TheHostThatWaitsForAllOrdersAll) {
  EXPECT_EQ(launch("writes", 0), "");
  memory_.waitForAll();
  EXPECT_EQ(launch("reads", 1), "");
}

}  // namespace
}  // namespace hilo
