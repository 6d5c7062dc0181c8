#include "core/compiler/passes/canonicalize/rng_expander.h"

#include <fmt/format.h>

#include <numbers>

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

// $T the numbers' type, $U unsigned integers as wide, $D the sizes, $KEY the key of the seeds. Of a normal
// number two are drawn.
constexpr std::string_view kHead = R"(HloModule rng
ENTRY rng {
  op_seed = u64[] parameter(0)
  counter = u64[2] parameter(1)
  a = $T[] parameter(2)
  b = $T[] parameter(3)
  seed = u64[] custom-call(), custom_call_target="GetRngSeed", frontend_attributes={_xla_cse_safe_zero_operand="true"}
  mixed = u64[] xor(seed, op_seed)
$KEY
  key_row = u64[1] reshape(key)
  whole = u64[3] concatenate(key_row, counter), dimensions={0}
  drawn = (u64[3], $U[$D]) rng-bit-generator(whole), algorithm=rng_philox
  bits = $U[$D] get-tuple-element(drawn), index=1
)";
constexpr std::string_view kReplica = R"(  replica = u32[] replica-id()
  wide_replica = u64[] convert(replica)
  key = u64[] xor(mixed, wide_replica))";

// $EXPONENT that of numbers from 1 to 2, whose other bits are drawn; $SHIFT its width and the sign's.
constexpr std::string_view kFractions = R"(  width = $U[] constant($SHIFT)
  widths = $U[$D] broadcast(width), dimensions={}
  mantissas = shift-right-logical(bits, widths)
  exponent = $U[] constant($EXPONENT)
  exponents = $U[$D] broadcast(exponent), dimensions={}
  joined = or(mantissas, exponents)
  from_one = $T[$D] bitcast-convert(joined)
  one = $T[] constant(1)
  ones = $T[$D] broadcast(one), dimensions={}
  fractions = subtract(from_one, ones)
)";
constexpr std::string_view kUniformFloats = R"(  range = subtract(b, a)
  ranges = $T[$D] broadcast(range), dimensions={}
  firsts = $T[$D] broadcast(a), dimensions={}
  scaled = multiply(fractions, ranges)
  ROOT numbers = add(scaled, firsts)
}
)";
constexpr std::string_view kUniformIntegers = R"(  low = $U[] convert(a)
  high = $U[] convert(b)
  range = subtract(high, low)
  ranges = $U[$D] broadcast(range), dimensions={}
  lows = $U[$D] broadcast(low), dimensions={}
  within = remainder(bits, ranges)
  moved = add(within, lows)
  ROOT numbers = $T[$D] convert(moved)
}
)";
// Of [2, $N] fractions; those of the first row are not 0 when turned around. $S the sizes of the result.
constexpr std::string_view kNormal = R"(  turned = subtract(ones, fractions)
  first = $T[1,$N] slice(turned), slice={[0:1],[0:$N]}
  second = $T[1,$N] slice(fractions), slice={[1:2],[0:$N]}
  logs = log(first)
  minus_two = $T[] constant(-2)
  minus_twos = $T[1,$N] broadcast(minus_two), dimensions={}
  squares = multiply(logs, minus_twos)
  lengths = sqrt(squares)
  circle = $T[] constant($CIRCLE)
  circles = $T[1,$N] broadcast(circle), dimensions={}
  angles = multiply(second, circles)
  cosines = cosine(angles)
  standard = multiply(lengths, cosines)
  shaped = $T[$S] reshape(standard)
  deviations = $T[$S] broadcast(b), dimensions={}
  means = $T[$S] broadcast(a), dimensions={}
  spread = multiply(shaped, deviations)
  ROOT numbers = add(spread, means)
}
)";

bool isNormal(const Instruction& rng) { return rng.get<Attr::Distribution>() == RandomDistribution::Normal; }

// Which the numbers are drawn as.
ElementType drawnType(ElementType type) {
  return isFloat(type) && elementBits(type) < 32 ? ElementType::F32 : type;
}

std::optional<Diagnostic> refusal(const Instruction& rng) {
  const Shape shape = rng.shape();
  const bool isKnown =
      shape.isArray() && !shape.isDynamic() && shape.elementCount() > 0 && rng.operandCount() == 2;
  const ElementType type = isKnown ? drawnType(shape.elementType()) : ElementType::Token;
  const bool isWide = type == ElementType::F32 || type == ElementType::F64 ||
                      (isIntegral(type) && elementBits(type) >= 32 && !isNormal(rng));
  if (isWide) return std::nullopt;
  return Diagnostic{.severity = Severity::kNote,
                    .kind = "unsupported",
                    .message = "random numbers of this type or shape are not written out"};
}

std::string textFor(const Instruction& rng) {
  std::string text(kHead);
  if (isFloat(rng.shape().elementType())) text += kFractions;
  text += isNormal(rng) ? kNormal : isFloat(rng.shape().elementType()) ? kUniformFloats : kUniformIntegers;
  return text;
}

library::Expansion::Replacements wordsFor(const Instruction& rng) {
  const Shape shape = rng.shape();
  const ElementType type = drawnType(shape.elementType());
  const bool isDouble = elementBits(type) == 64;
  const std::string sizes = fmt::format("{}", fmt::join(shape.dimensions(), ","));
  return {{"$KEY", rng.module().replicaCount() > 1 ? std::string(kReplica) : "  key = copy(mixed)"},
          {"$EXPONENT", isDouble ? "4607182418800017408" : "1065353216"},
          {"$SHIFT", isDouble ? "12" : "9"},
          {"$CIRCLE", fmt::format("{}", 2 * std::numbers::pi)},
          {"$T", std::string(elementTypeName(type))},
          {"$U", isDouble ? "u64" : "u32"},
          {"$D", isNormal(rng) ? fmt::format("2,{}", shape.elementCount()) : sizes},
          {"$N", std::to_string(shape.elementCount())},
          {"$S", sizes}};
}

Result<Instruction*> expand(Instruction& rng) {
  const library::Expansion call(rng);
  const ElementType type = drawnType(rng.shape().elementType());
  const uint64_t number = static_cast<uint64_t>(rng.id().value) * 0x9e3779b97f4a7c15ULL;
  Instruction* seed =
      rng.parent().createConstant(Literal::scalar<uint64_t>(ElementType::U64, number >> 32), &rng);
  Instruction* counter = call.add(Opcode::RngGetAndUpdateState, Shape::array(ElementType::U64, {2}),
                                  std::span<Instruction* const>());
  counter->set<Attr::Delta>(rng.shape().elementCount() * (elementBits(type) / 32));
  Instruction* drawn = call.callText(
      textFor(rng), wordsFor(rng),
      std::array{seed, counter, call.convert(rng.operand(0), type), call.convert(rng.operand(1), type)});
  return call.convert(drawn, rng.shape().elementType());
}

}  // namespace

Result<bool> expandRandomNumbers(Module& module, PassContext& context) {
  return expandInstructions(module,
                            {.applies = [](const Instruction& i) { return i.opcode() == Opcode::Rng; },
                             .refusal = refusal,
                             .expand = expand,
                             .what = [](const Instruction&) { return std::string_view("what is drawn"); }},
                            context);
}

}  // namespace hilo
