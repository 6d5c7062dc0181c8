// Factors P A = L U with the largest element of each column as pivot, as LAPACK's getrf gives them, and
// pivots as a permutation.
#include "core/hlo/expand/matrices.h"

namespace hilo::library {
namespace {

constexpr std::string_view kLu = R"(HloModule lu
larger {
  a = $R[] parameter(0)
  i = s32[] parameter(1)
  b = $R[] parameter(2)
  j = s32[] parameter(3)
  is_larger = compare(a, b), direction=GT
  is_equal = compare(a, b), direction=EQ
  is_before = compare(i, j), direction=LT
  is_first = and(is_equal, is_before)
  takes = or(is_larger, is_first)
  size = select(takes, a, b)
  place = select(takes, i, j)
  ROOT taken = tuple(size, place)
}
goes_on {
  state = (s32[], $T[$B,$M,$N], s32[$B,$K], s32[$B]) parameter(0)
  i = get-tuple-element(state), index=0
  end = s32[] constant($K)
  ROOT answer = compare(i, end), direction=LT
}
eliminate {
  state = (s32[], $T[$B,$M,$N], s32[$B,$K], s32[$B]) parameter(0)
  i = get-tuple-element(state), index=0
  a = get-tuple-element(state), index=1
  pivots = get-tuple-element(state), index=2
  info = get-tuple-element(state), index=3
$COLUMN
  is_candidate = compare(rows, at), direction=GE
  size = magnitude(flat)
  less = $R[] constant(-1)
  least = $R[] constant(-2)
  no_size = $R[$B,$M] broadcast(less), dimensions={}
  candidates = select(is_candidate, size, no_size)
  found = reduce(candidates, rows, least, zero), dimensions={1}, to_apply=larger
  pivot = get-tuple-element(found), index=1
  pivot_wide = s32[$B,$M] broadcast(pivot), dimensions={0}
  is_pivot = compare(rows, pivot_wide), direction=EQ
  row_here = dynamic-slice(a, zero, i, zero), dynamic_slice_sizes={$B,1,$N}
  flat_here = $T[$B,$N] reshape(row_here)
  pivot_start = s32[$B,1] reshape(pivot)
  flat_pivot = gather(a, pivot_start), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1,$N}
  all_here = $T[$B,$M,$N] broadcast(flat_here), dimensions={0,2}
  all_pivot = $T[$B,$M,$N] broadcast(flat_pivot), dimensions={0,2}
  is_row_pivot = pred[$B,$M,$N] broadcast(is_pivot), dimensions={0,1}
  is_row_here = pred[$B,$M,$N] broadcast(is_at), dimensions={0,1}
  half = select(is_row_pivot, all_here, a)
  swapped = select(is_row_here, all_pivot, half)
  diagonal = dynamic-slice(flat_pivot, zero, i), dynamic_slice_sizes={$B,1}
  flat_diagonal = $T[$B] reshape(diagonal)
  no_diagonal = $T[$B] broadcast(nothing), dimensions={}
  units = $T[$B] broadcast(unit), dimensions={}
  is_singular = compare(flat_diagonal, no_diagonal), direction=EQ
  divisor = select(is_singular, units, flat_diagonal)
  divisors = $T[$B,$M] broadcast(divisor), dimensions={0}
  swapped_column = dynamic-slice(swapped, zero, zero, i), dynamic_slice_sizes={$B,$M,1}
  flat_swapped = $T[$B,$M] reshape(swapped_column)
  quotients = divide(flat_swapped, divisors)
  factors = select(is_below, quotients, no_column)
  next_column = select(is_below, quotients, flat_swapped)
  columns = s32[$B,$N] iota(), iota_dimension=1
  at_column = s32[$B,$N] broadcast(i), dimensions={}
  is_right = compare(columns, at_column), direction=GT
  no_row = $T[$B,$N] broadcast(nothing), dimensions={}
  upper = select(is_right, flat_pivot, no_row)
  factors_wide = $T[$B,$M,$N] broadcast(factors), dimensions={0,1}
  upper_wide = $T[$B,$M,$N] broadcast(upper), dimensions={0,2}
  product = multiply(factors_wide, upper_wide)
  reduced = subtract(swapped, product)
  tall_column = $T[$B,$M,1] reshape(next_column)
  next_a = dynamic-update-slice(reduced, tall_column, zero, zero, i)
  ones = s32[$B] broadcast(one), dimensions={}
  counted = add(pivot, ones)
  counted_wide = s32[$B,1] reshape(counted)
  next_pivots = dynamic-update-slice(pivots, counted_wide, zero, i)
  next_i = add(i, one)
  all_next = s32[$B] broadcast(next_i), dimensions={}
  no_info = s32[$B] broadcast(zero), dimensions={}
  is_fine = compare(info, no_info), direction=EQ
  is_new = and(is_fine, is_singular)
  next_info = select(is_new, all_next, info)
  ROOT next = tuple(next_i, next_a, next_pivots, next_info)
}
ENTRY lu {
  a = $T[$B,$M,$N] parameter(0)
  zero = s32[] constant(0)
  pivots = s32[$B,$K] broadcast(zero), dimensions={}
  info = s32[$B] broadcast(zero), dimensions={}
  start = tuple(zero, a, pivots, info)
  end = while(start), condition=goes_on, body=eliminate
  factors = get-tuple-element(end), index=1
  found = get-tuple-element(end), index=2
  failed = get-tuple-element(end), index=3
  ROOT results = tuple(factors, found, failed)
}
)";

constexpr std::string_view kPermutation = R"(HloModule permutation
goes_on {
  state = (s32[], s32[$B,$N], s32[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  end = s32[] constant($K)
  ROOT answer = compare(i, end), direction=LT
}
swap {
  state = (s32[], s32[$B,$N], s32[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  order = get-tuple-element(state), index=1
  pivots = get-tuple-element(state), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  pivot = dynamic-slice(pivots, zero, i), dynamic_slice_sizes={$B,1}
  here = dynamic-slice(order, zero, i), dynamic_slice_sizes={$B,1}
  there = gather(order, pivot), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
  places = s32[$B,$N] iota(), iota_dimension=1
  at = s32[$B,$N] broadcast(i), dimensions={}
  flat_pivot = s32[$B] reshape(pivot)
  flat_here = s32[$B] reshape(here)
  pivot_wide = s32[$B,$N] broadcast(flat_pivot), dimensions={0}
  here_wide = s32[$B,$N] broadcast(flat_here), dimensions={0}
  there_wide = s32[$B,$N] broadcast(there), dimensions={0}
  is_pivot = compare(places, pivot_wide), direction=EQ
  is_at = compare(places, at), direction=EQ
  half = select(is_pivot, here_wide, order)
  next_order = select(is_at, there_wide, half)
  next_i = add(i, one)
  ROOT next = tuple(next_i, next_order, pivots)
}
ENTRY permutation {
  pivots = s32[$B,$K] parameter(0)
  zero = s32[] constant(0)
  order = s32[$B,$N] iota(), iota_dimension=1
  start = tuple(zero, order, pivots)
  end = while(start), condition=goes_on, body=swap
  ROOT result = get-tuple-element(end), index=1
}
)";

}  // namespace

// Operand: A. Results: L below the diagonal and U, the pivots' rows counted from 1, the first column without
// a pivot counted from 1, or 0.
Result<Instruction*> expandLu(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(3, 4));
  TRY(const Matrices matrices, readMatrices(call, call.operand(0)->shape()));
  if (matrices.empty()) return call.give({});
  Instruction* done = callOnMatrices(call, kLu, matrices, std::array{joinBatch(call, call.operand(0), 2)});
  std::vector<Instruction*> given;
  for (size_t n = 0; n < 3; ++n)
    given.push_back(splitBatch(call, call.element(done, static_cast<int64_t>(n)), call.result(n)));
  return call.give(std::move(given));
}

// Operand: the pivots' rows, counted from 0. Result: which row comes where.
Result<Instruction*> expandLuPermutation(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(1, 1));
  const Shape pivots = call.operand(0)->shape(), order = call.result(0);
  const bool isFit = pivots.isArray() && pivots.rank() > 0 && order.rank() == pivots.rank() &&
                     pivots.elementType() == ElementType::S32 && order.elementType() == ElementType::S32;
  if (!isFit || pivots.dimensions().back() > order.dimensions().back())
    return call.malformed("takes no list of pivots");
  if (pivots.elementCount() == 0 || order.elementCount() == 0) return call.refuse("permutes nothing");
  const Expansion::Replacements sizes = {
      {"$B", fmt::format("{}", pivots.elementCount() / pivots.dimensions().back())},
      {"$N", fmt::format("{}", order.dimensions().back())},
      {"$K", fmt::format("{}", pivots.dimensions().back())}};
  Instruction* result = call.callText(kPermutation, sizes, std::array{joinBatch(call, call.operand(0), 1)});
  return call.give({splitBatch(call, result, order)});
}

}  // namespace hilo::library
