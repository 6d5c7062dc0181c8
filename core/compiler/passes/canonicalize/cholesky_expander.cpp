#include "core/compiler/passes/canonicalize/cholesky_expander.h"

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

// $T the type, $B matrices of $N rows; $CONJUGATE and $REAL of its elements. Lower triangles are read.
constexpr std::string_view kCholesky = R"(HloModule cholesky
sum {
  a = $T[] parameter(0)
  b = $T[] parameter(1)
  ROOT c = add(a, b)
}
goes_on {
  state = (s32[], $T[$B,$N,$N], $T[$B,$N,$N]) parameter(0)
  j = get-tuple-element(state), index=0
  end = s32[] constant($N)
  ROOT answer = compare(j, end), direction=LT
}
column {
  state = (s32[], $T[$B,$N,$N], $T[$B,$N,$N]) parameter(0)
  j = get-tuple-element(state), index=0
  a = get-tuple-element(state), index=1
  l = get-tuple-element(state), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  nothing = $T[] constant(0)
  row = dynamic-slice(l, zero, j, zero), dynamic_slice_sizes={$B,1,$N}
  flat_row = $T[$B,$N] reshape(row)
$CONJUGATE
  rows = $T[$B,$N,$N] broadcast(other), dimensions={0,2}
  products = multiply(l, rows)
  before = $T[$B,$N] reduce(products, nothing), dimensions={2}, to_apply=sum
  given = dynamic-slice(a, zero, zero, j), dynamic_slice_sizes={$B,$N,1}
  flat_given = $T[$B,$N] reshape(given)
  left = subtract(flat_given, before)
  pivot = dynamic-slice(left, zero, j), dynamic_slice_sizes={$B,1}
  flat_pivot = $T[$B] reshape(pivot)
$ROOT_OF
  divisors = $T[$B,$N] broadcast(diagonal), dimensions={0}
  quotients = divide(left, divisors)
  places = s32[$B,$N] iota(), iota_dimension=1
  at = s32[$B,$N] broadcast(j), dimensions={}
  is_below = compare(places, at), direction=GT
  is_at = compare(places, at), direction=EQ
  empty = $T[$B,$N] broadcast(nothing), dimensions={}
  below = select(is_below, quotients, empty)
  made = select(is_at, divisors, below)
  tall = $T[$B,$N,1] reshape(made)
  next_l = dynamic-update-slice(l, tall, zero, zero, j)
  next_j = add(j, one)
  ROOT next = tuple(next_j, a, next_l)
}
ENTRY cholesky {
  a = $T[$B,$N,$N] parameter(0)
  zero = s32[] constant(0)
  nothing = $T[] constant(0)
  l = $T[$B,$N,$N] broadcast(nothing), dimensions={}
  start = tuple(zero, a, l)
  end = while(start), condition=goes_on, body=column
  ROOT factor = get-tuple-element(end), index=2
}
)";

bool isCholesky(const Instruction& i) {
  return i.opcode() == Opcode::Cholesky && i.shape().rank() >= 2 && !i.shape().isDynamic();
}

std::optional<Diagnostic> refusal(const Instruction& i) {
  if (i.shape().elementCount() > 0) return std::nullopt;
  return Diagnostic{.severity = Severity::kNote, .kind = "empty", .message = "it has no elements"};
}

// The conjugate transpose.
Instruction* adjoint(const library::Expansion& call, Instruction* value) {
  const std::vector<int64_t> order = {0, 2, 1};
  Instruction* turned = call.add(Opcode::Transpose, value->shape(), {value});
  turned->set<Attr::Dimensions>(order);
  if (!isComplex(value->shape().elementType())) return turned;
  const Shape real = value->shape().withElementType(
      value->shape().elementType() == ElementType::C64 ? ElementType::F32 : ElementType::F64);
  Instruction* imaginary = call.add(Opcode::Imag, real, {turned});
  return call.add(Opcode::Complex, value->shape(),
                  {call.add(Opcode::Real, real, {turned}), call.unary(Opcode::Negate, imaginary)});
}

// The decomposition is of a type that square roots and sums keep exact enough: f32 at least.
ElementType workType(ElementType type) {
  return !isComplex(type) && elementBits(type) < 32 ? ElementType::F32 : type;
}

Result<Instruction*> expand(Instruction& cholesky) {
  const library::Expansion call(cholesky);
  const Shape shape = cholesky.shape();
  const ElementType type = workType(shape.elementType());
  const int64_t size = shape.dimensions().back(), count = shape.elementCount() / (size * size);
  const bool isComplexType = isComplex(type), isLower = cholesky.get<Attr::Lower>().value_or(false);
  const std::string real = type == ElementType::C128 ? "f64" : "f32";
  const std::string conjugate =
      isComplexType ? "  re = " + real + "[$B,$N] real(flat_row)\n  im = " + real +
                          "[$B,$N] imag(flat_row)\n  minus = negate(im)\n  other = complex(re, minus)"
                    : "  other = copy(flat_row)";
  const std::string root = isComplexType
                               ? "  length = " + real +
                                     "[$B] real(flat_pivot)\n  size = sqrt(length)\n"
                                     "  no_size = subtract(size, size)\n  diagonal = complex(size, no_size)"
                               : "  diagonal = sqrt(flat_pivot)";
  const Shape flat = Shape::array(type, {count, size, size});
  Instruction* a = call.convert(
      call.add(Opcode::Reshape, flat.withElementType(shape.elementType()), {cholesky.operand(0)}), type);
  if (!isLower) a = adjoint(call, a);
  const library::Expansion::Replacements words = {{"$CONJUGATE", conjugate}, {"$ROOT_OF", root}};
  std::string text(kCholesky);
  for (const auto& [name, instead] : words) text.replace(text.find(name), name.size(), instead);
  Instruction* factor = call.callText(text,
                                      {{"$T", std::string(elementTypeName(type))},
                                       {"$B", std::to_string(count)},
                                       {"$N", std::to_string(size)}},
                                      std::array{a});
  if (!isLower) factor = adjoint(call, factor);
  return call.add(Opcode::Reshape, shape, {call.convert(factor, shape.elementType())});
}

}  // namespace

Result<bool> expandCholeskys(Module& module, PassContext& context) {
  return expandInstructions(
      module,
      {.applies = isCholesky,
       .refusal = refusal,
       .expand = expand,
       .what = [](const Instruction&) { return std::string_view("the decomposition"); }},
      context);
}

}  // namespace hilo
