// Singular values and vectors, A = U S V*, as LAPACK's gesdd and cuSOLVER's gesvd and gesvdj give them, by
// one-sided Jacobi rotations: the columns of A (of A* where it is wider than high) are rotated until all are
// at right angles. Their lengths are the singular values, the rotations make V, and a QR factorization of the
// columns makes U, whole even where singular values are zero.
#include "core/hlo/expand/matrices.h"
#include "core/hlo/expand/rotations.h"

namespace hilo::library {
namespace {

constexpr std::string_view kAdjoint = R"(HloModule adjoint
ENTRY adjoint {
  a = $T[$B,$M,$N] parameter(0)
  turned = transpose(a), dimensions={0,2,1}
  bars = conjugate(turned)
  ROOT result = copy(bars)
}
)";

constexpr std::string_view kState = "(s32[], $T[$B,$N,$M], $T[$B,$N,$N])";

// X holds the columns as rows, Y the rotations: given = transpose(X) conjugate(Y).
constexpr std::string_view kColumns = R"(HloModule columns
$ROUNDS
larger {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  ROOT top = maximum(a, b)
}
sum_of_products {
  a = $T[] parameter(0)
  b = $T[] parameter(1)
  ROOT both = add(a, b)
}
is_more {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT more = compare(a, b), direction=GT
}
rotate {
  state = $STATE parameter(0)
  r = get-tuple-element(state), index=0
  x = get-tuple-element(state), index=1
  y = get-tuple-element(state), index=2
$PAIRING  no_size = $R[] constant(0)
  nothing = $T[] constant($ZERO)
  x_size = abs(x)
  x_size2 = multiply(x_size, x_size)
  d = reduce(x_size2, no_size), dimensions={2}, to_apply=sum
  e = gather(d, there), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$B,1}
  other_x = gather(x, there), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$B,1,$M}
  other_bar = conjugate(other_x)
  products = multiply(x, other_bar)
  g = reduce(products, nothing), dimensions={2}, to_apply=sum_of_products
$ANGLES  c_long = $T[$B,$N,$M] broadcast(c), dimensions={0,1}
  t_long = $T[$B,$N,$M] broadcast(t), dimensions={0,1}
  own_x = multiply(c_long, x)
  added_x = multiply(t_long, other_x)
  next_x = add(own_x, added_x)
  c_rows = $T[$B,$N,$N] broadcast(c), dimensions={0,1}
  t_rows = $T[$B,$N,$N] broadcast(t), dimensions={0,1}
  other_y = gather(y, there), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$B,1,$N}
  own_y = multiply(c_rows, y)
  added_y = multiply(t_rows, other_y)
  next_y = add(own_y, added_y)
  next_r = add(r, one)
  ROOT next = tuple(next_r, next_x, next_y)
}
more_sweeps {
  state = $STATE parameter(0)
  sweep = get-tuple-element(state), index=0
  x = get-tuple-element(state), index=1
  most = s32[] constant(40)
  is_early = compare(sweep, most), direction=LT
  rows = s32[$B,$N,$N] iota(), iota_dimension=1
  columns = s32[$B,$N,$N] iota(), iota_dimension=2
  is_pair = compare(rows, columns), direction=NE
  bars = conjugate(x)
  between = dot(x, bars), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}
  between_size = abs(between)
  zero = $R[] constant(0)
  size = abs(x)
  size2 = multiply(size, size)
  length2 = reduce(size2, zero), dimensions={2}, to_apply=sum
  length = sqrt(length2)
  of_rows = $R[$B,$N,$N] broadcast(length), dimensions={0,1}
  of_columns = $R[$B,$N,$N] broadcast(length), dimensions={0,2}
  tolerance = $R[] constant($TOLERANCE)
  tolerances = $R[$B,$N,$N] broadcast(tolerance), dimensions={}
  lengths = multiply(of_rows, of_columns)
  bound = multiply(lengths, tolerances)
  is_over = compare(between_size, bound), direction=GT
  is_far = and(is_pair, is_over)
  no = pred[] constant(false)
  any_far = reduce(is_far, no), dimensions={0,1,2}, to_apply=any
  ROOT answer = and(is_early, any_far)
}
$SWEEP
ENTRY columns {
  given = $T[$B,$M,$N] parameter(0)
  no_size = $R[] constant(0)
  sizes = abs(given)
  largest = reduce(sizes, no_size), dimensions={1,2}, to_apply=larger
  no_sizes = $R[$B] broadcast(no_size), dimensions={}
  full = $R[] constant(1)
  fulls = $R[$B] broadcast(full), dimensions={}
  is_zero = compare(largest, no_sizes), direction=EQ
  unit_size = select(is_zero, fulls, largest)
  unit_wide = from-parts(unit_size, no_sizes)
  units_wide = $T[$B,$M,$N] broadcast(unit_wide), dimensions={0}
  scaled = divide(given, units_wide)
  x = transpose(scaled), dimensions={0,2,1}
  rows = s32[$B,$N,$N] iota(), iota_dimension=1
  columns = s32[$B,$N,$N] iota(), iota_dimension=2
  is_diagonal = compare(rows, columns), direction=EQ
  nothing = $T[] constant($ZERO)
  unit = $T[] constant($ONE)
  nothings = $T[$B,$N,$N] broadcast(nothing), dimensions={}
  units = $T[$B,$N,$N] broadcast(unit), dimensions={}
  y = select(is_diagonal, units, nothings)
  zero = s32[] constant(0)
  start = tuple(zero, x, y)
  end = while(start), condition=more_sweeps, body=sweep
  turned_x = get-tuple-element(end), index=1
  turned_y = get-tuple-element(end), index=2
  size = abs(turned_x)
  size2 = multiply(size, size)
  length2 = reduce(size2, no_size), dimensions={2}, to_apply=sum
  length = sqrt(length2)
  places = s32[$B,$N] iota(), iota_dimension=1
  sorted = ($R[$B,$N], s32[$B,$N]) sort(length, places), dimensions={1}, is_stable=true, to_apply=is_more
  descending = get-tuple-element(sorted), index=0
  order = get-tuple-element(sorted), index=1
  unit_rows = $R[$B,$N] broadcast(unit_size), dimensions={0}
  values = multiply(descending, unit_rows)
  starts = s32[$B,$N,1] reshape(order)
  ordered_x = gather(turned_x, starts), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,$M}
  ordered_y = gather(turned_y, starts), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,$N}
  directions = transpose(ordered_x), dimensions={0,2,1}
  v = transpose(ordered_y), dimensions={0,2,1}
  v_adjoint = conjugate(ordered_y)
  ROOT results = tuple(directions, values, v, v_adjoint)
}
)";

// Q's columns point along the columns of what was factored where R's diagonal is not negative.
constexpr std::string_view kSigned = R"(HloModule signed
sum {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  ROOT both = add(a, b)
}
ENTRY signed {
  q = $T[$B,$M,$KEPT] parameter(0)
  factors = $T[$B,$M,$N] parameter(1)
  rows = s32[$B,$M,$N] iota(), iota_dimension=1
  columns = s32[$B,$M,$N] iota(), iota_dimension=2
  is_diagonal = compare(rows, columns), direction=EQ
  real = real-part(factors)
  zero = $R[] constant(0)
  zeros = $R[$B,$M,$N] broadcast(zero), dimensions={}
  own = select(is_diagonal, real, zeros)
  diagonal = reduce(own, zero), dimensions={1}, to_apply=sum
  long = pad(diagonal, zero), padding=0_0x0_$MORE
  none = $R[$B,$KEPT] broadcast(zero), dimensions={}
  one = $R[] constant(1)
  up = $R[$B,$KEPT] broadcast(one), dimensions={}
  down = negate(up)
  is_down = compare(long, none), direction=LT
  sign = select(is_down, down, up)
  sign_wide = from-parts(sign, none)
  signs = $T[$B,$M,$KEPT] broadcast(sign_wide), dimensions={0,2}
  u = multiply(q, signs)
  turned = transpose(u), dimensions={0,2,1}
  u_adjoint = conjugate(turned)
  ROOT results = tuple(u, u_adjoint)
}
)";

// U and V, and both adjoint, with as many columns of each as are asked for.
struct Vectors {
  Instruction *u, *uAdjoint, *v, *vAdjoint, *values;
};

// Of a matrix with no more columns than rows, `kept` columns of U.
Vectors ofColumns(const Expansion& call, const Matrices& matrices, Instruction* value, int64_t kept) {
  const double relative =
      (matrices.realType == ElementType::F32 ? 1.2e-7 : 2.3e-16) * static_cast<double>(matrices.rows + 8);
  Expansion::Replacements names = rotationNames(matrices.columns);
  names.emplace_back("$TOLERANCE", fmt::format("{}", relative));
  Instruction* columns =
      callOnMatrices(call, withRotations(kColumns, kState), matrices, std::array{value}, std::move(names));
  const QrFactors qr = factorQr(call, matrices, call.element(columns, 0), kept);
  Instruction* both = callOnMatrices(
      call, kSigned, matrices, std::array{qr.q, qr.factors},
      {{"$KEPT", fmt::format("{}", kept)}, {"$MORE", fmt::format("{}", kept - matrices.columns)}});
  return {call.element(both, 0), call.element(both, 1), call.element(columns, 2), call.element(columns, 3),
          call.element(columns, 1)};
}

// The same of any, with `kept` columns of the longer of both.
Vectors vectorsOf(const Expansion& call, const Matrices& matrices, Instruction* value, int64_t kept) {
  if (matrices.rows >= matrices.columns) return ofColumns(call, matrices, value, kept);
  Instruction* adjoint = callOnMatrices(call, kAdjoint, matrices, std::array{value});
  Matrices turned = matrices;
  std::swap(turned.rows, turned.columns);
  const Vectors of = ofColumns(call, turned, adjoint, kept);
  return {of.v, of.vAdjoint, of.u, of.uAdjoint, of.values};
}

// What stands where among the results, and as what.
struct SvdForm {
  bool computesVectors = true;
  size_t u = 2, v = 3;
  bool givesVAdjoint = true;
};

// How many columns of U and V are asked for, the number of the longer; the other one is square.
Result<int64_t> keptColumns(const Expansion& call, const Matrices& matrices, const SvdForm& form) {
  const auto columnsOf = [&](size_t result, bool isAdjoint) {
    const Shape shape = call.result(result);
    return shape.rank() < 2 ? -1 : shape.dimension(shape.rank() - (isAdjoint ? 2 : 1));
  };
  const int64_t u = columnsOf(form.u, false), v = columnsOf(form.v, form.givesVAdjoint);
  const int64_t k = matrices.reflections;
  const bool isHigh = matrices.rows >= matrices.columns;
  const int64_t longer = isHigh ? u : v, other = isHigh ? v : u;
  if (other != k || (longer != k && longer != std::max(matrices.rows, matrices.columns)))
    return call.malformed("gives vectors of another number than there are");
  return longer;
}

Result<Instruction*> expandForm(const Expansion& call, const SvdForm& form) {
  TRY(const Matrices matrices, readMatrices(call, call.operand(0)->shape()));
  if (matrices.empty()) return call.refuse("takes empty matrices");
  // Products of two numbers of rows are 32 bits wide.
  if (std::max(matrices.rows, matrices.columns) > 32'768)
    return call.refuse("takes matrices of more than 32768 rows or columns");
  int64_t kept = matrices.reflections;
  if (form.computesVectors) {
    TRY(kept, keptColumns(call, matrices, form));
  }
  const Vectors vectors = vectorsOf(call, matrices, joinBatch(call, call.operand(0), 2), kept);
  std::vector<Instruction*> given = {call.zeros(call.result(0)),
                                     splitBatch(call, vectors.values, call.result(1)),
                                     call.zeros(call.result(2)), call.zeros(call.result(3))};
  if (form.computesVectors) {
    given[form.u] = splitBatch(call, vectors.u, call.result(form.u));
    given[form.v] = splitBatch(call, form.givesVAdjoint ? vectors.vAdjoint : vectors.v, call.result(form.v));
  }
  return call.give(std::move(given));
}

}  // namespace

// Operand: A. Results: what it is overwritten with, here zero; singular values from the largest down; U; V*;
// 0 and workspace. mode is a letter: N for values alone.
Result<Instruction*> expandGesdd(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(5, 8));
  TRY(const CallConfig config, call.config());
  const auto mode = static_cast<int>(config.number("mode", 'A'));
  if (mode != 'A' && mode != 'S' && mode != 'N') return call.refuse(fmt::format("has mode {}", mode));
  return expandForm(call, {.computesVectors = mode != 'N'});
}

// The same, with flags. A transposed one, of a matrix that lies by rows, gives V* and then U.
Result<Instruction*> expandGesvd(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(5, 5));
  TRY(const CallConfig config, call.config());
  SvdForm form{.computesVectors = config.flag("compute_uv", true)};
  if (config.flag("transposed", false)) std::swap(form.u, form.v);
  return expandForm(call, form);
}

// By Jacobi's rotations there too: V takes the place of V*.
Result<Instruction*> expandGesvdj(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(5, 5));
  TRY(const CallConfig config, call.config());
  return expandForm(call, {.computesVectors = config.flag("compute_uv", true), .givesVAdjoint = false});
}

}  // namespace hilo::library
