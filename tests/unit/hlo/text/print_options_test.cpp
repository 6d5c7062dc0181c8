#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

const std::string kModule =
    "HloModule m, is_scheduled=true\n\n"
    "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%a, %b)\n}\n\n"
    "ENTRY %e (p: f32[12]) -> f32[] {\n  %p = f32[12]{0} parameter(0)\n"
    "  %c = f32[12]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), metadata={op_name=\"n\"}\n"
    "  %z = f32[] constant(0)\n"
    "  ROOT %r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%add, control-predecessors={%c}, "
    "backend_config={\"b\":1,\"a\":2}\n"
    "}\n\n";

std::unique_ptr<Module> module() { return parseModule(kModule).module; }

std::string root(const PrintOptions& options) {
  return printInstruction(*module()->entry()->root(), options);
}

TEST(PrintOptions, LongElidesLargeConstants) {
  std::string expected = kModule;
  const std::string values = "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}";
  expected.replace(expected.find(values), values.size(), "{...}");
  EXPECT_EQ(printModule(*module(), PrintOptions::longText()), expected);
}

TEST(PrintOptions, ShortHasNoPercentSignatureMetadataOrControlEdges) {
  EXPECT_EQ(
      printModule(*module(), PrintOptions::shortText()),
      "HloModule m, is_scheduled=true\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\n\nENTRY e {\n  p = f32[12]{0} parameter(0)\n"
      "  c = f32[12]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add, backend_config={\"b\":1,\"a\":2}\n}\n\n");
}

TEST(PrintOptions, CanonicalNamesNothingAndPrintsBodies) {
  EXPECT_EQ(root(PrintOptions::canonical()),
            "f32[] reduce(f32[12]{0}, f32[]), dimensions={0}, to_apply=\n{\n  tmp_0 = f32[] parameter(0)\n"
            "  tmp_1 = f32[] parameter(1)\n  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n}");
}

TEST(PrintOptions, FingerprintsDoNotSeeNames) {
  std::string renamed = kModule;
  for (size_t at = 0; (at = renamed.find("%r", at)) != std::string::npos;) renamed.replace(at, 2, "%other");
  const auto options = PrintOptions::fingerprint();
  EXPECT_EQ(printModule(*module(), options), printModule(*parseModule(renamed).module, options));
}

TEST(PrintOptions, EachSwitchAlone) {
  PrintOptions options;
  options.backendConfig = false;
  options.controlPredecessors = false;
  EXPECT_EQ(root(options), "%r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%add");
  options.operandShapes = true;
  options.layouts = false;
  EXPECT_EQ(root(options), "%r = f32[] reduce(f32[12] %p, f32[] %z), dimensions={0}, to_apply=%add");
  options.operandShapes = false;
  options.subcomputations = PrintOptions::Subcomputations::Off;
  options.extraAttributes = false;
  options.resultShapes = false;
  EXPECT_EQ(root(options), "%r = reduce(%p, %z)");
  PrintOptions sorted;
  sorted.sortBackendConfig = true;
  EXPECT_NE(root(sorted).find("backend_config={\"a\":2,\"b\":1}"), std::string::npos);
}

TEST(TextIndex, LinesAndInstructionsPointAtEachOther) {
  const auto parsed = module();
  TextIndex index;
  const std::string text = printModule(*parsed, PrintOptions::asRead(*parsed), index);
  const Instruction* r = parsed->entry()->root();
  const uint32_t line = index.lineOf(r->id());
  EXPECT_EQ(line, 12u);
  EXPECT_EQ(text.substr(index.lineStart(line), 9), "  ROOT %r");
  EXPECT_EQ(index.instructionAt(line), r->id());
  EXPECT_EQ(index.computationAt(line), parsed->entry()->id());
  EXPECT_EQ(index.lineOf(parsed->computations()[0]->id()), 2u);
  EXPECT_EQ(index.computationAt(5), parsed->computations()[0]->id());
  EXPECT_FALSE(index.instructionAt(0).valid());
  EXPECT_FALSE(index.computationAt(0).valid());
}

}  // namespace
}  // namespace hilo
