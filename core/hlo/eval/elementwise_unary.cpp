#include <bit>
#include <cmath>
#include <complex>

#include "core/base/complex_functions.h"
#include "core/base/reduce_precision.h"
#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/kernel_loops.h"

namespace hilo {
namespace {

template <typename T>
T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <typename T>
KernelFn floatKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs:
      return unaryLoop<T, T>([](T x) { return std::abs(x); });
    case Opcode::Acos:
      return unaryLoop<T, T>([](T x) { return std::acos(x); });
    case Opcode::Acosh:
      return unaryLoop<T, T>([](T x) { return std::acosh(x); });
    case Opcode::Asin:
      return unaryLoop<T, T>([](T x) { return std::asin(x); });
    case Opcode::Asinh:
      return unaryLoop<T, T>([](T x) { return std::asinh(x); });
    case Opcode::Atanh:
      return unaryLoop<T, T>([](T x) { return std::atanh(x); });
    case Opcode::Cbrt:
      return unaryLoop<T, T>([](T x) { return std::cbrt(x); });
    case Opcode::Ceil:
      return unaryLoop<T, T>([](T x) { return std::ceil(x); });
    case Opcode::Cosine:
      return unaryLoop<T, T>([](T x) { return std::cos(x); });
    case Opcode::Cosh:
      return unaryLoop<T, T>([](T x) { return std::cosh(x); });
    case Opcode::Erf:
      return unaryLoop<T, T>([](T x) { return std::erf(x); });
    case Opcode::Exponential:
      return unaryLoop<T, T>([](T x) { return std::exp(x); });
    case Opcode::ExponentialMinusOne:
      return unaryLoop<T, T>([](T x) { return std::expm1(x); });
    case Opcode::Floor:
      return unaryLoop<T, T>([](T x) { return std::floor(x); });
    case Opcode::IsFinite:
      return unaryLoop<Pred, T>([](T x) { return std::isfinite(x); });
    case Opcode::Log:
      return unaryLoop<T, T>([](T x) { return std::log(x); });
    case Opcode::LogPlusOne:
      return unaryLoop<T, T>([](T x) { return std::log1p(x); });
    case Opcode::Logistic:
      return unaryLoop<T, T>([](T x) { return logistic(x); });
    case Opcode::Negate:
      return unaryLoop<T, T>([](T x) { return -x; });
    case Opcode::RoundNearestAfz:
      return unaryLoop<T, T>([](T x) { return std::round(x); });
    case Opcode::RoundNearestEven:
      return unaryLoop<T, T>([](T x) { return std::nearbyint(x); });
    case Opcode::Rsqrt:
      return unaryLoop<T, T>([](T x) { return T(1) / std::sqrt(x); });
    case Opcode::Sign:
      return unaryLoop<T, T>([](T x) { return std::isnan(x) ? x : std::copysign(T(x != 0), x); });
    case Opcode::Sine:
      return unaryLoop<T, T>([](T x) { return std::sin(x); });
    case Opcode::Sinh:
      return unaryLoop<T, T>([](T x) { return std::sinh(x); });
    case Opcode::Sqrt:
      return unaryLoop<T, T>([](T x) { return std::sqrt(x); });
    case Opcode::Tan:
      return unaryLoop<T, T>([](T x) { return std::tan(x); });
    case Opcode::Tanh:
      return unaryLoop<T, T>([](T x) { return std::tanh(x); });
    case Opcode::Real:
      return unaryLoop<T, T>([](T x) { return x; });
    case Opcode::Imag:
      return unaryLoop<T, T>([](T) { return T(0); });
    default:
      return nullptr;
  }
}

template <typename C>
KernelFn complexKernel(Opcode opcode) {
  using T = typename C::value_type;
  switch (opcode) {
    case Opcode::Abs:
      return unaryLoop<T, C>([](C x) { return std::abs(x); });
    case Opcode::Real:
      return unaryLoop<T, C>([](C x) { return x.real(); });
    case Opcode::Imag:
      return unaryLoop<T, C>([](C x) { return x.imag(); });
    case Opcode::Negate:
      return unaryLoop<C, C>([](C x) { return -x; });
#define HILO_CASE(Name, name) \
  case Opcode::Name:          \
    return unaryLoop<C, C>([](C x) { return complex_functions::name(x); });
      HILO_CASE(Acos, acos)
      HILO_CASE(Acosh, acosh)
      HILO_CASE(Asin, asin)
      HILO_CASE(Asinh, asinh)
      HILO_CASE(Atanh, atanh)
      HILO_CASE(Cbrt, cbrt)
      HILO_CASE(Cosine, cosine)
      HILO_CASE(Cosh, cosh)
      HILO_CASE(Exponential, exponential)
      HILO_CASE(ExponentialMinusOne, exponential_minus_one)
      HILO_CASE(Log, log)
      HILO_CASE(LogPlusOne, log_plus_one)
      HILO_CASE(Logistic, logistic)
      HILO_CASE(Rsqrt, rsqrt)
      HILO_CASE(Sign, sign)
      HILO_CASE(Sine, sine)
      HILO_CASE(Sinh, sinh)
      HILO_CASE(Sqrt, sqrt)
      HILO_CASE(Tan, tan)
      HILO_CASE(Tanh, tanh)
#undef HILO_CASE
    default:
      return nullptr;
  }
}

template <typename T>
KernelFn intKernel(Opcode opcode) {
  using U = std::make_unsigned_t<T>;
  switch (opcode) {
    // Through the unsigned type: the most negative value has no positive counterpart and stays itself.
    case Opcode::Abs:
      return unaryLoop<T, T>([](T x) { return x < 0 ? U(U(0) - U(x)) : U(x); });
    case Opcode::Negate:
      return unaryLoop<T, T>([](T x) { return U(U(0) - U(x)); });
    case Opcode::Sign:
      return unaryLoop<T, T>([](T x) { return (T(0) < x) - (x < T(0)); });
    case Opcode::Not:
      return unaryLoop<T, T>([](T x) { return U(~U(x)); });
    // args.a is the type's own width, which is less than T's for the sub-byte types.
    case Opcode::Popcnt:
      return unaryLoopWithArgs<T, T>([](T x, const KernelArgs& args) {
        return std::popcount(static_cast<U>(U(x) << (int(sizeof(T)) * 8 - args.a)));
      });
    case Opcode::CountLeadingZeros:
      return unaryLoopWithArgs<T, T>([](T x, const KernelArgs& args) {
        const auto shifted = static_cast<U>(U(x) << (int(sizeof(T)) * 8 - args.a));
        return std::min<int64_t>(std::countl_zero(shifted), args.a);
      });
    case Opcode::Real:
      return unaryLoop<T, T>([](T x) { return x; });
    default:
      return nullptr;
  }
}

KernelFn predKernel(Opcode opcode) {
  if (opcode == Opcode::Not) return unaryLoop<Pred, Pred>([](Pred x) { return !static_cast<bool>(x); });
  return nullptr;
}

template <typename T>
KernelFn reducePrecisionKernel() {
  return unaryLoopWithArgs<T, T>([](T x, const KernelArgs& args) {
    return reducePrecision(x, static_cast<int>(args.a), static_cast<int>(args.b));
  });
}

}  // namespace

KernelFn unaryKernelFn(Opcode opcode, ElementType operand, ElementType) {
  return visitComputeType(operand, [&]<typename T>() -> KernelFn {
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

KernelFn reducePrecisionKernelFn(ElementType type) {
  if (type == ElementType::F32) return reducePrecisionKernel<float>();
  if (type == ElementType::F64) return reducePrecisionKernel<double>();
  return nullptr;
}

}  // namespace hilo
