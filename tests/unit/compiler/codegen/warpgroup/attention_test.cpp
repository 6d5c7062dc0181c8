// Attention, online: scores, softmax and values block by block, all in registers of one warpgroup.
#include <algorithm>
#include <cmath>

#include "tests/unit/compiler/codegen/warpgroup/warpgroup_run_support.h"

namespace hilo::warpgroup {
namespace {

constexpr const char* kAttention = R"(func.func {sym_name = attention} {
^(%q: memref<64x64xf16>, %k: memref<128x64xf16>, %v: memref<128x64xf16>, %o: memref<64x64xf32>)
%n0 = arith.constant {value = 0} : index
%n1 = arith.constant {value = 1} : index
%n2 = arith.constant {value = 2} : index
%n64 = arith.constant {value = 64} : index
%n128 = arith.constant {value = 128} : index
%first = arith.constant {value = 0} : i32
%bytes = arith.constant {value = 24576} : i32
gpu.launch %n1, %n1, %n1, %n128, %n1, %n1 {
%sq = mosaic_gpu.slice_smem {offset = 0} : memref<64x64xf16, smem>
%sk = mosaic_gpu.slice_smem {offset = 8192} : memref<64x64xf16, smem>
%sv = mosaic_gpu.slice_smem {offset = 16384} : memref<64x64xf16, smem>
%full = mosaic_gpu.slice_smem {offset = 24576} : memref<1x!mosaic_gpu.barrier, smem>
%at = memref.extract_aligned_pointer_as_index %full : index
%number = arith.index_cast %at : i64
%pointer = llvm.inttoptr %number : !llvm.ptr
mosaic_gpu.initialize_barrier %pointer {arrival_count = 1, num_barriers = 1}
gpu.barrier
%slot = memref.subview %full {static_offsets = [0], static_sizes = [1]} : memref<!mosaic_gpu.barrier, smem>
%m0 = arith.constant {value = -1000} : vector<64xf32>
%l0 = arith.constant {value = 0} : vector<64xf32>
%a0 = arith.constant {value = 0} : vector<64x64xf32>
%m, %l, %acc = scf.for %n0, %n2, %n1, %m0, %l0, %a0 : vector<64xf32>, vector<64xf32>, vector<64x64xf32> {
^(%turn: index, %mb: vector<64xf32>, %lb: vector<64xf32>, %ab: vector<64x64xf32>)
%place = arith.muli %turn, %n64 : index
%row = arith.index_cast %place : i32
mosaic_gpu.arrive_expect_tx %slot, %bytes
mosaic_gpu.async_load %q, %sq, %slot, %first, %first {slice_lengths = [64, 64], collective = []}
mosaic_gpu.async_load %k, %sk, %slot, %row, %first {slice_lengths = [64, 64], collective = []}
mosaic_gpu.async_load %v, %sv, %slot, %row, %first {slice_lengths = [64, 64], collective = []}
%odd = arith.remui %turn, %n2 : index
%parity = arith.cmpi %odd, %n1 {predicate = eq} : i1
mosaic_gpu.wait %slot, %parity
%kt = memref.transpose %sk {permutation = [1, 0]} : memref<64x64xf16, strided[1, 64], smem>
%zero = arith.constant {value = 0} : vector<64x64xf32>
%s = mosaic_gpu.wgmma %zero, %sq, %kt : vector<64x64xf32>
%mn = vector.multi_reduction %s, %mb {kind = maximumf, reduction_dims = [1]} : vector<64xf32>
%mw = mosaic_gpu.broadcast_in_dim %mn {broadcast_dimensions = [0]} : vector<64x64xf32>
%d = arith.subf %s, %mw : vector<64x64xf32>
%p = math.exp %d : vector<64x64xf32>
%dm = arith.subf %mb, %mn : vector<64xf32>
%al = math.exp %dm : vector<64xf32>
%ls = arith.mulf %lb, %al : vector<64xf32>
%ln = vector.multi_reduction %p, %ls {kind = add, reduction_dims = [1]} : vector<64xf32>
%aw = mosaic_gpu.broadcast_in_dim %al {broadcast_dimensions = [0]} : vector<64x64xf32>
%as = arith.mulf %ab, %aw : vector<64x64xf32>
%ph = arith.truncf %p : vector<64x64xf16>
%an = mosaic_gpu.wgmma %as, %ph, %sv : vector<64x64xf32>
scf.yield %mn, %ln, %an
}
%lw = mosaic_gpu.broadcast_in_dim %l {broadcast_dimensions = [0]} : vector<64x64xf32>
%r = arith.divf %acc, %lw : vector<64x64xf32>
mosaic_gpu.vector_store %r, %o
gpu.terminator
}
func.return
}
)";

constexpr size_t kQueries = 64, kKeys = 128, kSize = 64;

std::vector<F16> eighths(size_t count, int modulus, int least) {
  std::vector<F16> values;
  for (const float value : smallNumbers<float>(count, modulus, least)) values.emplace_back(value / 8);
  return values;
}

double at(const std::vector<F16>& matrix, size_t row, size_t column) {
  return static_cast<float>(matrix[row * kSize + column]);
}

// One row of softmax(q k^T) v.
std::vector<double> attentionOf(const std::vector<F16>& q, const std::vector<F16>& k,
                                const std::vector<F16>& v, size_t row) {
  std::vector<double> weights(kKeys), out(kSize);
  for (size_t key = 0; key < kKeys; ++key)
    for (size_t i = 0; i < kSize; ++i) weights[key] += at(q, row, i) * at(k, key, i);
  const double most = std::ranges::max(weights);
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - most);
  for (size_t key = 0; key < kKeys; ++key)
    for (size_t i = 0; i < kSize; ++i) out[i] += weights[key] / sum * at(v, key, i);
  return out;
}

// Weights are rounded to f16 before they meet the values.
TEST(WarpgroupAttention, IsSoftmaxOfScoresTimesValues) {
  const auto q = eighths(kQueries * kSize, 5, -2), k = eighths(kKeys * kSize, 7, -3),
             v = eighths(kKeys * kSize, 13, -6);
  const auto arrays = runText(
      kAttention, {literalOf(ElementType::F16, {64, 64}, q), literalOf(ElementType::F16, {128, 64}, k),
                   literalOf(ElementType::F16, {128, 64}, v),
                   literalOf(ElementType::F32, {64, 64}, std::vector<float>(kQueries * kSize))});
  ASSERT_EQ(arrays.size(), 4u);
  const auto out = valuesOf<float>(arrays[3]);
  for (size_t row = 0; row < kQueries; ++row) {
    const auto expected = attentionOf(q, k, v, row);
    for (size_t i = 0; i < kSize; ++i)
      ASSERT_NEAR(out[row * kSize + i], expected[i], 1e-3) << row << " " << i;
  }
}

}  // namespace
}  // namespace hilo::warpgroup
