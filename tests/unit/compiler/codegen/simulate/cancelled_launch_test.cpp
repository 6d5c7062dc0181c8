// A launch whose threads wait for what nobody does ends when it is cancelled.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/compiler/codegen/simulate/planted_fault.h"

namespace hilo {
namespace {

TEST(CancelledLaunch, EndsWhileThreadsWait) {
  std::vector<unsigned> x(64, 1);
  auto run = SimulatedRun::ofText(
      faultKernel("L: ld.volatile.global.u32 %r4, [%rd1];\nsetp.ne.u32 %p1, %r4, 7;\n@%p1 bra L;"), true);
  // No limit of its own ends it.
  const SimulatedLaunch launch{.kernel = "k", .block = {64}, .mostWaiting = UINT64_MAX};
  std::string fault;
  std::thread running([&] { fault = run.fault(launch, x); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  launch.cancel.cancel();
  running.join();
  EXPECT_EQ(fault, "cancelled at 0");
}

}  // namespace
}  // namespace hilo
