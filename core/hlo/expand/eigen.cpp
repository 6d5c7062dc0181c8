// Eigenvalues and eigenvectors of Hermitian matrices, as LAPACK's syevd gives them, by Jacobi's
// rotations: in each round all rows are in pairs that are rotated at once, and in a sweep of rounds each
// row meets every other.
#include "core/hlo/expand/matrices.h"
#include "core/hlo/expand/rotations.h"

namespace hilo::library {
namespace {

constexpr std::string_view kState = "(s32[], $T[$B,$N,$N], $T[$B,$N,$N])";

// W holds the conjugate eigenvectors as rows: A = W* D W.
constexpr std::string_view kEigen = R"(HloModule eigen
$ROUNDS
is_less {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT less = compare(a, b), direction=LT
}
rotate {
  state = $STATE parameter(0)
  r = get-tuple-element(state), index=0
  a = get-tuple-element(state), index=1
  w = get-tuple-element(state), index=2
$PAIRING  here_here = concatenate(here, here), dimensions={1}
  here_there = concatenate(here, there), dimensions={1}
  there_there = concatenate(there, there), dimensions={1}
  d_here = gather(a, here_here), offset_dims={0}, collapsed_slice_dims={1,2}, start_index_map={1,2}, index_vector_dim=1, slice_sizes={$B,1,1}
  d_there = gather(a, there_there), offset_dims={0}, collapsed_slice_dims={1,2}, start_index_map={1,2}, index_vector_dim=1, slice_sizes={$B,1,1}
  g = gather(a, here_there), offset_dims={0}, collapsed_slice_dims={1,2}, start_index_map={1,2}, index_vector_dim=1, slice_sizes={$B,1,1}
  d = real-part(d_here)
  e = real-part(d_there)
$ANGLES  t_bar = conjugate(t)
  c_rows = $T[$B,$N,$N] broadcast(c), dimensions={0,1}
  t_rows = $T[$B,$N,$N] broadcast(t), dimensions={0,1}
  c_columns = $T[$B,$N,$N] broadcast(c), dimensions={0,2}
  t_columns = $T[$B,$N,$N] broadcast(t_bar), dimensions={0,2}
  other_rows = gather(a, there), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$B,1,$N}
  own_part = multiply(c_rows, a)
  other_part = multiply(t_rows, other_rows)
  by_rows = add(own_part, other_part)
  other_columns = gather(by_rows, there), offset_dims={0,1}, collapsed_slice_dims={2}, start_index_map={2}, index_vector_dim=1, slice_sizes={$B,$N,1}
  own_column = multiply(c_columns, by_rows)
  other_column = multiply(t_columns, other_columns)
  next_a = add(own_column, other_column)
  other_w = gather(w, there), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$B,1,$N}
  own_vector = multiply(c_rows, w)
  other_vector = multiply(t_rows, other_w)
  next_w = add(own_vector, other_vector)
  next_r = add(r, one)
  ROOT next = tuple(next_r, next_a, next_w)
}
more_sweeps {
  state = $STATE parameter(0)
  sweep = get-tuple-element(state), index=0
  a = get-tuple-element(state), index=1
  most = s32[] constant(30)
  is_early = compare(sweep, most), direction=LT
  rows = s32[$B,$N,$N] iota(), iota_dimension=1
  columns = s32[$B,$N,$N] iota(), iota_dimension=2
  is_diagonal = compare(rows, columns), direction=EQ
  size = abs(a)
  size2 = multiply(size, size)
  zero = $R[] constant(0)
  zeros = $R[$B,$N,$N] broadcast(zero), dimensions={}
  off = select(is_diagonal, zeros, size2)
  off2 = reduce(off, zero), dimensions={1,2}, to_apply=sum
  all2 = reduce(size2, zero), dimensions={1,2}, to_apply=sum
  tolerance = $R[] constant($TOLERANCE)
  tolerances = $R[$B] broadcast(tolerance), dimensions={}
  bound = multiply(all2, tolerances)
  is_far = compare(off2, bound), direction=GT
  no = pred[] constant(false)
  any_far = reduce(is_far, no), dimensions={0}, to_apply=any
  ROOT answer = and(is_early, any_far)
}
$SWEEP
ENTRY eigen {
  given = $T[$B,$N,$N] parameter(0)
  rows = s32[$B,$N,$N] iota(), iota_dimension=1
  columns = s32[$B,$N,$N] iota(), iota_dimension=2
  is_diagonal = compare(rows, columns), direction=EQ
  is_kept = compare(rows, columns), direction=$KEPT
  turned = transpose(given), dimensions={0,2,1}
  mirrored = conjugate(turned)
  full = select(is_kept, given, mirrored)
  own = real-part(given)
  none = subtract(own, own)
  real_own = from-parts(own, none)
  a = select(is_diagonal, real_own, full)
  nothing = $T[] constant($ZERO)
  unit = $T[] constant($ONE)
  nothings = $T[$B,$N,$N] broadcast(nothing), dimensions={}
  units = $T[$B,$N,$N] broadcast(unit), dimensions={}
  w = select(is_diagonal, units, nothings)
  zero = s32[] constant(0)
  start = tuple(zero, a, w)
  end = while(start), condition=more_sweeps, body=sweep
  rotated = get-tuple-element(end), index=1
  vectors = get-tuple-element(end), index=2
  sizes = real-part(rotated)
  zero_size = $R[] constant(0)
  zero_sizes = $R[$B,$N,$N] broadcast(zero_size), dimensions={}
  on_diagonal = select(is_diagonal, sizes, zero_sizes)
  values = reduce(on_diagonal, zero_size), dimensions={2}, to_apply=sum
  places = s32[$B,$N] iota(), iota_dimension=1
  sorted = ($R[$B,$N], s32[$B,$N]) sort(values, places), dimensions={1}, is_stable=true, to_apply=is_less
  ascending = get-tuple-element(sorted), index=0
  order = get-tuple-element(sorted), index=1
  starts = s32[$B,$N,1] reshape(order)
  ordered = gather(vectors, starts), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,$N}
  bars = conjugate(ordered)
  by_columns = transpose(bars), dimensions={0,2,1}
  ROOT results = tuple(by_columns, ascending)
}
)";

// The eigenvectors as columns and the eigenvalues from the least up. One triangle of the matrices is read.
Result<Instruction*> decomposed(Expansion& call, bool isLower) {
  TRY(const Matrices matrices, readMatrices(call, call.operand(0)->shape()));
  if (matrices.rows != matrices.columns) return call.malformed("takes matrices that are not square");
  // Products of two numbers of rows are 32 bits wide.
  if (matrices.rows > 32'768) return call.refuse("takes matrices of more than 32768 rows");
  if (matrices.empty()) return call.give({});
  const double relative =
      (matrices.realType == ElementType::F32 ? 1.2e-7 : 2.3e-16) * static_cast<double>(matrices.rows);
  Expansion::Replacements more = rotationNames(matrices.rows);
  more.emplace_back("$KEPT", isLower ? "GT" : "LT");
  more.emplace_back("$TOLERANCE", fmt::format("{}", relative * relative));
  Instruction* done = callOnMatrices(call, withRotations(kEigen, kState), matrices,
                                     std::array{joinBatch(call, call.operand(0), 2)}, more);
  return call.give({splitBatch(call, call.element(done, 0), call.result(0)),
                    splitBatch(call, call.element(done, 1), call.result(1))});
}

}  // namespace

// Operand: A. Results: eigenvectors, eigenvalues, 0. uplo is a letter.
Result<Instruction*> expandEigen(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(3, 3));
  TRY(const CallConfig config, call.config());
  return decomposed(call, config.flag("lower", false) || config.number("uplo", 'U') == 'L');
}

// Operand: A. Results: eigenvectors, eigenvalues. The configuration is whether the lower triangle is read,
// whether eigenvalues are to be in order, how many sweeps at most, and how exactly: "1,1,100,1e-6".
Result<Instruction*> expandEigh(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(2, 2));
  const std::string_view config = call.call().get<Attr::BackendConfig>();
  const std::string_view triangle = config.substr(0, config.find(','));
  if (triangle != "0" && triangle != "1") return call.malformed("does not say which triangle it reads");
  return decomposed(call, triangle == "1");
}

}  // namespace hilo::library
