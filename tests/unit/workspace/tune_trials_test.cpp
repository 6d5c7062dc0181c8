// What is tried of one instruction: a way that fails is a row, and the others keep their times.
#include "core/workspace/tune/trials.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/engines.h"

namespace hilo {
namespace {

// Two ways besides the default; under the first the program takes an argument that nobody gives.
std::vector<BackendConfig> twoWays(const Instruction&) {
  return {LlvmKernelOptions{.disableLoopUnrolling = true}, LlvmKernelOptions{.optimizeForSize = true}};
}
Status takesOneMore(Instruction& instruction, const BackendConfig& config) {
  const auto& options = std::get<std::optional<LlvmKernelOptions>>(config);
  if (options && options->disableLoopUnrolling)
    instruction.module().entry()->createParameter(1, Shape::scalar(ElementType::F32), "one_more");
  if (options && options->optimizeForSize) instruction.become(Opcode::Abs, instruction.operands());
  return {};
}

TEST(TuneTrials, AWayThatFailsIsARowWithItsReason) {
  const auto module = parseModuleStrictly(R"(HloModule m
ENTRY e {
  a = f32[64] parameter(0)
  ROOT n = f32[64] negate(a)
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  const auto trial = trialModuleOf(*(*module)->entry()->root());
  ASSERT_TRUE(trial) << toString(trial.error());
  const CodegenBackend backend{.name = "test",
                               .supportedConfigs = twoWays,
                               .defaultConfig = std::optional<LlvmKernelOptions>(),
                               .applyConfig = takesOneMore};
  const auto engine = compilingEngine();
  ASSERT_TRUE(engine) << toString(engine.error());
  const auto tried = tryConfigs(*trial, {*(*engine)->compiler, backend}, {.repeat = 6}, JobContext());
  ASSERT_TRUE(tried) << toString(tried.error());
  ASSERT_EQ(tried->size(), 3u);
  EXPECT_EQ((*tried)[0].timings.n(), 6u);
  EXPECT_EQ((*tried)[1].timings.n(), 0u);
  EXPECT_EQ((*tried)[1].remark.substr(0, 8), "failed: ") << (*tried)[1].remark;
  EXPECT_EQ((*tried)[2].timings.n(), 6u);
  EXPECT_TRUE((*tried)[2].ratio.has_value());
}

}  // namespace
}  // namespace hilo
