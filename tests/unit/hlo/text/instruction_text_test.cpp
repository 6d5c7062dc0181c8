#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parse(const std::string& text, const ParseOptions& options = {}) {
  ParseResult result = parseModule(text, options);
  for (const Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << toString(diagnostic);
  return std::move(result.module);
}

TEST(InstructionText, BuildsTheGraph) {
  const auto module = parse(
      "ENTRY e {\n  p = f32[2] parameter(1)\n  q = f32[2] parameter(0)\n"
      "  a = f32[2] add(p, q)\n  ROOT m = f32[2] multiply(a, a)\n  n = f32[2] negate(p)\n}\n");
  const Computation& entry = *module->entry();
  Instruction* p = entry.find("p");
  Instruction* a = entry.find("a");
  EXPECT_EQ(entry.root()->name(), "m");
  EXPECT_EQ(entry.parameters()[1], p);
  EXPECT_EQ(p->users().size(), 2u);
  EXPECT_EQ(a->users().size(), 1u);
  EXPECT_EQ(entry.root()->operand(1), a);
  EXPECT_EQ(a->sourceOffset(),
            std::string("ENTRY e {\n  p = f32[2] parameter(1)\n  q = f32[2] parameter(0)\n  ").size());
}

TEST(InstructionText, InstructionsInPlaceGetNames) {
  const auto module = parse(
      "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = f32[] add(f32[] maximum(x, x), f32[] maximum(x, "
      "x))\n}\n");
  const Instruction& root = *module->entry()->root();
  EXPECT_EQ(root.operand(0)->name(), "maximum.anon");
  EXPECT_EQ(root.operand(1)->name(), "maximum.anon.1");
  EXPECT_EQ(root.operand(0)->next(), root.operand(1));
}

TEST(InstructionText, ComputationsInPlaceBecomeComputations) {
  const auto module = parse(
      "ENTRY e {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply={\n    x = f32[] parameter(0)\n"
      "    y = f32[] parameter(1)\n    ROOT s = f32[] add(x, y)\n  }\n}\n");
  ASSERT_EQ(module->computations().size(), 2u);
  const Computation* called = module->entry()->root()->get<Attr::ToApply>();
  EXPECT_EQ(called, module->computations()[0]);
  EXPECT_EQ(called->name(), "r.computation");
  EXPECT_EQ(called->root()->operand(0), called->find("x"));
}

TEST(InstructionText, BareInstructionsMakeTheirParameters) {
  const auto module = parse("ROOT r = f32[2] add(f32[2] a, f32[2])\n");
  ASSERT_EQ(module->entry()->parameters().size(), 2u);
  EXPECT_EQ(module->entry()->parameters()[0]->name(), "a");
  EXPECT_EQ(module->entry()->root()->name(), "r");
  const auto unnamed = parse("f32[2] negate(f32[2] %a)");
  EXPECT_EQ(unnamed->entry()->root()->opcode(), Opcode::Negate);
}

TEST(InstructionText, SugaredAsyncOperationsImplyTheirComputation) {
  const std::string text =
      "HloModule m\n\nENTRY %e (p: f32[4]) -> f32[2] {\n  %p = f32[4]{0} parameter(0)\n"
      "  %s = ((f32[4]{0}), f32[2]{0}, u32[]) slice-start(%p), async_execution_thread=\"t\", slice={[0:2]}, "
      "metadata={op_name=\"n\"}\n"
      "  %u = ((f32[4]{0}), f32[2]{0}, u32[]) slice-update(%s)\n  ROOT %d = f32[2]{0} slice-done(%u)\n}\n\n";
  const auto module = parse(text);
  const Instruction* start = module->entry()->find("s");
  EXPECT_EQ(start->opcode(), Opcode::AsyncStart);
  const Computation* wrapped = start->get<Attr::Calls>();
  ASSERT_NE(wrapped, nullptr);
  EXPECT_EQ(wrapped->root()->opcode(), Opcode::Slice);
  EXPECT_EQ(wrapped->root()->get<Attr::Slice>()[0].limit, 2);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::AsyncDone);
  EXPECT_EQ(printModule(*module, PrintOptions::asRead(*module)), text);
}

TEST(InstructionText, GenericAsyncOperationsStayGeneric) {
  const std::string text =
      "HloModule m\n\n%w (q: f32[4]) -> f32[4] {\n  %q = f32[4]{0} parameter(0)\n  ROOT %n = f32[4]{0} "
      "negate(%q)\n}\n\n"
      "ENTRY %e (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n"
      "  %s = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(%p), calls=%w\n  ROOT %d = f32[4]{0} "
      "async-done(%s)\n}\n\n";
  const auto module = parse(text);
  EXPECT_EQ(printModule(*module, PrintOptions::asRead(*module)), text);
  EXPECT_NE(printModule(*module).find("negate-start(%p)"), std::string::npos);
}

TEST(InstructionText, AMissingShapeIsInferred) {
  const ParseOptions options{.inferShape = [](const Instruction& instruction) -> Result<Shape> {
    return instruction.operand(0)->shape();
  }};
  const auto module = parse("ENTRY e {\n  x = f32[3] parameter(0)\n  ROOT n = negate(x)\n}\n", options);
  EXPECT_EQ(toString(module->entry()->root()->shape()), "f32[3]");
}

}  // namespace
}  // namespace hilo
