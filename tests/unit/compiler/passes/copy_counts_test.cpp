// How many copies modules need, one a row: the counts XLA's copy_insertion_test.cc asserts of modules
// of this form.
#include <gtest/gtest.h>

#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

struct CopyCount {
  const char* name;
  size_t copies;
  const char* module;
};

constexpr const char* kLoopOfTwo = R"(
cond { q = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(q), index=0 k = s32[] constant(9) ROOT c = pred[] compare(i, k), direction=LT }
)";

const CopyCount kCounts[] = {
    {"NestedTupleParameter", 3, R"(ENTRY e {
  p = ((f32[], s32[1]), f32[42]) parameter(0)
  g0 = (f32[], s32[1]) get-tuple-element(p), index=0
  g1 = f32[42] get-tuple-element(p), index=1
  ROOT t = (f32[42], (f32[], s32[1])) tuple(g1, g0) })"},
    {"ElementOfNestedTupleParameter", 2, R"(ENTRY e {
  p = ((f32[], s32[1]), f32[42]) parameter(0)
  ROOT g0 = (f32[], s32[1]) get-tuple-element(p), index=0 })"},
    {"BitcastOfATupleElement", 1, R"(ENTRY e {
  p = (f32[4]) parameter(0)
  g = f32[4] get-tuple-element(p), index=0
  ROOT b = f32[2,2] bitcast(g) })"},
    {"TokensAreNotCopied", 0, R"(ENTRY e {
  k = token[] after-all()
  ROOT t = (token[]) tuple(k) })"},
    {"InitOfConstants", 2, R"(LOOP
body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1) n = s32[] add(i, one) s = f32[8] add(v, v) ROOT r = (s32[], f32[8]) tuple(n, s) }
ENTRY e { z = s32[] constant(0) c = f32[8] constant({1,2,3,4,5,6,7,8}) t = (s32[], f32[8]) tuple(z, c)
  ROOT w = (s32[], f32[8]) while(t), condition=cond, body=body })"},
    {"InitOfParameters", 2, R"(LOOP
body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1) n = s32[] add(i, one) s = f32[8] add(v, v) ROOT r = (s32[], f32[8]) tuple(n, s) }
ENTRY e { z = s32[] parameter(0) c = f32[8] parameter(1) t = (s32[], f32[8]) tuple(z, c)
  ROOT w = (s32[], f32[8]) while(t), condition=cond, body=body })"},
    {"AStateThatDependsOnAnother", 1, R"(LOOP
body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1) n = s32[] add(i, one) f = f32[] convert(i) b = f32[8] broadcast(f), dimensions={} s = f32[8] add(v, b) ROOT r = (s32[], f32[8]) tuple(n, s) }
ENTRY e { a = s32[] parameter(0) z = s32[] negate(a) d = f32[8] parameter(1) c = f32[8] negate(d) t = (s32[], f32[8]) tuple(z, c)
  ROOT w = (s32[], f32[8]) while(t), condition=cond, body=body })"},
    {"ABodyThatGivesBackAConstant", 2, R"(
cond { q = f32[] parameter(0) ROOT c = pred[] constant(false) }
body { p = f32[] parameter(0) ROOT k = f32[] constant(123) }
ENTRY e { x = f32[] parameter(0) ROOT w = f32[] while(x), condition=cond, body=body })"},
    {"CrossedAliases", 4, R"(ALIAS { {0}: (0, {1}), {1}: (0, {0}) }
ENTRY e { p = (f32[], f32[]) parameter(0) g0 = f32[] get-tuple-element(p), index=0 g1 = f32[] get-tuple-element(p), index=1
  ROOT t = (f32[], f32[]) tuple(g0, g1) })"},
    {"AliasesThatStay", 0, R"(ALIAS { {0}: (0, {0}), {1}: (0, {1}) }
ENTRY e { p = (f32[], f32[]) parameter(0) g0 = f32[] get-tuple-element(p), index=0 g1 = f32[] get-tuple-element(p), index=1
  ROOT t = (f32[], f32[]) tuple(g0, g1) })"},
    {"AliasesInTwoPairs", 0, R"(ALIAS { {1}: (0, {}), {3}: (1, {}) }
fused { x = f32[3] parameter(0) y = f32[] parameter(1) b = f32[3] broadcast(y), dimensions={} ROOT s = f32[3] add(x, b) }
ENTRY e { p = f32[3] parameter(0) q = f32[] parameter(1) f = f32[3] fusion(p, q), kind=kLoop, calls=fused n = f32[] negate(q)
  ROOT t = (f32[3], f32[3], f32[], f32[]) tuple(f, p, n, q) })"},
    {"AnUpdateOfAnUpdate", 1,
     R"(ENTRY e { i = s32[] parameter(0) u = f32[2] parameter(1) io = f32[8] iota(), iota_dimension=0
  a = f32[8] dynamic-update-slice(io, u, i) b = f32[8] dynamic-update-slice(a, u, i) ROOT s = f32[8] add(a, b) })"},
    {"AFusedUpdateOfWhatIsStillRead", 1, R"(
fused { x = f32[8] parameter(0) y = f32[2] parameter(1) z = s32[] parameter(2) ROOT d = f32[8] dynamic-update-slice(x, y, z) }
ENTRY e { i = s32[] parameter(0) u = f32[2] parameter(1) io = f32[8] iota(), iota_dimension=0 n = f32[8] negate(io)
  f = f32[8] fusion(n, u, i), kind=kLoop, calls=fused ROOT s = f32[8] add(f, n) })"},
    {"AFusedUpdateOfWhatIsNot", 0, R"(
fused { x = f32[8] parameter(0) y = f32[2] parameter(1) z = s32[] parameter(2) ROOT d = f32[8] dynamic-update-slice(x, y, z) }
ENTRY e { i = s32[] parameter(0) u = f32[2] parameter(1) io = f32[8] iota(), iota_dimension=0 n = f32[8] negate(io)
  ROOT f = f32[8] fusion(n, u, i), kind=kLoop, calls=fused })"},
    {"AScatterOfOneOperandTwice", 1, R"(
two { a0 = s32[] parameter(0) a1 = s32[] parameter(1) a2 = s32[] parameter(2) a3 = s32[] parameter(3) m = s32[] add(a0, a2) n = s32[] add(a1, a3) ROOT t = (s32[], s32[]) tuple(m, n) }
ENTRY e { io = s32[3,3] iota(), iota_dimension=0 j = s32[2] parameter(0) u = s32[2,3] parameter(1)
  ROOT s = (s32[3,3], s32[3,3]) scatter(io, io, j, u, u), to_apply=two, update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1 })"},
    {"ACallThatWritesOverAParameter", 1, R"(ENTRY e { p = f32[8] parameter(0)
  ROOT c = f32[8] custom-call(p), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})} })"},
    {"ACallThatWritesOverWhatIsReadAgain", 1, R"(ENTRY e { p = f32[8] parameter(0) n = f32[8] negate(p)
  c = f32[8] custom-call(n), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})} ROOT s = f32[8] add(n, c) })"},
    {"ACallThatWritesOverATemporary", 0, R"(ENTRY e { p = f32[8] parameter(0) n = f32[8] negate(p)
  ROOT c = f32[8] custom-call(n), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})} })"},
    {"AValueThatIsPinnedAndReadAgain", 1, R"(ENTRY e { p = f32[8] parameter(0) d = f32[8] negate(p)
  b = b(f32[8]) custom-call(d), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  u = f32[8] custom-call(b), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})} ROOT s = f32[8] add(u, d) })"},
    {"ABranchThatSwaps", 3, R"(
yes { y = (f32[4], f32[4]) parameter(0) y0 = f32[4] get-tuple-element(y), index=0 y1 = f32[4] get-tuple-element(y), index=1 s = f32[4] add(y0, y1) ROOT yt = (f32[4], f32[4]) tuple(y0, s) }
no { z = (f32[4], f32[4]) parameter(0) z0 = f32[4] get-tuple-element(z), index=0 z1 = f32[4] get-tuple-element(z), index=1 ROOT zt = (f32[4], f32[4]) tuple(z1, z0) }
ENTRY e { p = pred[] parameter(0) a = f32[4] parameter(1) b = f32[4] parameter(2) m = f32[4] negate(a) n = f32[4] negate(b) t = (f32[4], f32[4]) tuple(m, n)
  ROOT c = (f32[4], f32[4]) conditional(p, t, t), true_computation=yes, false_computation=no })"},
    {"AnAsynchronousUpdateOfATemporary", 0, R"(
wrapped { x = s32[8] parameter(0) y = s32[1] parameter(1) z = s32[] parameter(2) ROOT d = s32[8] dynamic-update-slice(x, y, z) }
ENTRY e { io = s32[8] iota(), iota_dimension=0 u = s32[1] parameter(0) i = s32[] parameter(1)
  s = ((s32[8], s32[1], s32[]), s32[8], u32[]) async-start(io, u, i), calls=wrapped ROOT d2 = s32[8] async-done(s) })"},
};

std::string textOf(const CopyCount& row) {
  std::string text = row.module, header = "HloModule m";
  if (text.starts_with("ALIAS ")) {
    const size_t end = text.find('\n');
    header += ", input_output_alias=" + text.substr(6, end - 6);
    text.erase(0, end);
  }
  if (text.starts_with("LOOP")) text = kLoopOfTwo + text.substr(4);
  return header + "\n" + text;
}

class CopyCounts : public testing::TestWithParam<CopyCount> {};

TEST_P(CopyCounts, AreXlas) {
  auto module = parseModuleStrictly(textOf(GetParam()));
  ASSERT_TRUE(module) << toString(module.error());
  PassContext context;
  ASSERT_TRUE(insertCopies(**module, context));
  size_t copies = 0;
  std::string reasons;
  for (const Computation* computation : (*module)->computations()) {
    for (const Instruction* instruction : computation->instructions())
      copies += instruction->opcode() == Opcode::Copy;
  }
  for (const Remark& remark : context.remarks())
    reasons += fmt::format("{}: {}\n", remark.name, remark.message);
  EXPECT_EQ(copies, GetParam().copies) << reasons;
  EXPECT_FALSE(hasErrors(verify(**module, {})));
}

INSTANTIATE_TEST_SUITE_P(All, CopyCounts, testing::ValuesIn(kCounts),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hilo
