#include <cmath>
#include <complex>

#include "core/base/complex_functions.h"
#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/kernel_loops.h"

namespace hilo {
namespace {

// Integer arithmetic wraps: it runs in an unsigned type no narrower than int, where overflow is defined.
template <typename T>
using Wrapping = std::make_unsigned_t<decltype(std::declval<T>() + std::declval<T>())>;

template <typename T>
T integerPower(T base, T exponent) {
  if (std::is_signed_v<T> && exponent < 0) return base == 1 ? 1 : 0;
  Wrapping<T> result = 1, square = static_cast<Wrapping<T>>(base);
  for (auto rest = static_cast<std::make_unsigned_t<T>>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <typename T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);  // all ones: -1, or the largest unsigned value
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(a));
  return static_cast<T>(a / b);
}

template <typename T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

// args.a is the type's own width in bits: what is above it in the product.
template <typename T>
KernelFn multiplyHighLoop() {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs& args) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    const T* a = static_cast<const T*>(in[0]);
    const T* b = static_cast<const T*>(in[1]);
    for (int64_t i = 0; i < count; ++i)
      static_cast<T*>(out)[i] = static_cast<T>((static_cast<Wide>(a[i]) * static_cast<Wide>(b[i])) >> args.a);
  };
}

// args.a is the type's own width in bits (less than T's for sub-byte types). An amount outside [0, width)
// shifts everything out.
template <typename T, typename F>
KernelFn shiftLoop(F) {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs& args) {
    using U = std::make_unsigned_t<T>;
    T* to = static_cast<T*>(out);
    const T* a = static_cast<const T*>(in[0]);
    const T* b = static_cast<const T*>(in[1]);
    const auto width = static_cast<uint64_t>(args.a);
    const U mask = static_cast<U>(width >= sizeof(T) * 8 ? ~U(0) : (U(1) << width) - 1);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t amount = static_cast<U>(b[i]) & mask;
      to[i] = static_cast<T>(F{}(a[i], static_cast<int>(amount), static_cast<int>(width), amount >= width));
    }
  };
}

template <typename T>
KernelFn intKernel(Opcode opcode) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  using W = Wrapping<T>;
  switch (opcode) {
    case Opcode::Add:
      return binaryLoop<T, T>([](T a, T b) { return W(a) + W(b); });
    case Opcode::Subtract:
      return binaryLoop<T, T>([](T a, T b) { return W(a) - W(b); });
    case Opcode::Multiply:
      return binaryLoop<T, T>([](T a, T b) { return W(a) * W(b); });
    case Opcode::Divide:
      return binaryLoop<T, T>([](T a, T b) { return divide(a, b); });
    case Opcode::Remainder:
      return binaryLoop<T, T>([](T a, T b) { return remainder(a, b); });
    case Opcode::Maximum:
      return binaryLoop<T, T>([](T a, T b) { return std::max(a, b); });
    case Opcode::Minimum:
      return binaryLoop<T, T>([](T a, T b) { return std::min(a, b); });
    case Opcode::Power:
      return binaryLoop<T, T>([](T a, T b) { return integerPower(a, b); });
    case Opcode::And:
      return binaryLoop<T, T>([](T a, T b) { return a & b; });
    case Opcode::Or:
      return binaryLoop<T, T>([](T a, T b) { return a | b; });
    case Opcode::Xor:
      return binaryLoop<T, T>([](T a, T b) { return a ^ b; });
    case Opcode::Mulhi:
      return multiplyHighLoop<T>();
    case Opcode::ShiftLeft:
      return shiftLoop<T>(
          [](T a, int amount, int, bool out) { return out ? U(0) : static_cast<U>(W(a) << amount); });
    case Opcode::ShiftRightLogical:
      return shiftLoop<T>([](T a, int amount, int width, bool out) {
        const U mask = static_cast<U>(width >= int(sizeof(T)) * 8 ? ~U(0) : (U(1) << width) - 1);
        return out ? U(0) : static_cast<U>((U(a) & mask) >> amount);
      });
    case Opcode::ShiftRightArithmetic:
      return shiftLoop<T>([](T a, int amount, int width, bool out) {
        // Brings the type's own sign bit to the top, so that it is what shifts in.
        const int gap = int(sizeof(T)) * 8 - width;
        const S extended = static_cast<S>(static_cast<S>(U(U(a) << gap)) >> gap);
        return out ? (extended < 0 ? S(-1) : S(0)) : static_cast<S>(extended >> amount);
      });
    default:
      return nullptr;
  }
}

template <typename T>
T maximum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return std::max(a, b);
}
template <typename T>
T minimum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return std::min(a, b);
}

template <typename T>
KernelFn floatKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
      return binaryLoop<T, T>([](T a, T b) { return a + b; });
    case Opcode::Subtract:
      return binaryLoop<T, T>([](T a, T b) { return a - b; });
    case Opcode::Multiply:
      return binaryLoop<T, T>([](T a, T b) { return a * b; });
    case Opcode::Divide:
      return binaryLoop<T, T>([](T a, T b) { return a / b; });
    case Opcode::Remainder:
      return binaryLoop<T, T>([](T a, T b) { return std::fmod(a, b); });
    case Opcode::Maximum:
      return binaryLoop<T, T>([](T a, T b) { return maximum(a, b); });
    case Opcode::Minimum:
      return binaryLoop<T, T>([](T a, T b) { return minimum(a, b); });
    case Opcode::Power:
      return binaryLoop<T, T>([](T a, T b) { return std::pow(a, b); });
    case Opcode::Atan2:
      return binaryLoop<T, T>([](T a, T b) { return std::atan2(a, b); });
    case Opcode::Complex:
      return binaryLoop<std::complex<T>, T>([](T a, T b) { return std::complex<T>(a, b); });
    default:
      return nullptr;
  }
}

template <typename C>
KernelFn complexKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
      return binaryLoop<C, C>([](C a, C b) { return a + b; });
    case Opcode::Subtract:
      return binaryLoop<C, C>([](C a, C b) { return a - b; });
    case Opcode::Multiply:
      return binaryLoop<C, C>([](C a, C b) { return a * b; });
    case Opcode::Divide:
      return binaryLoop<C, C>([](C a, C b) { return a / b; });
    case Opcode::Power:
      return binaryLoop<C, C>([](C a, C b) { return complex_functions::power(a, b); });
    case Opcode::Atan2:
      return binaryLoop<C, C>([](C y, C x) { return complex_functions::atan2(y, x); });
    default:
      return nullptr;
  }
}

// pred is an integer of one bit: sums and differences of any parity but the last bit are "not zero",
// as in XLA.
KernelFn predKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Maximum:
      return binaryLoop<Pred, Pred>([](Pred a, Pred b) { return bool(a) || bool(b); });
    case Opcode::Multiply:
    case Opcode::And:
    case Opcode::Minimum:
      return binaryLoop<Pred, Pred>([](Pred a, Pred b) { return bool(a) && bool(b); });
    case Opcode::Subtract:
    case Opcode::Xor:
      return binaryLoop<Pred, Pred>([](Pred a, Pred b) { return bool(a) != bool(b); });
    case Opcode::Divide:
    case Opcode::Power:
      return binaryLoop<Pred, Pred>([](Pred a, Pred b) { return bool(a) || !bool(b); });
    case Opcode::Remainder:
      return binaryLoop<Pred, Pred>([](Pred a, Pred b) { return bool(a) && !bool(b); });
    default:
      return nullptr;
  }
}

}  // namespace

KernelFn binaryKernelFn(Opcode opcode, ElementType type) {
  return visitComputeType(type, [&]<typename T>() -> KernelFn {
    if constexpr (std::is_same_v<T, Pred>) {
      return predKernel(opcode);
    } else if constexpr (std::is_floating_point_v<T>) {
      return floatKernel<T>(opcode);
    } else if constexpr (kIsComplexElement<T>) {
      return complexKernel<T>(opcode);
    } else {
      return intKernel<T>(opcode);
    }
  });
}

}  // namespace hilo
