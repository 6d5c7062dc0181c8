// Where values of small modules are put: the properties XLA's buffer_assignment_test.cc asserts.
#include "core/compiler/buffers/buffer_assigner.h"
#include "core/analysis/backend.h"

#include <gtest/gtest.h>

#include "core/compiler/buffers/plan_check.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/text/parse.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

class Plan {
 public:
  explicit Plan(std::string text, BufferAssignmentOptions options = {}) {
    auto parsed = parseModuleStrictly(std::move(text));
    EXPECT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    auto plan = assignBuffers(*module_, options);
    EXPECT_TRUE(plan) << toString(plan.error());
    plan_ = std::move(*plan);
    const auto aliases = AliasAnalysis::run(*module_, backendOf(*module_));
    for (const Diagnostic& problem : checkBufferPlan(ValueLiveRanges(*aliases), plan_))
      ADD_FAILURE() << toString(problem);
  }
  // The allocation and offset of the value an instruction makes: "3+128".
  std::string place(std::string_view instruction, std::vector<int64_t> index = {}) const {
    for (const BufferAllocation& allocation : plan_.allocations) {
      for (const AssignedBuffer& assigned : allocation.assigned) {
        const LogicalBuffer* buffer = plan_.buffer(assigned.bufferId);
        if (buffer->instruction == instruction && buffer->shapeIndex == index)
          return fmt::format("{}+{}", allocation.index, assigned.offsetBytes);
      }
    }
    return "none";
  }
  const BufferAllocation& allocation(std::string_view instruction) const {
    return plan_.allocations[static_cast<size_t>(std::stoi(place(instruction)))];
  }
  int64_t bytes() const { return plan_.totalBytes; }

 private:
  std::unique_ptr<Module> module_;
  BufferAssignment plan_;
};

TEST(BufferAssigner, ParametersConstantsAndResultsHaveTheirOwn) {
  const Plan plan(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  c = f32[] constant(2)
  b = f32[100] broadcast(c), dimensions={}
  m = f32[100] multiply(p, b)
  ROOT s = f32[100] add(m, p)
})");
  EXPECT_TRUE(plan.allocation("p").isEntryParameter);
  EXPECT_EQ(plan.allocation("p").sizeBytes, 400);
  EXPECT_TRUE(plan.allocation("c").isConstant);
  // Each elementwise operation writes over an operand that ends: the whole chain is one buffer.
  EXPECT_TRUE(plan.allocation("s").maybeLiveOut);
  EXPECT_EQ(plan.place("b"), plan.place("s"));
  EXPECT_EQ(plan.place("m"), plan.place("s"));
  EXPECT_EQ(plan.bytes(), 400 + 4 + 400);
}

TEST(BufferAssigner, AReadOnlyParameterIsNotWrittenOver) {
  const Plan plan(R"(HloModule m, is_scheduled=true
ENTRY e { p = f32[100] parameter(0) n = f32[100] negate(p) ROOT r = f32[50] slice(n), slice={[0:50]} })");
  EXPECT_NE(plan.place("n"), plan.place("p"));
  EXPECT_TRUE(plan.allocation("n").isPreallocatedTemp);
}

TEST(BufferAssigner, ADonatedParameterIs) {
  const Plan plan(R"(HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { p = f32[100] parameter(0) n = f32[100] negate(p) ROOT r = f32[100] sine(n) })");
  EXPECT_EQ(plan.place("n"), plan.place("p"));
  EXPECT_EQ(plan.place("r"), plan.place("p"));
  EXPECT_TRUE(plan.allocation("p").isParameterAliasedWithOutput);
  EXPECT_EQ(plan.bytes(), 400);
}

TEST(BufferAssigner, ReversedOperandsAndTheirResultsAreApart) {
  const Plan plan(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  n = f32[100] negate(p)
  r = f32[100] reverse(n), dimensions={0}
  ROOT q = f32[100] reverse(r), dimensions={0}
})");
  EXPECT_NE(plan.place("n"), plan.place("r"));
  EXPECT_EQ(plan.place("n"), plan.place("q"));
}

TEST(BufferAssigner, LoopsCarryTheirStateInOnePlace) {
  const Plan plan(R"(HloModule m, is_scheduled=true
body {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[100] get-tuple-element(p), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  b = f32[100] sine(a)
  ROOT r = (s32[], f32[100]) tuple(n, b)
}
cond {
  q = (s32[], f32[100]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  ten = s32[] constant(10)
  ROOT lt = pred[] compare(j, ten), direction=LT
}
ENTRY e {
  z = s32[] parameter(1)
  x = f32[100] parameter(0)
  c = s32[] copy(z)
  y = f32[100] negate(x)
  t = (s32[], f32[100]) tuple(c, y)
  w = (s32[], f32[100]) while(t), condition=cond, body=body
  ROOT o = f32[100] get-tuple-element(w), index=1
})");
  EXPECT_EQ(plan.place("y"), plan.place("b"));
  EXPECT_EQ(plan.place("w", {1}), plan.place("b"));
  EXPECT_EQ(plan.place("c"), plan.place("n"));
  EXPECT_TRUE(plan.allocation("b").maybeLiveOut);
}

TEST(BufferAssigner, MemorySpacesHaveHeapsOfTheirOwn) {
  const Plan plan(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100]{0} parameter(0)
  h = f32[100]{0:S(5)} copy(p)
  n = f32[100]{0} negate(p)
  g = f32[100]{0} copy(h)
  a = f32[100]{0} add(n, g)
  ROOT r = f32[50]{0} slice(a), slice={[0:50]}
})");
  EXPECT_EQ(plan.allocation("h").color, 5);
  EXPECT_EQ(plan.allocation("n").color, 0);
  EXPECT_EQ(plan.allocation("n").index, plan.allocation("g").index);
}

TEST(BufferAssigner, AppliedComputationsAreThreadLocalAndFusedOnesNowhere) {
  const Plan plan(R"(HloModule m, is_scheduled=true
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
fused { f = f32[100] parameter(0) ROOT n = f32[100] negate(f) }
ENTRY e {
  p = f32[100] parameter(0)
  z = f32[] constant(0)
  g = f32[100] fusion(p), kind=kLoop, calls=fused
  ROOT r = f32[] reduce(g, z), dimensions={0}, to_apply=sum
})");
  EXPECT_TRUE(plan.allocation("x").isThreadLocal);
  EXPECT_TRUE(plan.allocation("s").isThreadLocal);
  EXPECT_EQ(plan.place("f"), "none");
}

TEST(BufferAssigner, BothOperandsOfATupleResultLiveOut) {
  const Plan plan(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] negate(p)
  b = f32[100] sine(p)
  ROOT t = (f32[100], f32[100]) tuple(a, b)
})");
  EXPECT_TRUE(plan.allocation("a").maybeLiveOut);
  EXPECT_TRUE(plan.allocation("b").maybeLiveOut);
  EXPECT_TRUE(plan.allocation("t").isTuple);
  EXPECT_EQ(plan.allocation("t").sizeBytes, 16);
  EXPECT_NE(plan.place("a"), plan.place("b"));
}

TEST(BufferAssigner, RandomModulesGetPlansThatHold) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto module = makeRandomModule({.seed = seed});
    PassContext context;
    ASSERT_TRUE(insertCopies(*module, context));
    const auto plan = assignBuffers(*module);
    ASSERT_TRUE(plan) << toString(plan.error());
    const auto aliases = AliasAnalysis::run(*module);
    const Diagnostics problems = checkBufferPlan(ValueLiveRanges(*aliases), *plan);
    ASSERT_TRUE(problems.empty()) << "seed " << seed << ": " << toString(problems[0]);
  }
}

TEST(PlanCheck, FindsValuesOnTheSameBytes) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] negate(p)
  b = f32[100] reverse(a), dimensions={0}
  ROOT s = f32[50] slice(b), slice={[0:50]}
})");
  ASSERT_TRUE(module);
  auto plan = assignBuffers(**module);
  ASSERT_TRUE(plan);
  for (BufferAllocation& allocation : plan->allocations) {
    for (AssignedBuffer& assigned : allocation.assigned) {
      if (allocation.isPreallocatedTemp) assigned.offsetBytes = 0;
    }
  }
  const auto aliases = AliasAnalysis::run(**module);
  const Diagnostics problems = checkBufferPlan(ValueLiveRanges(*aliases), *plan);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].kind, "buffers-overlap");
  EXPECT_EQ(problems[0].place.instruction, "b");
}

// Which elements a fusion reads before it writes, XLA's emitter knows.
TEST(PlanCheck, WarnsOfAFusionThatWritesOverWhatItReads) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
inside { x = f32[100] parameter(0)
  r = f32[100] reverse(x), dimensions={0}
  ROOT n = f32[100] negate(r) }
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] negate(p)
  b = f32[100] fusion(a), kind=kLoop, calls=inside
  ROOT s = f32[50] slice(b), slice={[0:50]}
})");
  ASSERT_TRUE(module);
  auto plan = assignBuffers(**module);
  ASSERT_TRUE(plan);
  for (BufferAllocation& allocation : plan->allocations)
    for (AssignedBuffer& assigned : allocation.assigned)
      if (allocation.isPreallocatedTemp) assigned.offsetBytes = 0;
  const auto aliases = AliasAnalysis::run(**module);
  const Diagnostics problems = checkBufferPlan(ValueLiveRanges(*aliases), *plan);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].kind, "buffers-overlap");
  EXPECT_EQ(problems[0].severity, Severity::kWarning);
}

}  // namespace
}  // namespace hilo
