// Loads, stores, and what is done with each element, by each family of layouts.
#include <bit>
#include <cmath>

#include "tests/unit/compiler/codegen/warpgroup/warpgroup_run_support.h"

namespace hilo::warpgroup {
namespace {

constexpr size_t kCount = 64 * 64;

std::string pointwiseOn(const std::string& element, const std::string& layout, const std::string& body) {
  const std::string vector = "vector<64x64x" + element + ">";
  return "%in, %out = llvm.mlir.undef : memref<64x64x" + element + ">, memref<64x64x" + element + ">\n" +
         "%a = mosaic_gpu.vector_load %in : " + vector + "\n" +
         (layout.empty()
              ? ""
              : "%x = mosaic_gpu.layout_cast %a {new_layout = " + layout + "} : " + vector + "\n") +
         body + "mosaic_gpu.vector_store %y, %out\n";
}

TEST(WarpgroupPointwise, EachLayoutHoldsAllElements) {
  for (const std::string layout :
       {"WGMMA", "WGMMA_TRANSPOSED", "WGMMA_ACC_32BIT", "TCGEN05_TMEM_NATIVE",
        "WGStridedFragLayout(shape=(64, 64), vec_size=4)", "WGMMA_8BIT", "WGMMA_UPCAST_2X"}) {
    if (layout == "TCGEN05_TMEM_NATIVE") continue;  // of 128 rows
    const auto text = pointwiseOn("f32", layout, "%y = arith.addf %x, %x : vector<64x64xf32>\n");
    const auto in = smallNumbers<float>(kCount, 97);
    const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                       literalOf(ElementType::F32, {64, 64}, std::vector<float>(kCount))});
    ASSERT_EQ(arrays.size(), 2u) << layout;
    const auto out = valuesOf<float>(arrays[1]);
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], 2 * in[i]) << layout << " " << i;
  }
}

TEST(WarpgroupPointwise, NarrowFloatsAreRoundedAfterEachOperation) {
  const auto text = pointwiseOn("bf16", "",
                                "%c = arith.constant {value = 0.3} : vector<64x64xbf16>\n"
                                "%p = arith.mulf %a, %c : vector<64x64xbf16>\n"
                                "%y = arith.addf %p, %c : vector<64x64xbf16>\n");
  const auto in = smallNumbers<BF16>(kCount, 61);
  const auto arrays = runText(text, {literalOf(ElementType::BF16, {64, 64}, in),
                                     literalOf(ElementType::BF16, {64, 64}, std::vector<BF16>(kCount))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<BF16>(arrays[1]);
  const BF16 c(0.3);
  for (size_t i = 0; i < kCount; ++i) {
    const BF16 product(static_cast<float>(in[i]) * static_cast<float>(c));
    ASSERT_EQ(out[i].bits, BF16(static_cast<float>(product) + static_cast<float>(c)).bits) << i;
  }
}

TEST(WarpgroupPointwise, IntegersHaveTheSignOfTheOperation) {
  const auto text = pointwiseOn("i32", "WGMMA",
                                "%c = arith.constant {value = -3} : vector<64x64xi32>\n"
                                "%d = arith.constant {value = 5} : vector<64x64xi32>\n"
                                "%f = arith.floordivsi %x, %d : vector<64x64xi32>\n"
                                "%u = arith.shrui %x, %d : vector<64x64xi32>\n"
                                "%m = arith.maxui %f, %c : vector<64x64xi32>\n"
                                "%l = arith.cmpi %x, %d {predicate = slt} : vector<64x64xi1>\n"
                                "%y = arith.select %l, %m, %u : vector<64x64xi32>\n");
  const auto in = smallNumbers<int32_t>(kCount, 41, -20);
  const auto arrays = runText(text, {literalOf(ElementType::S32, {64, 64}, in),
                                     literalOf(ElementType::S32, {64, 64}, std::vector<int32_t>(kCount))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<int32_t>(arrays[1]);
  for (size_t i = 0; i < kCount; ++i) {
    const auto floor = static_cast<uint32_t>(static_cast<int32_t>(std::floor(in[i] / 5.0)));
    const uint32_t expected =
        in[i] < 5 ? std::max(floor, static_cast<uint32_t>(-3)) : static_cast<uint32_t>(in[i]) >> 5;
    ASSERT_EQ(static_cast<uint32_t>(out[i]), expected) << in[i];
  }
}

TEST(WarpgroupPointwise, ConversionsGoThroughEightBitFloats) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<64x64xf32>, memref<64x64xi8>\n"
      "%a = mosaic_gpu.vector_load %in : vector<64x64xf32>\n"
      "%b = arith.truncf %a : vector<64x64xf8E4M3FN>\n"
      "%c = arith.extf %b : vector<64x64xf16>\n"
      "%d = arith.fptosi %c : vector<64x64xi8>\n"
      "mosaic_gpu.vector_store %d, %out\n";
  const auto in = smallNumbers<float>(kCount, 101, -50);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                     literalOf(ElementType::S8, {64, 64}, std::vector<int8_t>(kCount))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<int8_t>(arrays[1]);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(out[i], static_cast<int8_t>(static_cast<float>(F8E4M3FN(in[i])))) << in[i];
}

TEST(WarpgroupPointwise, FunctionsAreThoseOfTheScalarLibrary) {
  const auto text = pointwiseOn("f32", "",
                                "%e = math.exp %a : vector<64x64xf32>\n"
                                "%t = math.exp2 %a : vector<64x64xf32>\n"
                                "%s = arith.addf %e, %t : vector<64x64xf32>\n"
                                "%y = math.log2 %s : vector<64x64xf32>\n");
  const auto in = smallNumbers<float>(kCount, 9);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                     literalOf(ElementType::F32, {64, 64}, std::vector<float>(kCount))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<float>(arrays[1]);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_NEAR(out[i], std::log2(std::exp(in[i]) + std::exp2(in[i])), 2e-6) << in[i];
}

TEST(WarpgroupPointwise, WhatIsNotLoweredIsNamedWithItsLine) {
  EXPECT_EQ(refusalOf("%m = llvm.mlir.undef : memref<256xf16>\n"
                      "%x = mosaic_gpu.multimem_load_reduce %m : vector<256xf16>\n"),
            "2: mosaic_gpu.multimem_load_reduce is not lowered");
  EXPECT_EQ(refusalOf("%x = llvm.mlir.undef : vector<128xf32>\n"),
            "1: llvm.mlir.undef: %x is no array in global memory, and nothing gives it");
}

// Sixteen blocks of two warpgroups, each of which has rows of its own.
TEST(WarpgroupPointwise, BlocksAndWarpgroupsHaveTheirOwnRows) {
  const std::string text =
      "func.func {sym_name = rows} {\n"
      "  ^(%in: memref<1024x64xf32>, %out: memref<1024x64xf32>)\n"
      "  %one = arith.constant {value = 1} : index\n"
      "  %four = arith.constant {value = 4} : index\n"
      "  %threads = arith.constant {value = 256} : index\n"
      "  gpu.launch %four, %four, %one, %threads, %one, %one {\n"
      "    ^(%bx: index, %by: index, %bz: index, %tx: index, %ty: index, %tz: index)\n"
      "    %size = arith.constant {value = 128} : index\n"
      "    %step = arith.constant {value = 32} : index\n"
      "    %two = arith.constant {value = 2} : index\n"
      "    %group = arith.divui %tx, %size : index\n"
      "    %line = arith.muli %by, %four : index\n"
      "    %block = arith.addi %line, %bx : index\n"
      "    %pair = arith.muli %block, %two : index\n"
      "    %piece = arith.addi %pair, %group : index\n"
      "    %row = arith.muli %piece, %step : index\n"
      "    %from = memref.subview %in, %row {static_offsets = [?, 0], static_sizes = [32, 64]} : "
      "memref<32x64xf32>\n"
      "    %to = memref.subview %out, %row {static_offsets = [?, 0], static_sizes = [32, 64]} : "
      "memref<32x64xf32>\n"
      "    %x = mosaic_gpu.vector_load %from : vector<32x64xf32>\n"
      "    %i = arith.index_cast %piece : i32\n"
      "    %f = arith.sitofp %i : f32\n"
      "    %s = vector.broadcast %f : vector<32x64xf32>\n"
      "    %y = arith.subf %x, %s : vector<32x64xf32>\n"
      "    mosaic_gpu.vector_store %y, %to\n"
      "    gpu.terminator\n"
      "  }\n"
      "  func.return\n"
      "}\n";
  const auto in = smallNumbers<float>(1024 * 64, 53);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {1024, 64}, in),
                                     literalOf(ElementType::F32, {1024, 64}, std::vector<float>(1024 * 64))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<float>(arrays[1]);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[i] - static_cast<float>(i / 64 / 32)) << i;
}

}  // namespace
}  // namespace hilo::warpgroup
