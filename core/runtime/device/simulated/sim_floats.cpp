#include "core/runtime/device/simulated/sim_floats.h"

#include <bit>
#include <cfenv>
#include <cmath>

#include "core/base/enum_table.h"
#include "core/base/float_formats.h"

namespace hilo {
namespace {

// While it lives sums and products of the host round so.
class Rounding {
 public:
  explicit Rounding(FloatRounding rounding) : before_(std::fegetround()) {
    static constexpr EnumTable<FloatRounding, int> kModes(
        {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD});
    std::fesetround(kModes[rounding]);
  }
  ~Rounding() { std::fesetround(before_); }

 private:
  int before_;
};

template <typename T, typename Bits>
uint64_t arith(FloatOp op, uint64_t bitsA, uint64_t bitsB, uint64_t bitsC) {
  // Volatile: the compiler does not know of the rounding.
  volatile T a = std::bit_cast<T>(static_cast<Bits>(bitsA)), b = std::bit_cast<T>(static_cast<Bits>(bitsB)),
             c = std::bit_cast<T>(static_cast<Bits>(bitsC));
  volatile T result = 0;
  switch (op) {
    case FloatOp::Add:
      result = a + b;
      break;
    case FloatOp::Mul:
      result = a * b;
      break;
    case FloatOp::Fma:
      result = std::fma(a, b, c);
      break;
    case FloatOp::Div:
      result = a / b;
      break;
    case FloatOp::Rcp:
      result = T(1) / a;
      break;
    case FloatOp::Sqrt:
      result = std::sqrt(a);
      break;
    case FloatOp::ToF32:
    case FloatOp::ToF64: {
      volatile double wide = std::bit_cast<double>(bitsA);
      result = static_cast<T>(wide);
      break;
    }
    case FloatOp::FromSigned: {
      volatile auto integer = static_cast<int64_t>(bitsA);
      result = static_cast<T>(integer);
      break;
    }
    case FloatOp::FromUnsigned: {
      volatile uint64_t integer = bitsA;
      result = static_cast<T>(integer);
      break;
    }
  }
  return std::bit_cast<Bits>(T(result));
}

template <typename Format>
uint32_t narrowTo(float x, uint32_t flags) {
  if ((flags & kNarrowRelu) != 0 && (x < 0 || (x == 0 && std::signbit(x)))) x = 0;
  if (std::isnan(x) && !Format::hasNan) return Format::highest().bits;
  if ((flags & kNarrowSatfinite) != 0 && !std::isnan(x)) {
    const auto highest = static_cast<float>(Format::highest()), lowest = static_cast<float>(Format::lowest());
    x = x > highest ? highest : x < lowest ? lowest : x;
  }
  Format result(x);
  const bool towardsZero =
      (flags & kNarrowZero) != 0 && result.isFinite() && std::fabs(static_cast<float>(result)) > std::fabs(x);
  if (towardsZero) --result.bits;
  const bool upwards = (flags & kNarrowUp) != 0 && result.isFinite() && static_cast<float>(result) < x;
  if (upwards) ++result.bits;
  return result.bits;
}

uint32_t narrowToTf32(uint32_t bits, uint32_t flags) {
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  const uint32_t half = 0x1000, rest = bits & 0x1fff;
  uint32_t kept = bits & ~0x1fffu;
  const bool isAway = (flags & kNarrowAway) != 0;
  if ((flags & kNarrowZero) == 0 && (rest > half || (rest == half && (isAway || (bits & 0x2000) != 0))))
    kept += 0x2000;
  return (flags & kNarrowRelu) != 0 && (kept >> 31) != 0 ? 0 : kept;
}

template <typename Format>
uint32_t widenFrom(uint32_t bits) {
  return std::bit_cast<uint32_t>(
      static_cast<float>(Format::fromBits(static_cast<typename Format::Bits>(bits))));
}

}  // namespace

uint64_t simArith(uint32_t operation, uint64_t a, uint64_t b, uint64_t c) {
  const Rounding rounding(static_cast<FloatRounding>((operation >> 8) & 255));
  const auto op = static_cast<FloatOp>(operation & 255);
  return (operation >> 16) != 0 ? arith<double, uint64_t>(op, a, b, c) : arith<float, uint32_t>(op, a, b, c);
}

uint32_t simNarrow(uint32_t format, uint32_t bits) {
  const auto x = std::bit_cast<float>(bits);
  switch (static_cast<NarrowFormat>(format & 255)) {
    case NarrowFormat::F16:
      return std::isnan(x) ? 0x7fff : narrowTo<F16>(x, format);
    case NarrowFormat::BF16:
      return std::isnan(x) ? 0x7fff : narrowTo<BF16>(x, format);
    case NarrowFormat::E4M3:
      return std::isnan(x) ? 0x7f : narrowTo<F8E4M3FN>(x, format);
    case NarrowFormat::E5M2:
      return std::isnan(x) ? 0x7f : narrowTo<F8E5M2>(x, format);
    case NarrowFormat::E2M1:
      return narrowTo<F4E2M1FN>(x, format);
    case NarrowFormat::E2M3:
      return narrowTo<F6E2M3FN>(x, format);
    case NarrowFormat::E3M2:
      return narrowTo<F6E3M2FN>(x, format);
    case NarrowFormat::UE8M0:
      return narrowTo<F8E8M0FNU>(x, format);
    case NarrowFormat::TF32:
      return narrowToTf32(bits, format);
  }
  return 0;
}

uint32_t simWiden(uint32_t format, uint32_t bits) {
  switch (static_cast<NarrowFormat>(format & 255)) {
    case NarrowFormat::F16:
      return widenFrom<F16>(bits);
    case NarrowFormat::BF16:
      return widenFrom<BF16>(bits);
    case NarrowFormat::E4M3:
      return widenFrom<F8E4M3FN>(bits);
    case NarrowFormat::E5M2:
      return widenFrom<F8E5M2>(bits);
    case NarrowFormat::E2M1:
      return widenFrom<F4E2M1FN>(bits);
    case NarrowFormat::E2M3:
      return widenFrom<F6E2M3FN>(bits);
    case NarrowFormat::E3M2:
      return widenFrom<F6E3M2FN>(bits);
    case NarrowFormat::UE8M0:
      return widenFrom<F8E8M0FNU>(bits);
    case NarrowFormat::TF32:
      return bits;
  }
  return 0;
}

}  // namespace hilo
