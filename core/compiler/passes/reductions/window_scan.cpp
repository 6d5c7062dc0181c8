#include "core/compiler/passes/reductions/window_scan.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Values = std::vector<Instruction*>;

std::vector<int64_t> sizesOf(const Instruction* value) {
  return {value->shape().dimensions().begin(), value->shape().dimensions().end()};
}

// What the combiner gives for array k; null where it gives no tuple of as many.
const Instruction* stepOf(const Computation& combiner, size_t k, size_t count) {
  const Instruction* root = combiner.root();
  if (count == 1 && root->shape().isArray()) return root;
  return root->opcode() == Opcode::Tuple && root->operandCount() == count ? root->operand(k) : nullptr;
}

// One operation of both numbers of array k.
bool isStepOfOne(const Instruction& step, size_t k, size_t count) {
  const auto isNumber = [](const Instruction& i, size_t number) {
    return i.opcode() == Opcode::Parameter && i.parameterNumber() == static_cast<int64_t>(number);
  };
  return step.operandCount() == 2 &&
         ((isNumber(*step.operand(0), k) && isNumber(*step.operand(1), k + count)) ||
          (isNumber(*step.operand(1), k) && isNumber(*step.operand(0), k + count)));
}

// The last, or first, of each row, without the dimension of rows.
Instruction* endOfRows(Instruction* rows, bool isForward, Instruction& before) {
  std::vector<int64_t> sizes = sizesOf(rows);
  std::vector<SliceRange> ranges;
  for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
  ranges.back() = isForward ? SliceRange{.start = sizes.back() - 1, .limit = sizes.back()}
                            : SliceRange{.start = 0, .limit = 1};
  sizes.back() = 1;
  Instruction* end = before.parent().create(
      Opcode::Slice, arrayLike(rows->shape(), rows->shape().elementType(), sizes), {rows}, {}, &before);
  end->set<Attr::Slice>(ranges);
  sizes.pop_back();
  return reshapeTo(end, sizes, before);
}

// Of totals with the start at one end, all but the other end.
Instruction* withoutWhole(Instruction* totals, bool isForward, Instruction& before) {
  std::vector<int64_t> sizes = sizesOf(totals);
  --sizes.back();
  if (isForward) return cutTo(totals, sizes, before);
  std::vector<SliceRange> ranges;
  for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
  ranges.back() = {.start = 1, .limit = sizes.back() + 1};
  Instruction* made = before.parent().create(
      Opcode::Slice, arrayLike(totals->shape(), totals->shape().elementType(), sizes), {totals}, {}, &before);
  made->set<Attr::Slice>(ranges);
  return made;
}

WindowDimension reaching(int64_t size, int64_t padding, bool isForward) {
  return {.size = size, .paddingLow = isForward ? padding : 0, .paddingHigh = isForward ? 0 : padding};
}

// For every row, the total of the rows before it (behind it), in all of its elements.
Values totalsOfOtherRows(const WindowScan& scan, const Values& rows, Instruction& before) {
  Values ends;
  for (Instruction* row : rows) ends.push_back(endOfRows(row, scan.isForward, before));
  const size_t last = ends[0]->shape().rank() - 1;
  const int64_t count = ends[0]->shape().dimension(last);
  Instruction* window = reduceWindowAlong(ends, scan.starts, *scan.combiner, last,
                                          reaching(count, count, scan.isForward), before);
  std::vector<int64_t> dimensions(last + 1);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  Values totals;
  for (Instruction* total : resultsOf(window, before)) {
    totals.push_back(broadcastTo(withoutWhole(total, scan.isForward, before),
                                 rows[totals.size()]->shape().dimensions(), dimensions, before));
  }
  return totals;
}

// As the array, with the dimension last, as rows.
Instruction* asRows(const WindowScan& scan, size_t k, std::span<const int64_t> permutation, int64_t row,
                    Instruction& before) {
  Instruction* value = transposeBy(scan.arrays[k], permutation, before);
  std::vector<int64_t> sizes = sizesOf(value);
  sizes.back() = (sizes.back() + row - 1) / row * row;
  value = padTo(value, sizes, scan.starts[k], before);
  sizes.back() /= row;
  sizes.push_back(row);
  return reshapeTo(value, sizes, before);
}

// The start at the end where the totals start.
Instruction* withStart(const WindowScan& scan, Instruction* totals, Instruction* start, Instruction& before) {
  std::vector<int64_t> sizes = sizesOf(totals);
  ++sizes[scan.dimension];
  std::vector<PaddingDimension> padding(sizes.size());
  (scan.isForward ? padding[scan.dimension].low : padding[scan.dimension].high) = 1;
  Instruction* made =
      before.parent().create(Opcode::Pad, arrayLike(totals->shape(), totals->shape().elementType(), sizes),
                             {totals, start}, {}, &before);
  made->set<Attr::Padding>(padding);
  return made;
}

}  // namespace

bool mayFoldAgain(Opcode step, const Instruction& start) {
  switch (step) {
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
      return true;
    case Opcode::Add:
    case Opcode::Xor:
      return algebra::isAll(start, 0);
    case Opcode::Multiply:
      return algebra::isAll(start, 1) || algebra::isAll(start, 0);
    default:
      return false;
  }
}

bool canScanTotals(Computation& combiner, std::span<Instruction* const> starts) {
  for (size_t k = 0; k < starts.size(); ++k) {
    const Instruction* step = stepOf(combiner, k, starts.size());
    if (step == nullptr || !isStepOfOne(*step, k, starts.size()) || !mayFoldAgain(step->opcode(), *starts[k]))
      return false;
  }
  return !starts.empty();
}

Instruction* reduceWindowAlong(std::span<Instruction* const> arrays, std::span<Instruction* const> starts,
                               Computation& combiner, size_t dimension, const WindowDimension& window,
                               Instruction& before) {
  std::vector<WindowDimension> windows(arrays[0]->shape().rank());
  windows[dimension] = window;
  std::vector<Shape> shapes;
  for (const Instruction* array : arrays) {
    std::vector<int64_t> sizes = sizesOf(array);
    sizes[dimension] += window.paddingLow + window.paddingHigh - window.size + 1;
    shapes.push_back(arrayLike(array->shape(), array->shape().elementType(), sizes));
  }
  Values operands(arrays.begin(), arrays.end());
  operands.insert(operands.end(), starts.begin(), starts.end());
  const bool isOne = arrays.size() == 1 && combiner.root()->shape().isArray();
  Instruction* made = before.parent().create(Opcode::ReduceWindow, isOne ? shapes[0] : Shape::tuple(shapes),
                                             operands, {}, &before);
  const Window all{.dimensions = windows};
  made->set<Attr::Window>(&all);
  made->set<Attr::ToApply>(&combiner);
  return made;
}

std::vector<Instruction*> scanByRows(const WindowScan& scan, int64_t row, Instruction& before) {
  std::vector<int64_t> permutation(scan.arrays[0]->shape().rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[scan.dimension], permutation.back());
  Values tiled;
  for (size_t k = 0; k < scan.arrays.size(); ++k) tiled.push_back(asRows(scan, k, permutation, row, before));
  Instruction* window = reduceWindowAlong(tiled, scan.starts, *scan.combiner, permutation.size(),
                                          reaching(row, row - 1, scan.isForward), before);
  const Values rows = resultsOf(window, before), others = totalsOfOtherRows(scan, rows, before);
  Values results;
  for (size_t k = 0; k < rows.size(); ++k) {
    const Opcode step = stepOf(*scan.combiner, k, rows.size())->opcode();
    Instruction* totals = before.parent().create(step, rows[k]->shape(), {rows[k], others[k]}, {}, &before);
    std::vector<int64_t> sizes = sizesOf(totals);
    sizes[sizes.size() - 2] *= row;
    sizes.pop_back();
    totals = transposeBy(reshapeTo(totals, sizes, before), permutation, before);
    totals = cutTo(totals, scan.arrays[k]->shape().dimensions(), before);
    results.push_back(scan.isExclusive ? withStart(scan, totals, scan.starts[k], before) : totals);
  }
  return results;
}

}  // namespace hilo
