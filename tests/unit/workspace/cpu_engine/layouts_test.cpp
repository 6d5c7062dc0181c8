// What layouts save: an attention block takes its products and its elementwise kernels, and nothing that
// only moves data.
#include "tests/unit/workspace/cpu_engine/same_bits.h"

namespace hilo {
namespace {

constexpr std::string_view kAttention = R"(HloModule m
ENTRY e {
  x = f32[2,32,64] parameter(0)
  wq = f32[64,64] parameter(1)
  wk = f32[64,64] parameter(2)
  wv = f32[64,64] parameter(3)
  wo = f32[64,64] parameter(4)
  q = f32[2,32,64] dot(x, wq), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  k = f32[2,32,64] dot(x, wk), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  v = f32[2,32,64] dot(x, wv), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  qs = f32[2,32,64] sign(q)
  ks = f32[2,32,64] sign(k)
  vs = f32[2,32,64] sign(v)
  qr = f32[2,32,4,16] reshape(qs)
  kr = f32[2,32,4,16] reshape(ks)
  vr = f32[2,32,4,16] reshape(vs)
  qt = f32[2,4,32,16] transpose(qr), dimensions={0,2,1,3}
  kt = f32[2,4,32,16] transpose(kr), dimensions={0,2,1,3}
  vt = f32[2,4,32,16] transpose(vr), dimensions={0,2,1,3}
  scores = f32[2,4,32,32] dot(qt, kt), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  weights = f32[2,4,32,32] sign(scores)
  mixed = f32[2,4,32,16] dot(weights, vt), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}
  back = f32[2,32,4,16] transpose(mixed), dimensions={0,2,1,3}
  joined = f32[2,32,64] reshape(back)
  turned = f32[64,64] transpose(wo), dimensions={1,0}
  ROOT out = f32[2,32,64] dot(joined, turned), lhs_contracting_dims={2}, rhs_contracting_dims={0}
})";

TEST(LayoutsOnCpu, AttentionMovesNothing) {
  EXPECT_TRUE(expectTheSameBits(std::string(kAttention), ThunkKind::Dot));
  auto compiled =
      compileProgram(*parseModuleStrictly(std::string(kAttention)), {.usesCache = false, .quick = true}, {});
  ASSERT_TRUE(compiled.has_value());
  const ThunkSequence& thunks = compiled->program.sequences[0];
  // Six products, four kernels of signs.
  EXPECT_EQ(thunks.size(), 10) << toText(compiled->program);
}

}  // namespace
}  // namespace hilo
