#include "core/compiler/passes/reductions/tree_reduction_rewriter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kWarp = 32, kMostInBatch = 8;

// A reduction as [batch, kept, rows] or [kept, reduced, columns], by what is reduced.
struct ReducedAs {
  bool isRow = false;
  int64_t batch = 1, reduced = 1;
};

std::optional<ReducedAs> reducedAs(const Instruction& reduce) {
  const Shape array = reduce.operand(0)->shape();
  const size_t rank = array.rank();
  const auto& dims = reduce.dimensions();
  if (rank == 0 || dims.empty() || dims.size() > 2) return std::nullopt;
  if (isReducedDim(reduce, rank - 1)) {
    if (dims.size() == 2 && !(isReducedDim(reduce, 0) && rank == 3)) return std::nullopt;
    return ReducedAs{.isRow = true,
                     .batch = dims.size() == 2 ? array.dimension(0) : 1,
                     .reduced = array.dimension(rank - 1)};
  }
  if (dims.size() != 1) return std::nullopt;
  return ReducedAs{.reduced = array.dimension(static_cast<size_t>(dims[0]))};
}

int64_t raceFreeBound(const ReducedAs& as) {
  constexpr int64_t kRowElements = kWarp * kWarp * 16, kColumnElements = kWarp * 128;
  return as.isRow ? kRowElements : kColumnElements;
}

// k1 by k2 elements, at least as many as there are: near the root, with little padding.
std::pair<int64_t, int64_t> splitOf(const ReducedAs& as) {
  const int64_t size = as.reduced, bound = raceFreeBound(as);
  const int64_t root =
      std::min(bound, static_cast<int64_t>(std::floor(std::sqrt(static_cast<double>(size)))));
  int64_t padding = (root - size % root) % root, k1 = (size + padding) / root;
  for (int64_t k = root - 1; k > root / 2; --k) {
    const int64_t more = (k - size % k) % k;
    if (more > padding || (more == padding && !std::has_single_bit(static_cast<uint64_t>(k)))) continue;
    padding = more;
    k1 = (size + padding) / k;
  }
  const int64_t k2 = (size + padding) / k1;
  const bool isVectorized = k2 % 2 == 0 && size % 2 == 0;
  const bool swap = k1 <= bound &&
                    (!as.isRow || (isVectorized ? k2 * 2 < k1 || k1 % 2 == 0 : size % 2 == 0 || k1 % 2 != 0));
  return swap ? std::pair{k2, k1} : std::pair{k1, k2};
}

bool isTooLong(const Instruction& i) {
  if (!reducesRowMajor(i) || !mayStartTwice(i)) return false;
  const auto as = reducedAs(i);
  return as && (as->reduced > raceFreeBound(*as) || (as->isRow && as->batch > kMostInBatch));
}

// The last step, which gives what the reduction gave.
Instruction* reducedAtLast(Instruction* inner, std::span<const int64_t> dims, Instruction& reduce) {
  Instruction* made = reduceOver(resultsOf(inner, reduce), dims, reduce);
  made->setShape(reduce.shape());
  return made;
}

// The row first, then the batch.
Instruction* rowThenBatch(Instruction& reduce) {
  const std::vector<int64_t> row = {2}, batch = {0};
  return reducedAtLast(reduceOver(reducedArrays(reduce), row, reduce), batch, reduce);
}

Instruction* inTree(Instruction& reduce) {
  const ReducedAs as = *reducedAs(reduce);
  if (as.isRow && as.batch > kMostInBatch) return rowThenBatch(reduce);
  const auto [k1, k2] = splitOf(as);
  const auto dim = static_cast<size_t>(std::ranges::max(reduce.dimensions()));
  const auto whole = reduce.operand(0)->shape().dimensions();
  std::vector<int64_t> padded(whole.begin(), whole.end()), split = padded;
  padded[dim] = k1 * k2;
  split[dim] = k1;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(dim) + 1, k2);
  std::vector<Instruction*> arrays;
  for (size_t k = 0; k < reducedArrays(reduce).size(); ++k) {
    Instruction* start = reduce.operand(reducedArrays(reduce).size() + k);
    arrays.push_back(reshapeTo(padTo(reduce.operand(k), padded, start, reduce), split, reduce));
  }
  std::vector<int64_t> inner(reduce.dimensions().begin(), reduce.dimensions().end());
  std::ranges::replace(inner, static_cast<int64_t>(dim), static_cast<int64_t>(dim) + 1);
  const auto before = std::ranges::count_if(inner, [&](int64_t d) { return d < static_cast<int64_t>(dim); });
  const std::vector<int64_t> outer = {static_cast<int64_t>(dim) - before};
  return reducedAtLast(reduceOver(arrays, inner, reduce), outer, reduce);
}

}  // namespace

Result<bool> rewriteTreeReductions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "split", isTooLong, inTree);
}

}  // namespace hilo
