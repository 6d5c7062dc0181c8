// Products of matrices: tiles by TMA, sums by wgmma, block by block.
#include <fmt/format.h>

#include "tests/unit/compiler/codegen/warpgroup/warpgroup_run_support.h"

namespace hilo::warpgroup {
namespace {

struct Product {
  std::string factor, sum;
  int64_t bytes = 2, step = 64;  // of an element; of the sum, in a turn
  bool isTurned = false;         // the second factor is given by its columns
  std::string cast;              // of the first factor, which is then in registers
};

constexpr int64_t kRows = 128, kColumns = 128, kDepth = 256, kTile = 64;

// Blocks of 64 x 64; a turn waits for a barrier, which each turn begins a new phase of.
std::string matmul(const Product& p) {
  const int64_t tile = kTile * p.step * p.bytes;
  const auto [f, s, step] = std::tuple(p.factor, p.sum, p.step);
  const std::string given = p.cast.empty() ? f : p.cast;
  const int64_t givenTile = p.cast.empty() ? tile : kTile * p.step;
  const std::string second = p.isTurned ? fmt::format("{}x{}x{}", kColumns, kDepth, f)
                                        : fmt::format("{}x{}x{}", kDepth, kColumns, f);
  const std::string secondTile =
      p.isTurned ? fmt::format("{}x{}x{}", kTile, step, f) : fmt::format("{}x{}x{}", step, kTile, f);
  std::string text = fmt::format(
      "func.func {{sym_name = matmul}} {{\n"
      "^(%a: memref<{}x{}x{}>, %b: memref<{}>, %c: memref<{}x{}x{}>)\n",
      kRows, kDepth, given, second, kRows, kColumns, s);
  for (const int64_t n : {0, 1, 2, 64, 128})
    text += fmt::format("%n{} = arith.constant {{value = {}}} : index\n", n, n);
  text += fmt::format("%turns = arith.constant {{value = {}}} : index\n", kDepth / step);
  text += fmt::format("%step = arith.constant {{value = {}}} : index\n", step);
  text += fmt::format(
      "%bytes = arith.constant {{value = {}}} : i32\n"
      "gpu.launch %n2, %n2, %n1, %n128, %n1, %n1 {{\n"
      "^(%bx: index, %by: index, %bz: index)\n"
      "%sa = mosaic_gpu.slice_smem {{offset = 0}} : memref<{}x{}x{}, smem>\n"
      "%sb = mosaic_gpu.slice_smem {{offset = {}}} : memref<{}, smem>\n"
      "%full = mosaic_gpu.slice_smem {{offset = {}}} : memref<1x!mosaic_gpu.barrier, smem>\n"
      "%at = memref.extract_aligned_pointer_as_index %full : index\n"
      "%number = arith.index_cast %at : i64\n"
      "%pointer = llvm.inttoptr %number : !llvm.ptr\n"
      "mosaic_gpu.initialize_barrier %pointer {{arrival_count = 1, num_barriers = 1}}\n"
      "gpu.barrier\n"
      "%slot = memref.subview %full {{static_offsets = [0], static_sizes = [1]}} : "
      "memref<!mosaic_gpu.barrier, smem>\n"
      "%rowIndex = arith.muli %by, %n64 : index\n"
      "%columnIndex = arith.muli %bx, %n64 : index\n"
      "%row = arith.index_cast %rowIndex : i32\n"
      "%column = arith.index_cast %columnIndex : i32\n"
      "%none = arith.constant {{value = 0}} : vector<64x64x{}>\n"
      "%sum = scf.for %n0, %turns, %n1, %none : vector<64x64x{}> {{\n"
      "^(%turn: index, %before: vector<64x64x{}>)\n"
      "%k = arith.muli %turn, %step : index\n"
      "%depth = arith.index_cast %k : i32\n"
      "mosaic_gpu.arrive_expect_tx %slot, %bytes\n"
      "mosaic_gpu.async_load %a, %sa, %slot, %row, %depth {{slice_lengths = [64, {}], collective = []}}\n",
      givenTile + tile, kTile, step, given, givenTile, secondTile, givenTile + tile, s, s, s, step);
  text += fmt::format("mosaic_gpu.async_load %b, %sb, %slot, {} {{slice_lengths = [{}], collective = []}}\n",
                      p.isTurned ? "%column, %depth" : "%depth, %column",
                      p.isTurned ? fmt::format("64, {}", step) : fmt::format("{}, 64", step));
  text +=
      "%odd = arith.remui %turn, %n2 : index\n"
      "%parity = arith.cmpi %odd, %n1 {predicate = eq} : i1\n"
      "mosaic_gpu.wait %slot, %parity\n";
  if (p.isTurned)
    text += fmt::format(
        "%right = memref.transpose %sb {{permutation = [1, 0]}} : memref<{}x64x{}, strided[1, {}], smem>\n",
        step, f, step);
  std::string left = "%sa";
  if (!p.cast.empty()) {
    text += fmt::format(
        "%loaded = mosaic_gpu.vector_load %sa {{optimized = false}} : vector<64x{}x{}>\n"
        "%left = arith.sitofp %loaded : vector<64x{}x{}>\n",
        step, p.cast, step, f);
    left = "%left";
  }
  text += fmt::format(
      "%next = mosaic_gpu.wgmma %before, {}, {} : vector<64x64x{}>\n"
      "scf.yield %next\n"
      "}}\n"
      "%out = memref.subview %c, %rowIndex, %columnIndex {{static_offsets = [?, ?], static_sizes = [64, "
      "64]}} "
      ": memref<64x64x{}, strided[{}, 1]>\n"
      "mosaic_gpu.vector_store %sum, %out\n"
      "gpu.terminator\n"
      "}}\n"
      "func.return\n"
      "}}\n",
      left, p.isTurned ? "%right" : "%sb", s, s, kColumns);
  return text;
}

template <typename A, typename B, typename C>
void expectProduct(const Product& product, ElementType a, ElementType b, ElementType c) {
  const auto left = smallNumbers<A>(kRows * kDepth, 5, -2);
  const auto right = smallNumbers<B>(kDepth * kColumns, 7, -3);
  const std::vector<int64_t> second =
      product.isTurned ? std::vector{kColumns, kDepth} : std::vector{kDepth, kColumns};
  const auto arrays =
      runText(matmul(product), {literalOf(a, {kRows, kDepth}, left), literalOf(b, second, right),
                                literalOf(c, {kRows, kColumns}, std::vector<C>(kRows * kColumns))});
  ASSERT_EQ(arrays.size(), 3u) << matmul(product);
  const auto out = valuesOf<C>(arrays[2]);
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kColumns; ++j) {
      float sum = 0;  // of small whole numbers, exact
      for (size_t k = 0; k < kDepth; ++k)
        sum += static_cast<float>(left[i * kDepth + k]) *
               static_cast<float>(right[product.isTurned ? j * kDepth + k : k * kColumns + j]);
      ASSERT_EQ(static_cast<float>(out[i * kColumns + j]), sum) << i << " " << j;
    }
}

TEST(WarpgroupProducts, Bf16) {
  expectProduct<BF16, BF16, float>({"bf16", "f32"}, ElementType::BF16, ElementType::BF16, ElementType::F32);
}

TEST(WarpgroupProducts, F16OfASecondFactorByItsColumns) {
  expectProduct<F16, F16, float>({"f16", "f32", 2, 64, true}, ElementType::F16, ElementType::F16,
                                 ElementType::F32);
}

TEST(WarpgroupProducts, SumsOfF16) {
  expectProduct<F16, F16, F16>({"f16", "f16"}, ElementType::F16, ElementType::F16, ElementType::F16);
}

TEST(WarpgroupProducts, EightBitIntegers) {
  expectProduct<int8_t, int8_t, int32_t>({"i8", "i32", 1, 128, true}, ElementType::S8, ElementType::S8,
                                         ElementType::S32);
}

TEST(WarpgroupProducts, EightBitFloats) {
  expectProduct<F8E4M3FN, F8E4M3FN, float>({"f8E4M3FN", "f32", 1, 128, true}, ElementType::F8E4M3FN,
                                           ElementType::F8E4M3FN, ElementType::F32);
}

TEST(WarpgroupProducts, IntegersConvertedInRegisters) {
  expectProduct<int8_t, BF16, float>({"bf16", "f32", 2, 64, false, "i8"}, ElementType::S8, ElementType::BF16,
                                     ElementType::F32);
}

}  // namespace
}  // namespace hilo::warpgroup
