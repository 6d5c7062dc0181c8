// Modules that must have no findings: forms that XLA takes and that a stricter verifier would refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

std::vector<std::string> findings(const char* text) {
  const ParseResult parsed = parseModule(std::string(text), {.inferShape = inferShape});
  std::vector<std::string> texts;
  for (const Diagnostic& d : parsed.diagnostics) texts.push_back(toString(d));
  for (const Diagnostic& d : verify(*parsed.module)) texts.push_back(toString(d));
  return texts;
}

TEST(VerifyValid, FloatWidthsMix) {
  EXPECT_THAT(findings(R"(
ENTRY e {
  a = f32[4,8] parameter(0)
  b = bf16[8,4] parameter(1)
  d = bf16[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f64[] constant(0)
  w = f32[4,4] broadcast(c), dimensions={}
  ROOT s = bf16[4,4] maximum(d, w)
})"),
              testing::IsEmpty());
}

TEST(VerifyValid, LateBindingAsyncChain) {
  EXPECT_THAT(findings(R"(
w {
  x = f32[16] parameter(0)
  y = f32[16] parameter(1)
  ROOT add = f32[16] add(x, y)
}
ENTRY e {
  a = f32[16] parameter(0)
  b = f32[16] parameter(1)
  s = ((f32[16]), (), s32[]) async-start(a), calls=w
  u = ((f32[16], f32[16]), ()) async-update(s, b)
  ROOT d = f32[16] async-done(u)
})"),
              testing::IsEmpty());
}

TEST(VerifyValid, AsyncOpOnAnotherThread) {
  EXPECT_THAT(findings(R"(
f {
  q = f32[16] parameter(0)
  n = f32[16] negate(q)
  ROOT t = f32[16] tanh(n)
}, execution_thread="other"
ENTRY e {
  a = f32[16] parameter(0)
  s = ((f32[16]), f32[16], s32[]) call-start(a), async_execution_thread="other", to_apply=f
  ROOT d = f32[16] call-done(s)
})"),
              testing::IsEmpty());
}

TEST(VerifyValid, CollectivesOfUnknownDeviceCount) {
  EXPECT_THAT(findings(R"(
s {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT add = f32[] add(x, y)
}
ENTRY e {
  a = f32[8] parameter(0)
  t = f32[] constant(0)
  g = (f32[32], f32[]) all-gather(a, t), replica_groups={{0,1,2,3}}, dimensions={0}
  h = f32[32] get-tuple-element(g), index=0
  r = f32[4] reduce-scatter(h), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, dimensions={0}, to_apply=s
  ROOT p = f32[4] collective-permute(r), channel_id=2, source_target_pairs={{0,1},{1,2},{2,0}}
})"),
              testing::IsEmpty());
}

TEST(VerifyValid, ShardingsOfTuples) {
  EXPECT_THAT(findings(R"(
HloModule m, num_partitions=4
c {
  x = (f32[4,4], s32[]) parameter(0)
  ROOT t = pred[] constant(true)
}
b {
  ROOT y = (f32[4,4], s32[]) parameter(0), sharding={{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}, {replicated}}
}
ENTRY e {
  a = (f32[4,4], s32[]) parameter(0)
  ROOT w = (f32[4,4], s32[]) while(a), condition=c, body=b, sharding={{devices=[2,1,2]<=[4] last_tile_dim_replicate}, {replicated}}
})"),
              testing::IsEmpty());
}

TEST(VerifyValid, BuffersThroughALoop) {
  EXPECT_THAT(findings(R"(
c {
  x = (b(f32[4]), s32[]) parameter(0)
  ROOT t = pred[] constant(true)
}
b {
  y = (b(f32[4]), s32[]) parameter(0)
  buffer = b(f32[4]) get-tuple-element(y), index=0
  i = s32[] get-tuple-element(y), index=1
  one = f32[1] constant({1})
  written = b(f32[4]) dynamic-update-slice(buffer, one, i)
  ROOT next = (b(f32[4]), s32[]) tuple(written, i)
}
ENTRY e {
  a = f32[4] parameter(0)
  zero = s32[] constant(0)
  pinned = b(f32[4]) custom-call(a), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  start = (b(f32[4]), s32[]) tuple(pinned, zero)
  w = (b(f32[4]), s32[]) while(start), condition=c, body=b
  last = b(f32[4]) get-tuple-element(w), index=0
  ROOT u = f32[4] custom-call(last), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}
})"),
              testing::IsEmpty());
}

}  // namespace
}  // namespace hilo
