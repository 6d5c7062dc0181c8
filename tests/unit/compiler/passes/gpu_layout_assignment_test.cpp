// In which order arrays of a GPU program lie, and where a copy stands: what XLA's layout assignment gives for
// the same modules, worked out by its rules by hand.
#include "core/compiler/passes/layout/gpu_layout_assignment.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// The text of the entry after the pass.
std::string assigned(std::string_view body, std::string_view header = "") {
  auto parsed = parseModuleStrictly(fmt::format(
      "HloModule m{}\nsum {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }}\n"
      "ENTRY e {{ {} }}",
      header, body));
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : toString(parsed.error()));
  if (!parsed) return "";
  const std::shared_ptr<Module> module = (*parsed)->clone();
  PassContext context;
  const auto changed = assignGpuLayouts(*module, context);
  EXPECT_TRUE(changed.has_value());
  for (const Diagnostic& problem : verify(*module))
    EXPECT_NE(problem.severity, Severity::kError) << toString(problem);
  return printModule(*module);
}

bool has(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }

TEST(GpuLayoutAssignment, WhatTheResultIsReachesATransposeFirst) {
  // The root's order is propagated before the parameter's, whose copy is read.
  const std::string text = assigned(
      "p = f32[4,8]{1,0} parameter(0) t = f32[8,4]{1,0} transpose(p), dimensions={1,0} "
      "ROOT n = f32[8,4]{1,0} negate(t)");
  EXPECT_TRUE(has(text, "f32[4,8]{0,1} copy(%p)")) << text;
  EXPECT_TRUE(has(text, "f32[8,4]{1,0} transpose(%copy)")) << text;
}

TEST(GpuLayoutAssignment, ACopyThatMovesNothingIsABitcast) {
  const std::string text =
      assigned("p = f32[4,8]{1,0} parameter(0) c = f32[4,8] copy(p) ROOT n = f32[4,8]{1,0} negate(c)");
  EXPECT_FALSE(has(text, "negate(%c)")) << text;
}

TEST(GpuLayoutAssignment, AnAllGatherHasItsDimensionInFront) {
  const std::string text = assigned(
      "p = f32[4,8]{1,0} parameter(0) n = f32[4,8]{1,0} negate(p) "
      "ROOT g = f32[4,16]{1,0} all-gather(n), dimensions={1}, replica_groups={{0,1}}",
      ", replica_count=2");
  EXPECT_TRUE(has(text, "f32[4,16]{0,1} all-gather(")) << text;
  EXPECT_TRUE(has(text, "ROOT %copy")) << text;
}

TEST(GpuLayoutAssignment, AnFftIsRowMajor) {
  const std::string text = assigned(
      "p = c64[4,8]{1,0} parameter(0) t = c64[8,4]{1,0} transpose(p), dimensions={1,0} "
      "ROOT f = c64[8,4]{1,0} fft(t), fft_type=FFT, fft_length={4}");
  EXPECT_TRUE(has(text, "c64[8,4]{1,0} fft(")) << text;
}

TEST(GpuLayoutAssignment, ATriangularSolveIsColumnMajor) {
  const std::string text = assigned(
      "p = f32[4,4]{1,0} parameter(0) b = f32[4,3]{1,0} parameter(1) "
      "ROOT s = f32[4,3]{1,0} triangular-solve(p, b), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE");
  EXPECT_TRUE(has(text, "f32[4,3]{0,1} triangular-solve(")) << text;
  EXPECT_TRUE(has(text, "f32[4,4]{0,1} copy(%p)")) << text;
}

TEST(GpuLayoutAssignment, ADotIsGivenBatchesInFront) {
  // Batches are minor in the operand: no matrix of one stride.
  const std::string text = assigned(
      "p = f32[3,4,5]{0,2,1} parameter(0) q = f32[3,5,6]{2,1,0} parameter(1) "
      "ROOT d = f32[3,4,6]{2,1,0} dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}");
  EXPECT_TRUE(has(text, "f32[3,4,5]{2,1,0} copy(%p)")) << text;
}

TEST(GpuLayoutAssignment, ALongReductionFoldsMinorDimensions) {
  const std::string text = assigned(
      "i = f32[64,8]{1,0} iota(), iota_dimension=0 n = f32[64,8]{1,0} negate(i) z = f32[] constant(0) "
      "r = f32[8]{0} reduce(n, z), dimensions={0}, to_apply=sum ROOT a = f32[8]{0} abs(r)");
  EXPECT_FALSE(has(text, "copy(")) << text;
}

TEST(GpuLayoutAssignment, ParametersResultsAndTuplesKeepTheirs) {
  const std::string text = assigned(
      "p = f32[4,8]{0,1} parameter(0) n = f32[4,8]{1,0} negate(p) "
      "ROOT t = (f32[4,8]{1,0}, f32[4,8]{0,1}) tuple(n, p)");
  EXPECT_TRUE(has(text, "%p = f32[4,8]{0,1} parameter(0)")) << text;
  EXPECT_TRUE(has(text, "(f32[4,8]{1,0}, f32[4,8]{0,1}) tuple(")) << text;
}

}  // namespace
}  // namespace hilo
