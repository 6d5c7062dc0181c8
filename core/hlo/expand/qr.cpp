// Factors A = Q R by reflections, as LAPACK's geqrf and orgqr give them: reflection i is 1 - tau v v*, where
// v is 1 in row i and stands below the diagonal of column i.
#include "core/hlo/expand/matrices.h"

namespace hilo::library {
namespace {

constexpr std::string_view kReflect = R"(HloModule reflect
sum {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  ROOT both = add(a, b)
}
goes_on {
  state = (s32[], $T[$B,$M,$N], $T[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  end = s32[] constant($K)
  ROOT answer = compare(i, end), direction=LT
}
reflect {
  state = (s32[], $T[$B,$M,$N], $T[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  a = get-tuple-element(state), index=1
  taus = get-tuple-element(state), index=2
$COLUMN
  no_size = $R[] constant(0)
  full = $R[] constant(1)
  corner = dynamic-slice(flat, zero, i), dynamic_slice_sizes={$B,1}
  alpha = $T[$B] reshape(corner)
  below = select(is_below, flat, no_column)
  re = real-part(below)
  im = imaginary-part(below)
  re2 = multiply(re, re)
  im2 = multiply(im, im)
  squares = add(re2, im2)
  rest2 = reduce(squares, no_size), dimensions={1}, to_apply=sum
  alpha_re = real-part(alpha)
  alpha_im = imaginary-part(alpha)
  alpha_re2 = multiply(alpha_re, alpha_re)
  alpha_im2 = multiply(alpha_im, alpha_im)
  alpha2 = add(alpha_re2, alpha_im2)
  norm2 = add(alpha2, rest2)
  norm = sqrt(norm2)
  minus_norm = negate(norm)
  sizes = $R[$B] broadcast(no_size), dimensions={}
  fulls = $R[$B] broadcast(full), dimensions={}
  is_positive = compare(alpha_re, sizes), direction=GE
  reflected = select(is_positive, minus_norm, norm)
  no_rest = compare(rest2, sizes), direction=EQ
  is_real = compare(alpha_im, sizes), direction=EQ
  is_done = and(no_rest, is_real)
  beta = select(is_done, alpha_re, reflected)
  divisor = select(is_done, fulls, reflected)
  to_alpha = subtract(beta, alpha_re)
  tau_re = divide(to_alpha, divisor)
  minus_im = negate(alpha_im)
  tau_im = divide(minus_im, divisor)
  tau = from-parts(tau_re, tau_im)
  beta_wide = from-parts(beta, sizes)
  difference = subtract(alpha, beta_wide)
  units = $T[$B] broadcast(unit), dimensions={}
  scale = select(is_done, units, difference)
  scales = $T[$B,$M] broadcast(scale), dimensions={0}
  scaled = divide(below, scales)
  unit_column = $T[$B,$M] broadcast(unit), dimensions={}
  v = select(is_at, unit_column, scaled)
  v_bar = conjugate(v)
  w = dot(v_bar, a), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  columns = s32[$B,$N] iota(), iota_dimension=1
  at_column = s32[$B,$N] broadcast(i), dimensions={}
  is_right = compare(columns, at_column), direction=GT
  no_row = $T[$B,$N] broadcast(nothing), dimensions={}
  w_right = select(is_right, w, no_row)
  tau_bar = conjugate(tau)
  taus_wide = $T[$B,$M] broadcast(tau_bar), dimensions={0}
  v_scaled = multiply(v, taus_wide)
  v_wide = $T[$B,$M,$N] broadcast(v_scaled), dimensions={0,1}
  w_wide = $T[$B,$M,$N] broadcast(w_right), dimensions={0,2}
  product = multiply(v_wide, w_wide)
  reduced = subtract(a, product)
  beta_rows = $T[$B,$M] broadcast(beta_wide), dimensions={0}
  with_beta = select(is_at, beta_rows, flat)
  next_column = select(is_below, scaled, with_beta)
  tall_column = $T[$B,$M,1] reshape(next_column)
  next_a = dynamic-update-slice(reduced, tall_column, zero, zero, i)
  tau_tall = $T[$B,1] reshape(tau)
  next_taus = dynamic-update-slice(taus, tau_tall, zero, i)
  next_i = add(i, one)
  ROOT next = tuple(next_i, next_a, next_taus)
}
ENTRY factors {
  a = $T[$B,$M,$N] parameter(0)
  zero = s32[] constant(0)
  nothing = $T[] constant($ZERO)
  taus = $T[$B,$K] broadcast(nothing), dimensions={}
  start = tuple(zero, a, taus)
  end = while(start), condition=goes_on, body=reflect
  factors = get-tuple-element(end), index=1
  found = get-tuple-element(end), index=2
  ROOT results = tuple(factors, found)
}
)";

// The last reflection first, from the columns of 1.
constexpr std::string_view kApply = R"(HloModule apply
goes_on {
  state = (s32[], $T[$B,$M,$N], $T[$B,$M,$N], $T[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  zero = s32[] constant(0)
  ROOT answer = compare(i, zero), direction=GE
}
reflect {
  state = (s32[], $T[$B,$M,$N], $T[$B,$M,$N], $T[$B,$K]) parameter(0)
  i = get-tuple-element(state), index=0
  q = get-tuple-element(state), index=1
  a = get-tuple-element(state), index=2
  taus = get-tuple-element(state), index=3
$COLUMN
  unit_column = $T[$B,$M] broadcast(unit), dimensions={}
  below = select(is_below, flat, no_column)
  v = select(is_at, unit_column, below)
  v_bar = conjugate(v)
  w = dot(v_bar, q), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  tau_here = dynamic-slice(taus, zero, i), dynamic_slice_sizes={$B,1}
  tau = $T[$B] reshape(tau_here)
  taus_wide = $T[$B,$M] broadcast(tau), dimensions={0}
  v_scaled = multiply(v, taus_wide)
  v_wide = $T[$B,$M,$N] broadcast(v_scaled), dimensions={0,1}
  w_wide = $T[$B,$M,$N] broadcast(w), dimensions={0,2}
  product = multiply(v_wide, w_wide)
  next_q = subtract(q, product)
  next_i = subtract(i, one)
  ROOT next = tuple(next_i, next_q, a, taus)
}
ENTRY apply {
  a = $T[$B,$M,$N] parameter(0)
  taus = $T[$B,$K] parameter(1)
  last = s32[] constant($LAST)
  nothing = $T[] constant($ZERO)
  unit = $T[] constant($ONE)
  rows = s32[$B,$M,$N] iota(), iota_dimension=1
  columns = s32[$B,$M,$N] iota(), iota_dimension=2
  is_diagonal = compare(rows, columns), direction=EQ
  units = $T[$B,$M,$N] broadcast(unit), dimensions={}
  nothings = $T[$B,$M,$N] broadcast(nothing), dimensions={}
  q = select(is_diagonal, units, nothings)
  start = tuple(last, q, a, taus)
  end = while(start), condition=goes_on, body=reflect
  ROOT result = get-tuple-element(end), index=1
}
)";

}  // namespace

QrFactors factorQr(const Expansion& call, const Matrices& matrices, Instruction* value, int64_t kept) {
  Instruction* done = callOnMatrices(call, kReflect, matrices, std::array{value});
  Instruction *factors = call.element(done, 0), *taus = call.element(done, 1), *wide = factors;
  Matrices whole = matrices;
  whole.columns = kept;
  if (kept > matrices.columns) {
    const std::array sizes = {matrices.batch, matrices.rows, kept - matrices.columns};
    wide = call.add(Opcode::Concatenate, Shape::array(matrices.type, {matrices.batch, matrices.rows, kept}),
                    {factors, call.zeros(Shape::array(matrices.type, sizes))});
    wide->set<Attr::Dimensions>(std::array<int64_t, 1>{2});
  }
  return {callOnMatrices(call, kApply, whole, std::array{wide, taus}), factors};
}

// Operand: A. Results: R and, below it, the reflections; tau; perhaps workspace.
Result<Instruction*> expandQr(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(2, 4));
  TRY(const Matrices matrices, readMatrices(call, call.operand(0)->shape()));
  if (matrices.empty()) return call.give({});
  Instruction* done =
      callOnMatrices(call, kReflect, matrices, std::array{joinBatch(call, call.operand(0), 2)});
  return call.give({splitBatch(call, call.element(done, 0), call.result(0)),
                    splitBatch(call, call.element(done, 1), call.result(1))});
}

// Operands: reflections below the diagonal, tau. Result: the first columns of Q.
Result<Instruction*> expandQrColumns(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 3));
  TRY(Matrices matrices, readMatrices(call, call.operand(0)->shape()));
  if (matrices.empty()) return call.give({});
  const Shape taus = call.operand(1)->shape();
  if (!taus.isArray() || taus.rank() == 0 || taus.elementType() != matrices.type ||
      taus.dimensions().back() == 0 || taus.dimensions().back() > matrices.reflections ||
      taus.elementCount() != matrices.batch * taus.dimensions().back())
    return call.malformed("takes no tau");
  matrices.reflections = taus.dimensions().back();
  Instruction* q =
      callOnMatrices(call, kApply, matrices,
                     std::array{joinBatch(call, call.operand(0), 2), joinBatch(call, call.operand(1), 1)});
  return call.give({splitBatch(call, q, call.result(0))});
}

}  // namespace hilo::library
