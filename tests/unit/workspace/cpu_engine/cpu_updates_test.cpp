// Fusions that update an array they read elsewhere: in place where all is read before it is written, by way
// of a copy where it is not.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

// A loop that moves an array of 3000 by one place, an element a turn. UPDATE is the root of the fusion in it.
std::string loopOf(const std::string& fused, const std::string& operands = "copied, i") {
  return "update {\n" + fused + R"(}
body {
  t = (s32[], s32[3000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  a = s32[3000] get-tuple-element(t), index=1
  copied = s32[3000] copy(a)
  f = s32[3000] fusion()" +
         operands + R"(), kind=kLoop, calls=update
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT o = (s32[], s32[3000]) tuple(next, f)
}
cond {
  t = (s32[], s32[3000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(2990)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = s32[3000] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], s32[3000]) tuple(zero, x)
  w = (s32[], s32[3000]) while(t), condition=cond, body=body
  ROOT r = s32[3000] get-tuple-element(w), index=1
}
)";
}

// Copies of the whole array in what the loop runs each turn.
size_t copiesInLoop(const std::string& computations) {
  auto parsed = parseModuleStrictly("HloModule m\n" + computations);
  EXPECT_TRUE(parsed.has_value()) << toString(parsed.error());
  const auto compiled = compileProgram(*std::move(parsed), {.usesCache = false, .runsPasses = false}, {});
  EXPECT_TRUE(compiled.has_value());
  if (!compiled) return 0;
  size_t copies = 0;
  for (size_t sequence = 1; sequence < compiled->program.sequences.size(); ++sequence) {
    for (const Thunk& thunk : compiled->program.sequences[sequence]) {
      const auto* copy = std::get_if<CopyThunk>(&thunk.body);
      copies += copy != nullptr && copy->source.sizeBytes == 12'000 ? 1 : 0;
    }
  }
  return copies;
}

constexpr const char* kOneElement = R"(
  p = s32[3000] parameter(0)
  i = s32[] parameter(1)
  one = s32[] constant(1)
  from = s32[] add(i, one)
  read = s32[1] dynamic-slice(p, from), dynamic_slice_sizes={1}
  ROOT u = s32[3000] dynamic-update-slice(p, read, i)
)";
// Added to what stands where it is written.
constexpr const char* kSamePlace = R"(
  p = s32[3000] parameter(0)
  i = s32[] parameter(1)
  read = s32[7] dynamic-slice(p, i), dynamic_slice_sizes={7}
  sum = s32[7] add(read, read)
  ROOT u = s32[3000] dynamic-update-slice(p, sum, i)
)";
// Each element is written before the next turn of the kernel reads it.
constexpr const char* kNextPlace = R"(
  p = s32[3000] parameter(0)
  i = s32[] parameter(1)
  one = s32[] constant(1)
  to = s32[] add(i, one)
  read = s32[7] dynamic-slice(p, i), dynamic_slice_sizes={7}
  ROOT u = s32[3000] dynamic-update-slice(p, read, to)
)";
constexpr const char* kTurnedRound = R"(
  p = s32[3000] parameter(0)
  i = s32[] parameter(1)
  read = s32[7] dynamic-slice(p, i), dynamic_slice_sizes={7}
  turned = s32[7] reverse(read), dimensions={0}
  ROOT u = s32[3000] dynamic-update-slice(p, turned, i)
)";
// The array comes in twice, once by another name.
constexpr const char* kTwoNames = R"(
  p = s32[3000] parameter(0)
  i = s32[] parameter(1)
  q = s32[3000] parameter(2)
  one = s32[] constant(1)
  to = s32[] add(i, one)
  read = s32[7] dynamic-slice(q, i), dynamic_slice_sizes={7}
  ROOT u = s32[3000] dynamic-update-slice(p, read, to)
)";

TEST(CpuUpdates, AreInPlaceWhereAllIsReadBefore) {
  for (const char* fused : {kOneElement, kSamePlace}) {
    EXPECT_EQ(copiesInLoop(loopOf(fused)), 0u) << fused;
    expectEvaluated(loopOf(fused));
  }
}

TEST(CpuUpdates, KeepWhatIsReadAfterwards) {
  for (const char* fused : {kNextPlace, kTurnedRound}) {
    EXPECT_GT(copiesInLoop(loopOf(fused)), 0u) << fused;
    expectEvaluated(loopOf(fused));
  }
  EXPECT_GT(copiesInLoop(loopOf(kTwoNames, "copied, i, a")), 0u);
  expectEvaluated(loopOf(kTwoNames, "copied, i, a"));
}

TEST(CpuUpdates, AScatterKeepsItsUpdatesWhereTheyAreTheArrayByAnotherName) {
  expectEvaluated(R"(last { x = s32[] parameter(0) ROOT y = s32[] parameter(1) }
ENTRY e {
  x = s32[4] parameter(0)
  a = s32[4] negate(x)
  b = s32[4] copy(a)
  rows = s32[4,1] constant({{1}, {2}, {3}, {0}})
  ROOT s = s32[4] scatter(a, rows, b), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last
}
)");
}

}  // namespace
}  // namespace hilo
