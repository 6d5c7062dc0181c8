// What layout assignment copies, what it makes the same bytes, and what it must leave as it is.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// The entry after layout-assignment and dce.
struct Assigned {
  explicit Assigned(const std::string& entry) {
    ParseResult parsed = parseModule("HloModule m\nENTRY e {\n" + entry + "\n}\n");
    CHECK(parsed.module != nullptr && !hasErrors(parsed.diagnostics), entry);
    run = runPasses(std::move(parsed.module), {findPass("layout-assignment"), findPass("dce")}, {});
    CHECK(run.completed());
  }
  size_t count(Opcode opcode) const {
    const auto all = run.output()->entry()->instructions();
    return static_cast<size_t>(
        std::ranges::count(std::vector<Instruction*>(all.begin(), all.end()), opcode, &Instruction::opcode));
  }
  std::string shapeOf(std::string_view name) const {
    const Instruction* found = run.output()->entry()->find(name);
    return found == nullptr ? "" : toString(found->shape());
  }
  PassRun run;
};

// Turned, worked on and turned back: the work is done in the order of the parameter.
TEST(LayoutAssignment, TurningThereAndBackCostsNothing) {
  const Assigned made(R"(
    x = f32[8,16,32,4] parameter(0)
    last = f32[8,4,16,32] transpose(x), dimensions={0,3,1,2}
    one = f32[] constant(1)
    ones = f32[8,4,16,32] broadcast(one), dimensions={}
    more = f32[8,4,16,32] add(last, ones)
    ROOT back = f32[8,16,32,4] transpose(more), dimensions={0,2,3,1})");
  EXPECT_EQ(made.count(Opcode::Transpose), 0);
  EXPECT_EQ(made.count(Opcode::Copy), 0);
  EXPECT_EQ(made.shapeOf("more"), "f32[8,4,16,32]{1,3,2,0}");
}

// The result must lie as it is stated: one move, by the transpose itself.
TEST(LayoutAssignment, TransposesThatAreAskedForStay) {
  const Assigned made(R"(
    x = f32[8,16] parameter(0)
    t = f32[16,8] transpose(x), dimensions={1,0}
    ROOT n = f32[16,8] negate(t))");
  EXPECT_EQ(made.count(Opcode::Transpose) + made.count(Opcode::Copy), 1);
}

TEST(LayoutAssignment, TheSmallerArrayIsCopied) {
  const Assigned made(R"(
    p = pred[64,64] parameter(0)
    x = f32[64,64] parameter(1)
    y = f32[64,64] parameter(2)
    t = f32[64,64] transpose(x), dimensions={1,0}
    u = f32[64,64] transpose(y), dimensions={1,0}
    s = f32[64,64] select(p, t, u)
    ROOT r = f32[64,64] dot(s, x), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
  EXPECT_EQ(made.count(Opcode::Copy), 1);
  EXPECT_EQ(made.shapeOf("copy"), "pred[64,64]{0,1}");
  EXPECT_EQ(made.count(Opcode::Transpose), 0);
  ASSERT_FALSE(made.run.steps[0].remarks.empty());
  const auto copied = std::ranges::find(made.run.steps[0].remarks, "copied", &Remark::kind);
  ASSERT_NE(copied, made.run.steps[0].remarks.end());
  EXPECT_EQ(copied->message, "4096 bytes: %s wants %p in {0,1}, as all it works on; it has {1,0}");
}

TEST(LayoutAssignment, ConstantsAreMadeAsTheyAreWanted) {
  const Assigned made(R"(
    x = f32[3,2] parameter(0)
    t = f32[2,3] transpose(x), dimensions={1,0}
    c = f32[2,3] constant({{1,2,3},{4,5,6}})
    s = f32[2,3] add(t, c)
    ROOT b = f32[3,2] transpose(s), dimensions={1,0})");
  EXPECT_EQ(made.count(Opcode::Copy), 0);
  EXPECT_EQ(made.count(Opcode::Transpose), 0);
  EXPECT_EQ(made.shapeOf("s"), "f32[2,3]{0,1}");
}

// An update in place, a tuple: they see what the module says, and so does the caller.
TEST(LayoutAssignment, OthersSeeWhatTheModuleStates) {
  const Assigned made(R"(
    x = f32[64,32]{0,1} parameter(0)
    n = f32[64,32] negate(x)
    u = f32[1,32] parameter(1)
    zero = s32[] constant(0)
    c = f32[64,32] dynamic-update-slice(n, u, zero, zero)
    g = f32[32,64] transpose(c), dimensions={1,0}
    ROOT r = (f32[64,32], f32[32,64]) tuple(c, g))");
  EXPECT_EQ(made.shapeOf("x"), "f32[64,32]{0,1}");
  EXPECT_EQ(made.shapeOf("c"), "f32[64,32]");
  const Instruction* tuple = made.run.output()->entry()->root();
  EXPECT_EQ(toString(tuple->shape()), "(f32[64,32], f32[32,64])");
  for (const Instruction* element : tuple->operands()) EXPECT_EQ(element->shape().layout(), nullptr);
}

// A copy into the order that a convolution wants: its operand is made in that order at once.
TEST(LayoutAssignment, CopiesGoWhereTheOperandCanLieSo) {
  const Assigned made(R"(
    x = f32[8,3,16,16]{1,3,2,0} parameter(0)
    n = f32[8,3,16,16] negate(x)
    c = f32[8,3,16,16]{1,3,2,0} copy(n)
    k = f32[3,3,3,8] parameter(1)
    ROOT r = f32[8,8,14,14] convolution(c, k), window={size=3x3}, dim_labels=bf01_01io->bf01)");
  EXPECT_EQ(made.count(Opcode::Copy), 0);
  EXPECT_EQ(made.shapeOf("n"), "f32[8,3,16,16]{1,3,2,0}");
}

// A product whose summed dimensions lie apart: its operand is moved so that they do not.
TEST(LayoutAssignment, ProductsGetDimensionsInOneStride) {
  const Assigned made(R"(
    x = f32[32,16,32] parameter(0)
    w = f32[1024,64] parameter(1)
    v = f32[32,32,64] reshape(w)
    ROOT r = f32[16,64] dot(x, v), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1})");
  EXPECT_EQ(made.count(Opcode::Copy), 1);
  EXPECT_EQ(made.shapeOf("copy"), "f32[32,16,32]{2,0,1}");
  EXPECT_EQ(made.count(Opcode::Reshape), 1);
}

}  // namespace
}  // namespace hilo
