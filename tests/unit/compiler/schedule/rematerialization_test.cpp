// Fewer live bytes at the peak, the same results, and a word on every value that waits over the peak.
#include "core/compiler/schedule/rematerialization.h"

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

// a and e wait over the peak, where x, y and z are made. a is easily made again; e is not: its
// operand is gone.
std::string fromPeak(const std::string& tail) {
  return R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[256] parameter(0)
  a = f32[256] negate(p)
  t = f32[256] tanh(p)
  e = f32[256] exponential(t)
  x = f32[8,256] broadcast(e), dimensions={1}
  y = f32[8,256] cosine(x)
  z = f32[8,256] multiply(x, y)
  s = f32[8,32,8] reshape(z)
  k = f32[1,256] slice(z), slice={[0:1], [0:256]}
  l = f32[256] reshape(k)
)" + tail;
}

const std::string kTwoUses = fromPeak(R"(  m = f32[256] add(l, a)
  n = f32[256] add(m, e)
  ROOT o = f32[256] multiply(n, a)
}
)");

Literal run(const Module& module) {
  const auto arguments = makeArguments(module, 3);
  EXPECT_TRUE(arguments);
  auto result = evaluate(module, arguments->arguments);
  EXPECT_TRUE(result) << (result ? "" : toString(result.error()));
  return result ? *std::move(result) : Literal();
}

const RematerializedValue* find(const RematerializationResult& result, std::string_view name) {
  const auto found = std::ranges::find_if(
      result.values, [&](const RematerializedValue& v) { return v.instruction->name() == name; });
  return found == result.values.end() ? nullptr : &*found;
}

TEST(Rematerialization, RecomputesWhatIsCheap) {
  const auto module = scheduledModule(kTwoUses);
  const Literal before = run(*module);
  const auto result = rematerialize(*module, {});
  ASSERT_TRUE(result) << toString(result.error());
  // x and y, 8 KiB each, are live together with a and e, 1 KiB each; a leaves.
  EXPECT_EQ(result->bytesBefore - result->bytesAfter, 1024);
  ASSERT_NE(find(*result, "a"), nullptr);
  EXPECT_EQ(find(*result, "a")->action, RematerializedValue::Action::Recomputed);
  ASSERT_NE(find(*result, "e"), nullptr);
  EXPECT_EQ(find(*result, "e")->action, RematerializedValue::Action::Left);
  EXPECT_EQ(find(*result, "e")->reason, "its operand %t is gone by then");
  expectValidOrders(*module);
  EXPECT_EQ(run(*module), before);
}

TEST(Rematerialization, StopsAtTheLimit) {
  const auto module = scheduledModule(kTwoUses);
  const auto result = rematerialize(*module, {.limitBytes = int64_t{1} << 40});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->changed());
  EXPECT_TRUE(result->reachedLimit);
  const auto barred = rematerialize(*module, {.recompute = false, .compress = false});
  ASSERT_TRUE(barred);
  EXPECT_FALSE(barred->changed());
}

// 4 wide in tiles of 128: the other way round it takes a 32nd.
TEST(Rematerialization, KeepsCompactWhatIsPadded) {
  const Layout tiled{.minorToMajor = {1, 0}, .tiles = {{{8, 128}}}};
  const Shape wide = Shape::array(ElementType::F32, std::vector<int64_t>{1024, 4}, &tiled);
  EXPECT_EQ(paddedBytes(wide), 1024 * 128 * 4);
  EXPECT_EQ(paddedBytes(compactShape(wide)), 8 * 1024 * 4);
  const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[1024,4]{1,0:T(8,128)} parameter(0)
  t = f32[1024,4]{1,0:T(8,128)} tanh(p)
  e = f32[1024,4]{1,0:T(8,128)} exponential(t)
  x = f32[1024,1024]{1,0:T(8,128)} iota(), iota_dimension=0
  y = f32[1024,1024]{1,0:T(8,128)} cosine(x)
  z = f32[1024,1024]{1,0:T(8,128)} multiply(x, y)
  k = f32[1024,4]{1,0:T(8,128)} slice(z), slice={[0:1024], [0:4]}
  ROOT o = f32[1024,4]{1,0:T(8,128)} add(k, e)
}
)");
  const Literal before = run(*module);
  const auto result = rematerialize(*module, {});
  ASSERT_TRUE(result) << toString(result.error());
  ASSERT_NE(find(*result, "e"), nullptr);
  EXPECT_EQ(find(*result, "e")->action, RematerializedValue::Action::Compressed);
  EXPECT_EQ(result->bytesBefore - result->bytesAfter, (1024 * 128 - 8 * 1024) * 4);
  expectValidOrders(*module);
  EXPECT_EQ(run(*module), before);
}

TEST(Rematerialization, NeedsAnOrder) {
  auto module = scheduledModule(kTwoUses);
  module->set<Attr::IsScheduled>(false);
  const auto result = rematerialize(*module, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, "not-scheduled");
}

}  // namespace
}  // namespace hilo
