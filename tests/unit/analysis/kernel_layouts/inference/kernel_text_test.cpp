#include "core/analysis/kernel_layouts/inference/kernel_text.h"

#include <gtest/gtest.h>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"
#include "core/analysis/kernel_layouts/inference/planned_moves.h"

namespace hilo::inference {
namespace {

Diagnostic errorOf(std::string_view text) {
  const auto kernel = parseKernel(text);
  return kernel ? Diagnostic{} : kernel.error();
}

TEST(KernelText, TypesAreReadAndPrinted) {
  const auto kernel = parseKernel(
      "kernel sm_100\n"
      "%a, %b, %c, %d = llvm.mlir.undef : vector<2x?xf8E4M3FN>, memref<64x32xbf16, strided[1, 64], smem>, "
      "memref<!mosaic_gpu.barrier, smem>, index  // and text\n");
  ASSERT_TRUE(kernel) << toString(kernel.error());
  EXPECT_EQ(kernel->smMajor, 10);
  EXPECT_EQ(kernel->type(0).shape, (Sizes{2, kDynamicSize}));
  EXPECT_EQ(elementBits(kernel->type(0)), 8);
  EXPECT_TRUE(isTransposed(kernel->type(1)));
  EXPECT_EQ(layoutSpace(kernel->type(1)), MemorySpace::Shared);
  EXPECT_EQ(layoutSpace(kernel->type(2)), MemorySpace::None);
  EXPECT_EQ(toString(kernel->type(1)), "memref<64x32xbf16, strided[1, 64], smem>");
}

TEST(KernelText, ErrorsHaveALine) {
  EXPECT_EQ(errorOf("%a = op.x : i32\n%b = op.y %c : i32").place.line, 2u);
  EXPECT_EQ(errorOf("%a = op.x : i32\n%a = op.x : i32").place.line, 2u);
  EXPECT_EQ(errorOf("op.x {").kind, "kernel-text");
  EXPECT_EQ(errorOf("}").kind, "kernel-text");
  EXPECT_EQ(errorOf("%a, %b = op.x : i32").kind, "kernel-text");
  EXPECT_EQ(errorOf("%a = op.x : vector<3x").kind, "kernel-text");
  EXPECT_EQ(errorOf("%a = op.x : memref<3xf32, strided[1, 2]>").kind, "kernel-text");
  EXPECT_EQ(errorOf("op.x {a = 1, a = 2}").kind, "kernel-text");
  EXPECT_EQ(errorOf("op.x {transforms = tile(0)}").kind, "kernel-layout-text");
  EXPECT_EQ(errorOf("kernel sm_80").kind, "kernel-text");
}

TEST(KernelText, AnOperationMayNameTheLineItIsOf) {
  const auto kernel = parseKernel(
      "%a = llvm.mlir.undef : vector<128xf32> @7\n"
      "%c = scf.if %a : index @12 {\n"
      "  %p = llvm.mlir.zero {format = a+b} : !llvm.ptr @13  // left out: type\n"
      "}\n"
      "%b = other.op %a : vector<128xf32> @40\n");
  ASSERT_TRUE(kernel) << toString(kernel.error());
  std::vector<uint32_t> lines;
  for (const KernelOp& op : kernel->ops) lines.push_back(op.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{7, 12, 13, 40}));
  EXPECT_EQ(kernel->type(2).element, "!llvm.ptr");
  EXPECT_EQ(inferLayouts(*kernel).error().place.line, 40u);
  EXPECT_EQ(errorOf("op.x @0").kind, "kernel-text");
  EXPECT_EQ(errorOf("op.x @y").kind, "kernel-text");
}

TEST(KernelText, IsToldFromOtherTextByItsFirstLine) {
  EXPECT_TRUE(isKernelText("// a note\n\n  kernel sm_90\n"));
  EXPECT_TRUE(isKernelText("%x = llvm.mlir.undef : f32"));
  EXPECT_FALSE(isKernelText("HloModule m\n%x"));
  EXPECT_FALSE(isKernelText("module {\n"));
  EXPECT_FALSE(isKernelText(""));
}

TEST(KernelText, AConstantOfOneFractionIsASplat) {
  for (const auto& [value, layout] : {std::pair{"1.5", "WGSplatFragLayout(shape=(128,))"},
                                      {"-2.5e-3", "WGSplatFragLayout(shape=(128,))"},
                                      {"dense", "WGStridedFragLayout(shape=(128,), vec_size=1)"}}) {
    const auto kernel =
        parseKernel("%c = arith.constant {value = " + std::string(value) + "} : vector<128xf32>");
    ASSERT_TRUE(kernel) << toString(kernel.error());
    const auto layouts = inferLayouts(*kernel);
    ASSERT_TRUE(layouts && layouts->isFound()) << value;
    EXPECT_EQ(toString(layouts->outcome.layouts.at(0).layout), layout) << value;
  }
}

TEST(KernelLayouts, AnOperationWithoutARuleIsNamed) {
  const auto kernel =
      parseKernel("%a = llvm.mlir.undef : vector<128xf32>\n%b = other.op %a : vector<128xf32>");
  ASSERT_TRUE(kernel);
  const auto layouts = inferLayouts(*kernel);
  ASSERT_FALSE(layouts);
  EXPECT_EQ(layouts.error().kind, "kernel-inference");
  EXPECT_TRUE(layouts.error().message.contains("other.op"));
  EXPECT_EQ(layouts.error().place.line, 2u);
}

TEST(KernelLayouts, EachLayoutHasWhatSetIt) {
  const auto kernel = parseKernel(
      "%x = llvm.mlir.undef : vector<64x64xbf16>\n"
      "%c = mosaic_gpu.layout_cast %x {new_layout = WGMMA} : vector<64x64xbf16>\n"
      "%y = arith.addf %c, %c : vector<64x64xbf16>\n");
  ASSERT_TRUE(kernel);
  const auto layouts = inferLayouts(*kernel, {.steps = 100});
  ASSERT_TRUE(layouts && layouts->isFound());
  const auto variable = layouts->derived.variableAt.at({2, ValueSite::Kind::Result, 0});
  const SetLayout& set = layouts->outcome.layouts.at(variable);
  EXPECT_EQ(set.cause.kind, Cause::Kind::Follows);
  ASSERT_EQ(set.cause.origins.size(), 1u);
  EXPECT_EQ(kernel->ops[layouts->derived.constraints[set.cause.origins[0]].op].opcode, "arith.addf");
  EXPECT_FALSE(layouts->outcome.trace.steps.empty());
}

// 64x64 halves: 4 warps store 2 registers pairs of 4 bytes for each of 8 columns of tiles: 64 accesses.
TEST(PlannedMoves, TilesWithASwizzleHaveNoConflicts) {
  const auto text = [](std::string_view transforms) {
    return std::string("%m, %x = llvm.mlir.undef : memref<64x64xbf16, smem>, vector<64x64xbf16>\n") +
           "%t = mosaic_gpu.with_transforms %m {transforms = " + std::string(transforms) +
           "} : memref<64x64xbf16, smem>\n"
           "%c = mosaic_gpu.layout_cast %x {new_layout = WGMMA} : vector<64x64xbf16>\n"
           "mosaic_gpu.vector_store %c, %t {optimized = false}\n";
  };
  for (const auto& [transforms, wavefronts] : {std::pair("tile(8, 64) swizzle(128)", 64), {"none", 512}}) {
    const auto kernel = parseKernel(text(transforms));
    ASSERT_TRUE(kernel);
    const auto layouts = inferLayouts(*kernel);
    ASSERT_TRUE(layouts && layouts->isFound());
    const auto moves = plannedMoves(*layouts);
    ASSERT_EQ(moves.size(), 1u);
    EXPECT_EQ(moves[0].wavefronts, wavefronts) << moves[0].notCounted;
    EXPECT_EQ(moves[0].least, 64);
  }
}

}  // namespace
}  // namespace hilo::inference
