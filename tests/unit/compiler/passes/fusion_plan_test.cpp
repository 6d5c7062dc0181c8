#include "core/compiler/passes/fusion/fusion_plan.h"

#include <gtest/gtest.h>

#include "core/compiler/codegen/cpu/choices/cpu_costs.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// "root <- member member" of each kernel, constants left out; then the reasons by name.
struct Told {
  std::vector<std::string> kernels;
  std::map<std::string, std::string, std::less<>> missed;
};

Told planOf(const std::string& body) {
  const ParseResult parsed = parseModule(
      "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n" +
      body + "}\n");
  CHECK(parsed.module != nullptr && !hasErrors(parsed.diagnostics), body);
  const FusionPlan plan = planLoopFusion(*parsed.module->entry(), cpuCosts());
  Told told;
  for (const FusionGroup& group : plan.groups) {
    std::string& text = told.kernels.emplace_back(fmt::format("{} <-", group.root().name()));
    for (const Instruction* member : group.members) {
      if (member != &group.root() && member->opcode() != Opcode::Constant)
        text += fmt::format(" {}", member->name());
    }
  }
  for (const FusionVerdict& verdict : plan.verdicts) {
    if (!verdict.fused) told.missed[std::string(verdict.instruction->name())] = verdict.reason;
  }
  return told;
}

using Kernels = std::vector<std::string>;

TEST(FusionPlan, AChainIsOneKernel) {
  EXPECT_EQ(planOf("x = f32[100] parameter(0)\n n = f32[100] negate(x)\n e = f32[100] exponential(n)\n"
                   "ROOT t = f32[100] tanh(e)\n")
                .kernels,
            Kernels{"t <- e n"});
}

TEST(FusionPlan, AValueTwoKernelsNeedIsWorkedOutTwiceWhenThatIsCheap) {
  // Products keep the two users in kernels of their own.
  const std::string text =
      "x = f32[500,500] parameter(0)\n  p = f32[500,500] {}(x)\n"
      "a = f32[500,500] add(p, x)\n  b = f32[500,500] multiply(p, x)\n"
      "ROOT d = f32[500,500] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n";
  EXPECT_EQ(planOf(fmt::format(fmt::runtime(text), "negate")).kernels, (Kernels{"a <- p", "b <- p"}));
  const Told power = planOf(fmt::format(fmt::runtime(text), "cbrt"));
  EXPECT_EQ(power.kernels, Kernels{});
  EXPECT_NE(power.missed.at("p").find("computing 5e+05 elements for 250000"), std::string::npos);
}

TEST(FusionPlan, ADiamondOfElementwiseWorkIsWorkedOutOnce) {
  std::string text = "x0 = f32[10000] parameter(0)\n";
  for (int i = 0; i < 20; ++i)
    text +=
        fmt::format("t{} = f32[10000] tanh(x{})\n x{} = f32[10000] multiply(t{}, x{})\n", i, i, i + 1, i, i);
  EXPECT_EQ(planOf(text + "ROOT r = f32[10000] negate(x20)\n").kernels.size(), 1u);
}

TEST(FusionPlan, SumsRunOnce) {
  const Told told = planOf(
      "x = f32[64,64] parameter(0)\n z = f32[] constant(0)\n"
      "s = f32[64] reduce(x, z), dimensions={0}, to_apply=add\n"
      "w = f32[64,64] broadcast(s), dimensions={1}\n ROOT y = f32[64,64] subtract(x, w)\n");
  EXPECT_EQ(told.kernels, Kernels{"y <- w"});
  EXPECT_EQ(told.missed.at("s"), "%y would compute each of its sums more than once");
}

TEST(FusionPlan, SumsOfRowsJoinWhatNeedsThemRowByRow) {
  const std::string softmax =
      "x = f32[64,256] parameter(0)\n z = f32[] constant(0)\n"
      "a = f32[64] reduce(x, z), dimensions={1}, to_apply=add\n"
      "b = f32[64,256] broadcast(a), dimensions={0}\n c = f32[64,256] subtract(x, b)\n"
      "d = f32[64,256] exponential(c)\n e = f32[64] reduce(d, z), dimensions={1}, to_apply=add\n"
      "f = f32[64,256] broadcast(e), dimensions={0}\n";
  EXPECT_EQ(planOf(softmax + "ROOT g = f32[64,256] divide(d, f)\n").kernels, Kernels{"g <- f e d c b a"});
  // A turned result has no rows of its operand.
  EXPECT_EQ(
      planOf(softmax + "g = f32[64,256] divide(d, f)\n ROOT h = f32[256,64] transpose(g), dimensions={1,0}\n")
          .kernels,
      Kernels{"g <- f e d c b a"});
}

TEST(FusionPlan, SumsOfTheSameRowsMayEndInOneElementARow) {
  const std::string text =
      "x = f32[64,256] parameter(0)\n z = f32[] constant(0)\n"
      "a = f32[64] reduce(x, z), dimensions={1}, to_apply=add\n"
      "b = f32[64,256] broadcast(a), dimensions={0}\n c = f32[64,256] subtract(x, b)\n"
      "d = f32[64,256] exponential(c)\n e = f32[64] reduce(d, z), dimensions={1}, to_apply=add\n";
  EXPECT_EQ(planOf(text + "ROOT l = f32[64] log(e)\n").kernels, Kernels{"l <- e d c b a"});
  // Rows of another array are not gone over at the same time.
  const Told told = planOf(
      "x = f32[64,256] parameter(0)\n w = f32[64,100] parameter(1)\n z = f32[] constant(0)\n"
      "a = f32[64] reduce(w, z), dimensions={1}, to_apply=add\n"
      "b = f32[64,256] broadcast(a), dimensions={0}\n c = f32[64,256] subtract(x, b)\n"
      "e = f32[64] reduce(c, z), dimensions={1}, to_apply=add\n ROOT l = f32[64] log(e)\n");
  EXPECT_EQ(told.missed.at("a"), "%l depends on another reduction of its kernel");
}

TEST(FusionPlan, NothingReadsWhatIsWrittenInPlaceFirst) {
  const Told told = planOf(
      "x = f32[64] parameter(0)\n i = s32[] parameter(1)\n u = f32[8] parameter(2)\n"
      "old = f32[64] negate(x)\n new = f32[64] dynamic-update-slice(x, u, i)\n"
      "ROOT r = f32[64] add(old, new)\n");
  EXPECT_EQ(told.kernels, Kernels{});
  EXPECT_EQ(told.missed.at("old"), "it would read %x after %new has written over it");
}

TEST(FusionPlan, ControlDependenciesKeepAnInstructionApart) {
  EXPECT_EQ(planOf("x = f32[100] parameter(0)\n n = f32[100] negate(x)\n e = f32[100] exponential(n)\n"
                   "ROOT t = f32[100] tanh(e), control-predecessors={n}\n")
                .kernels,
            Kernels{});
}

}  // namespace
}  // namespace hilo
