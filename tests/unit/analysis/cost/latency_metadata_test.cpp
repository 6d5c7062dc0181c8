// What an instruction says of its own latency.
#include <gtest/gtest.h>

#include "core/analysis/cost/latency_estimator.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

TEST(LatencyMetadata, IsNanosecondsOrNothing) {
  const auto module = parseModuleStrictly(R"(HloModule m
ENTRY e {
  p = f32[1] parameter(0)
  told = f32[1] custom-call(p), custom_call_target="t", frontend_attributes={latency_metadata="2500"}
  wrong = f32[1] custom-call(p), custom_call_target="t", frontend_attributes={latency_metadata="soon"}
  ROOT silent = (f32[1], f32[1]) custom-call(told, wrong), custom_call_target="t"
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  EXPECT_DOUBLE_EQ(latencyFromMetadata(*(*module)->findInstruction("told"), 1), 2.5);
  EXPECT_DOUBLE_EQ(latencyFromMetadata(*(*module)->findInstruction("told"), 1000), 2500);
  EXPECT_LT(latencyFromMetadata(*(*module)->findInstruction("wrong"), 1), 0);
  EXPECT_LT(latencyFromMetadata(*(*module)->findInstruction("silent"), 1), 0);
}

}  // namespace
}  // namespace hilo
