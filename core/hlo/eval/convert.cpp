#include <cmath>
#include <cstring>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// The elements packed to their own width, least significant bits first, as bitcast-convert between
// widths sees them.
class PackedBits {
 public:
  explicit PackedBits(size_t bits) : bytes_((bits + 7) / 8) {}

  void put(size_t bit, const std::byte* element, int width) {
    if (width % 8 == 0 && bit % 8 == 0) {
      std::memcpy(bytes_.data() + bit / 8, element, static_cast<size_t>(width / 8));
      return;
    }
    for (int i = 0; i < width; ++i) {
      if ((element[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0})
        bytes_[(bit + i) / 8] |= std::byte(1 << ((bit + i) % 8));
    }
  }
  void get(size_t bit, std::byte* element, int width) const {
    if (width % 8 == 0 && bit % 8 == 0) {
      std::memcpy(element, bytes_.data() + bit / 8, static_cast<size_t>(width / 8));
      return;
    }
    for (int i = 0; i < width; ++i) {
      if ((bytes_[(bit + i) / 8] >> ((bit + i) % 8) & std::byte{1}) != std::byte{0})
        element[i / 8] |= std::byte(1 << (i % 8));
    }
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

Result<Literal> convert(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  if (operands[0].shape().isArray() &&
      operands[0].shape().elementType() == instruction.shape().elementType() &&
      sameDimensions(operands[0].shape(), instruction.shape())) {
    return std::move(operands[0]);
  }
  return elementwise(instruction, operands, context);
}

// Between types of different width the last dimension of the narrower one is what one wide
// element splits into.
Result<Literal> bitcastConvert(const Instruction& instruction, std::span<Literal> operands,
                               EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  EVAL_REQUIRE(from.isArray() && to.isArray(), "needs arrays");
  const int fromBits = elementBits(from.elementType()), toBits = elementBits(to.elementType());
  EVAL_REQUIRE(from.elementCount() <= context.options().maxLiveBytes / 16 &&
                   from.elementCount() * fromBits == to.elementCount() * toBits,
               "operand and result differ in bits");
  const auto shared = std::min(from.rank(), to.rank());
  EVAL_REQUIRE(std::ranges::equal(from.dimensions().first(shared), to.dimensions().first(shared)),
               "operand and result dimensions differ");
  TRY(Literal result, context.make(to));
  auto out = result.mutableBytes();
  PackedBits packed(static_cast<size_t>(from.elementCount() * fromBits));
  const int fromBytes = storageBytes(from), toBytes = storageBytes(to);
  for (int64_t i = 0; i < from.elementCount(); ++i) {
    packed.put(static_cast<size_t>(i * fromBits), operands[0].bytes().data() + i * fromBytes, fromBits);
  }
  for (int64_t i = 0; i < to.elementCount(); ++i) {
    packed.get(static_cast<size_t>(i * toBits), out.data() + i * toBytes, toBits);
  }
  // Signed sub-byte elements are kept with their sign extended, pred as 0 or 1.
  if (isSigned(to.elementType()) && toBits < 8) {
    convertElements(out.data(), to.elementType(), out.data(), ElementType::S8, to.elementCount());
  } else if (to.elementType() == ElementType::Pred) {
    for (std::byte& byte : out) byte = std::byte(byte != std::byte{0});
  }
  return result;
}

namespace {

// Rounds the magnitude down, or up when the random number (a fraction of its range) is below what
// was cut off.
int64_t stochasticallyRounded(double value, uint64_t random, int randomBits, int bits) {
  const int64_t highest = bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  const int64_t lowest = -highest - 1;
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(highest)) return highest;
  if (value <= static_cast<double>(lowest)) return lowest;
  const double magnitude = std::abs(value), whole = std::trunc(magnitude), fraction = magnitude - whole;
  auto rounded = static_cast<int64_t>(whole);
  if (fraction != 0 && random < static_cast<uint64_t>(std::ldexp(fraction, randomBits))) {
    if (rounded == highest) return lowest;
    ++rounded;
  }
  return std::signbit(value) ? -rounded : rounded;
}

}  // namespace

// From floats to signed integers, as far as XLA defines it.
Result<Literal> stochasticConvert(const Instruction& instruction, std::span<Literal> operands,
                                  EvalContext& context) {
  const Shape from = operands[0].shape(), random = operands[1].shape(), to = instruction.shape();
  EVAL_REQUIRE(from.isArray() && sameDimensions(from, random) && sameDimensions(from, to),
               "operand and result dimensions differ");
  if (!isFloat(from.elementType())) return unsupportedType(instruction, from.elementType());
  if (!isSigned(to.elementType())) return unsupportedType(instruction, to.elementType());
  const int randomBits = elementBits(random.elementType());
  EVAL_REQUIRE(isUnsigned(random.elementType()) && randomBits == elementBits(from.elementType()),
               "the random numbers must be unsigned and as wide as the operand");
  const auto values = elementsAs<double>(operands[0], ElementType::F64);
  const auto randoms = elementsAs<uint64_t>(operands[1], ElementType::U64);
  TRY(Literal result, context.make(to));
  std::vector<int64_t> rounded(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    rounded[i] = stochasticallyRounded(values[i], randoms[i], randomBits, elementBits(to.elementType()));
  }
  convertElements(result.mutableBytes().data(), to.elementType(), rounded.data(), ElementType::S64,
                  to.elementCount());
  return result;
}

}  // namespace hilo::eval
