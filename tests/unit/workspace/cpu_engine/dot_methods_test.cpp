// Products done in the way that is stated: another program, the same values.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

#include "core/compiler/codegen/cpu/choices/dot_method.h"

namespace hilo {
namespace {

std::string dotBy(std::string_view type, std::string_view method) {
  return fmt::format(R"(ENTRY e {{ a = {0}[3,40,33] parameter(0)
  b = {0}[3,33,20] parameter(1)
  ROOT d = {0}[3,40,20] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}, frontend_attributes={{hilo_dot_method="{1}"}} }})",
                     type, method);
}

std::string convolutionBy(std::string_view method) {
  return fmt::format(R"(ENTRY e {{ a = f32[2,12,12,8] parameter(0)
  k = f32[3,3,8,16] parameter(1)
  ROOT c = f32[2,12,12,16] convolution(a, k), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f, frontend_attributes={{hilo_dot_method="{}"}} }})",
                     method);
}

std::string depthwiseBy(std::string_view method) {
  return fmt::format(R"(ENTRY e {{ a = f32[2,12,12,40] parameter(0)
  k = f32[3,3,1,40] parameter(1)
  ROOT c = f32[2,12,12,40] convolution(a, k), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f, feature_group_count=40, frontend_attributes={{hilo_dot_method="{}"}} }})",
                     method);
}

Result<CompiledModule> compiled(const std::string& text, bool passes = false) {
  return compileProgram(*parseModuleStrictly("HloModule m\n" + text),
                        {.usesCache = false, .runsPasses = passes}, {});
}

TEST(DotMethods, EachGivesTheValues) {
  for (const DotMethod method : kDotMethods) {
    expectEvaluated(dotBy("f32", dotMethodName(method)));
    if (method != DotMethod::Library) expectEvaluated(dotBy("s32", dotMethodName(method)));
    if (method != DotMethod::Tiles) expectEvaluated(convolutionBy(dotMethodName(method)));
    expectEvaluated(depthwiseBy(dotMethodName(method)));
  }
}

TEST(DotMethods, AreWhatIsDone) {
  const auto library = compiled(dotBy("f32", "library")), tiles = compiled(dotBy("f32", "tiles")),
             elements = compiled(dotBy("f32", "elements"));
  EXPECT_EQ(library->program.kernels.size(), 0u);
  EXPECT_EQ(library->program.sequences[0][0].kind(), ThunkKind::Dot);
  EXPECT_EQ(tiles->program.sequences[0][0].kind(), ThunkKind::Kernel);
  EXPECT_EQ(elements->program.sequences[0][0].kind(), ThunkKind::Kernel);
  EXPECT_NE(tiles->kernelSources, elements->kernelSources);
  EXPECT_EQ(compiled(convolutionBy("library"), true)->counts.kernels + 1,
            compiled(convolutionBy("elements"), true)->counts.kernels);
  EXPECT_EQ(compiled(depthwiseBy("library"))->program.sequences[0][0].kind(), ThunkKind::Convolution);
  EXPECT_EQ(compiled(depthwiseBy("tiles"))->program.sequences[0][0].kind(), ThunkKind::Kernel);
}

TEST(DotMethods, WhatThereIsNotIsRefused) {
  const auto unknown = compiled(dotBy("f32", "magic"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, "unknown-dot-method");
  EXPECT_EQ(unknown.error().place.instruction, "d");
  const auto impossible = compiled(dotBy("s32", "library"));
  ASSERT_FALSE(impossible);
  EXPECT_EQ(impossible.error().kind, "unsupported-dot-method");
  const auto noProduct =
      compiled(R"(ENTRY e { ROOT a = f32[2] parameter(0), frontend_attributes={hilo_dot_method="tiles"} })");
  ASSERT_FALSE(noProduct);
  EXPECT_EQ(noProduct.error().kind, "unsupported-dot-method");
}

TEST(DotMethods, StatedAndTakenAway) {
  const auto module = *parseModuleStrictly(
      "HloModule m\nENTRY e { ROOT a = f32[2] parameter(0), frontend_attributes={other=\"1\"} }\n");
  Instruction& a = *module->findInstruction("a");
  stateDotMethod(a, DotMethod::Elements);
  stateDotMethod(a, DotMethod::Tiles);
  EXPECT_EQ(*statedDotMethod(a), DotMethod::Tiles);
  EXPECT_EQ(a.get<Attr::FrontendAttributes>().size(), 2u);
  stateDotMethod(a, std::nullopt);
  EXPECT_EQ(*statedDotMethod(a), std::nullopt);
  EXPECT_EQ(a.get<Attr::FrontendAttributes>().size(), 1u);
}

}  // namespace
}  // namespace hilo
