// Work of the thread "host" is not the device's: whatever a pass makes of a module, it leaves that as it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// The same work on the host and on the device: what passes simplify, expand, fuse, fold, sort, or take out.
constexpr const char* kWork = R"(
%less{0} (a{0}: f32[], b{0}: f32[]) -> pred[] {{
  %a{0} = f32[] parameter(0)
  %b{0} = f32[] parameter(1)
  ROOT %lt{0} = pred[] compare(%a{0}, %b{0}), direction=LT
}}{1}

%add{0} (c{0}: f32[], d{0}: f32[]) -> f32[] {{
  %c{0} = f32[] parameter(0)
  %d{0} = f32[] parameter(1)
  ROOT %sum{0} = f32[] add(%c{0}, %d{0})
}}{1}

%body{0} (s{0}: (s32[], f32[4])) -> (s32[], f32[4]) {{
  %s{0} = (s32[], f32[4]{{0}}) parameter(0)
  %n{0} = s32[] get-tuple-element(%s{0}), index=0
  %v{0} = f32[4]{{0}} get-tuple-element(%s{0}), index=1
  %one{0} = s32[] constant(1)
  %next{0} = s32[] add(%n{0}, %one{0})
  %twice{0} = f32[4]{{0}} add(%v{0}, %v{0})
  ROOT %made{0} = (s32[], f32[4]{{0}}) tuple(%next{0}, %twice{0})
}}{1}

%goes{0} (t{0}: (s32[], f32[4])) -> pred[] {{
  %t{0} = (s32[], f32[4]{{0}}) parameter(0)
  %at{0} = s32[] get-tuple-element(%t{0}), index=0
  %three{0} = s32[] constant(3)
  ROOT %more{0} = pred[] compare(%at{0}, %three{0}), direction=LT
}}{1}

%work{0} (p{0}: f32[4]) -> f32[4] {{
  %p{0} = f32[4]{{0}} parameter(0)
  %zero{0} = f32[] constant(0)
  %zeros{0} = f32[4]{{0}} broadcast(%zero{0}), dimensions={{}}
  %same{0} = f32[4]{{0}} add(%p{0}, %zeros{0})
  %again{0} = f32[4]{{0}} add(%p{0}, %zeros{0})
  %logistic{0} = f32[4]{{0}} logistic(%same{0})
  %row{0} = f32[1,4]{{1,0}} reshape(%logistic{0})
  %column{0} = f32[4,1]{{0,1}} transpose(%row{0}), dimensions={{1,0}}
  %dot{0} = f32[4,4]{{1,0}} dot(%column{0}, %row{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  %sorted{0} = f32[4,4]{{1,0}} sort(%dot{0}), dimensions={{1}}, to_apply=%less{0}
  %reduced{0} = f32[4]{{0}} reduce(%sorted{0}, %zero{0}), dimensions={{1}}, to_apply=%add{0}
  %both{0} = f32[4]{{0}} multiply(%reduced{0}, %again{0})
  %start{0} = s32[] constant(0)
  %init{0} = (s32[], f32[4]{{0}}) tuple(%start{0}, %both{0})
  %loop{0} = (s32[], f32[4]{{0}}) while(%init{0}), condition=%goes{0}, body=%body{0}
  ROOT %result{0} = f32[4]{{0}} get-tuple-element(%loop{0}), index=1
}}{1}
)";

std::shared_ptr<const Module> hostAndDevice() {
  const std::string text = "HloModule threads\n" +
                           fmt::format(fmt::runtime(kWork), "_h", ", execution_thread=\"host\"") +
                           fmt::format(fmt::runtime(kWork), "_d", "") + R"(
ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %begin = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(%x), async_execution_thread="host", calls=%work_h
  %end = f32[4]{0} async-done(%begin)
  ROOT %r = f32[4]{0} call(%end), to_apply=%work_d
}
)";
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? std::shared_ptr<const Module>(*std::move(module)) : nullptr;
}

// The opcodes of the host's computations, one computation a line, in no order: schedulers give all one.
std::string workOfHost(const Module& module) {
  std::string text;
  for (const Computation* computation : module.computations()) {
    if (!computation->name().ends_with("_h")) continue;
    std::vector<std::string_view> opcodes;
    for (const Instruction* i : computation->instructions()) opcodes.push_back(i->opcodeText());
    std::ranges::sort(opcodes);
    text += fmt::format("{}: {}\n", computation->name(), fmt::join(opcodes, " "));
  }
  return text;
}

TEST(HostThreads, EveryPassLeavesTheirWorkAlone) {
  const auto module = hostAndDevice();
  ASSERT_NE(module, nullptr);
  const std::string before = workOfHost(*module);
  int changing = 0;
  for (const Pass& pass : allPasses()) {
    const PassStep step = runPasses(module, {&pass}, {}).steps[0];
    if (step.outcome != PassOutcome::Changed) continue;
    ++changing;
    EXPECT_EQ(workOfHost(*step.module), before) << pass.name;
  }
  EXPECT_GE(changing, 20);
}

}  // namespace
}  // namespace hilo
