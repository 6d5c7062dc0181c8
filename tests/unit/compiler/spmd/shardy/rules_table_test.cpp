// Shardy's rule of each kind of operation, one a row: which dimensions are cut together, in Shardy's text.
// The modules are Hilo's own.
#include <gtest/gtest.h>

#include "core/compiler/spmd/shardy/attribute_text.h"
#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/hlo/text/parse.h"

namespace hilo::sdy {
namespace {

struct RuleRow {
  const char* name;
  const char* expected;  // between "op_sharding_rule<" and ">"
  const char* body;      // the root has the rule
};

constexpr RuleRow kRows[] = {
    {"Elementwise", "([i, j], [i, j])->([i, j]) {i=4, j=6}", R"(
  a = f32[4,6] parameter(0)
  b = f32[4,6] parameter(1)
  ROOT r = f32[4,6] multiply(a, b))"},
    {"Dot", "([i, k], [k, j])->([i, j]) {i=4, j=5, k=6} reduction={k}", R"(
  a = f32[4,6] parameter(0)
  b = f32[6,5] parameter(1)
  ROOT r = f32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"DotOfBatches", "([i, j, l], [i, l, k])->([i, j, k]) {i=3, j=4, k=5, l=6} reduction={l}", R"(
  a = f32[3,4,6] parameter(0)
  b = f32[3,6,5] parameter(1)
  ROOT r = f32[3,4,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})"},
    {"Transpose", "([j, i])->([i, j]) {i=6, j=4}", R"(
  a = f32[4,6] parameter(0)
  ROOT r = f32[6,4] transpose(a), dimensions={1,0})"},
    {"Broadcast", "([j])->([i, j]) {i=5, j=4}", R"(
  a = f32[4] parameter(0)
  ROOT r = f32[5,4] broadcast(a), dimensions={1})"},
    {"ReshapeJoins", "([i, j])->([ij]) {i=3, j=4}", R"(
  a = f32[3,4] parameter(0)
  ROOT r = f32[12] reshape(a))"},
    {"ReshapeSplits", "([ij, k])->([i, j, k]) {i=3, j=4, k=5}", R"(
  a = f32[12,5] parameter(0)
  ROOT r = f32[3,4,5] reshape(a))"},
    {"Slice", "([i, j])->([i, j]) {i=8, j=4} permutation={i}", R"(
  a = f32[8,4] parameter(0)
  ROOT r = f32[6,4] slice(a), slice={[1:7], [0:4]})"},
    {"Reverse", "([i, j])->([i, j]) {i=8, j=4} permutation={j}", R"(
  a = f32[8,4] parameter(0)
  ROOT r = f32[8,4] reverse(a), dimensions={1})"},
    {"Pad", "([i, j], [])->([i, j]) {i=8, j=4} permutation={i}", R"(
  a = f32[8,4] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[10,4] pad(a, z), padding=1_1x0_0)"},
    {"DynamicSlice", "([i, j], [], [])->([i, j]) {i=8, j=4} need_replication={i} blocked_propagation={i}", R"(
  a = f32[8,4] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT r = f32[2,4] dynamic-slice(a, i, j), dynamic_slice_sizes={2,4})"},
    {"DynamicUpdateSlice", "([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=4} need_replication={j}", R"(
  a = f32[8,4] parameter(0)
  u = f32[2,4] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = f32[8,4] dynamic-update-slice(a, u, i, j))"},
    {"Concatenate", "([i, j], [i, j])->([i, j]) {i=3, j=12} need_replication={j}", R"(
  a = f32[3,4] parameter(0)
  b = f32[3,8] parameter(1)
  ROOT r = f32[3,12] concatenate(a, b), dimensions={1})"},
    {"Sort", "([i, j])->([i, j]) {i=3, j=4} need_replication={j}", R"(
less { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = pred[] compare(x, y), direction=LT }
ENTRY e {
  a = f32[3,4] parameter(0)
  ROOT r = f32[3,4] sort(a), dimensions={1}, to_apply=less
})"},
    {"Reduce", "([i, j], [])->([i]) {i=3, j=4} reduction={j}", R"(
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[3,4] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[3] reduce(a, z), dimensions={1}, to_apply=add
})"},
    {"Fft", "([i, j])->([i, j]) {i=3, j=8} need_replication={j}", R"(
  a = c64[3,8] parameter(0)
  ROOT r = c64[3,8] fft(a), fft_type=FFT, fft_length={8})"},
    {"Cholesky", "([i, j, k])->([i, j, k]) {i=3, j=4, k=4} need_replication={j, k}", R"(
  a = f32[3,4,4] parameter(0)
  ROOT r = f32[3,4,4] cholesky(a), lower=true)"},
    {"Select", "([i], [i], [i])->([i]) {i=4}", R"(
  p = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  ROOT r = f32[4] select(p, a, b))"},
    {"BitcastConvertToFewer", "([i, j])->([i]) {i=3, j=2} need_replication={j}", R"(
  a = u16[3,2] parameter(0)
  ROOT r = u32[3] bitcast-convert(a))"},
    {"ConvolutionOfImages",
     "([i, jk, lm, n], [k, m, n, o])->([i, j, l, o]) {i=2, j=8, k=3, l=8, m=3, n=4, o=5} reduction={k, m, n} "
     "permutation={j, l}",
     R"(
  x = f32[2,24,24,4] parameter(0)
  k = f32[3,3,4,5] parameter(1)
  ROOT r = f32[2,8,8,5] convolution(x, k), window={size=3x3 stride=3x3}, dim_labels=b01f_01io->b01f)"},
};

class ShardyRuleTable : public testing::TestWithParam<RuleRow> {};

TEST_P(ShardyRuleTable, Holds) {
  const std::string body = GetParam().body;
  const std::string text =
      "HloModule m\n" + (body.find("ENTRY") != body.npos ? body : "ENTRY e {" + body + "\n}");
  const auto module = parseModuleStrictly(text + "\n");
  ASSERT_TRUE(module) << toString(module.error());
  const auto rule = shardingRule(*(*module)->entry()->root());
  ASSERT_TRUE(rule);
  EXPECT_EQ(toString(*rule), std::string("#sdy.op_sharding_rule<") + GetParam().expected + ">");
}

INSTANTIATE_TEST_SUITE_P(Rows, ShardyRuleTable, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace hilo::sdy
