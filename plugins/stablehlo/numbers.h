// Arithmetic on HLO values, written as arithmetic: for functions HLO spells out in others.
#pragma once

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// A value and where it is computed. A number beside one is a constant of its shape.
class Number {
 public:
  Number(ComputationBuilder& to, Hlo value) : to_(&to), value_(value) {}
  Hlo hlo() const { return value_; }
  Number like(double number) const { return {*to_, to_->number(number, value_->shape())}; }
  Number apply(const char* opcode) const { return {*to_, to_->apply(opcode, {value_})}; }
  Number apply(const char* opcode, Number other) const {
    return {*to_, to_->apply(opcode, {value_, other.value_})};
  }
  Number is(const char* direction, Number other) const {
    return {*to_, to_->compare(direction, value_, other.value_)};
  }
  Number is(const char* direction, double other) const { return is(direction, like(other)); }
  // This is a predicate.
  Number select(Number then, Number otherwise) const {
    return {*to_, to_->select(value_, then.value_, otherwise.value_)};
  }

  Number operator-() const { return apply("negate"); }
  friend Number operator+(Number a, Number b) { return a.apply("add", b); }
  friend Number operator-(Number a, Number b) { return a.apply("subtract", b); }
  friend Number operator*(Number a, Number b) { return a.apply("multiply", b); }
  friend Number operator/(Number a, Number b) { return a.apply("divide", b); }
  friend Number operator+(Number a, double b) { return a + a.like(b); }
  friend Number operator-(Number a, double b) { return a - a.like(b); }
  friend Number operator*(Number a, double b) { return a * a.like(b); }
  friend Number operator/(Number a, double b) { return a / a.like(b); }
  friend Number operator+(double a, Number b) { return b.like(a) + b; }
  friend Number operator-(double a, Number b) { return b.like(a) - b; }
  friend Number operator*(double a, Number b) { return b.like(a) * b; }
  friend Number operator/(double a, Number b) { return b.like(a) / b; }

 private:
  ComputationBuilder* to_;
  Hlo value_;
};

inline Number abs(Number x) { return x.apply("abs"); }
inline Number floor(Number x) { return x.apply("floor"); }
inline Number log(Number x) { return x.apply("log"); }
inline Number log1p(Number x) { return x.apply("log-plus-one"); }
inline Number exp(Number x) { return x.apply("exponential"); }
inline Number sqrt(Number x) { return x.apply("sqrt"); }
inline Number sine(Number x) { return x.apply("sine"); }
inline Number cosine(Number x) { return x.apply("cosine"); }
inline Number power(Number x, Number y) { return x.apply("power", y); }
inline Number operator&(Number a, Number b) { return a.apply("and", b); }
inline Number operator|(Number a, Number b) { return a.apply("or", b); }

// The polynomial with these coefficients, the highest power's first.
Number polynomial(Number x, llvm::ArrayRef<double> coefficients);
// Half the sum of Chebyshev polynomials at x / 2, the highest's coefficient first (Clenshaw's recurrence).
Number chebyshev(Number x, llvm::ArrayRef<double> coefficients);

// Functions of one or two numbers, in f32 or f64. `f64` is what decides which of two approximations serves.
using Function = Number (*)(llvm::ArrayRef<Number> arguments, bool f64);
// The result of `function` at the operands, which are brought to f32 where they are narrower, and back.
LogicalResult computeWith(OpConversion& c, size_t operandCount, Function function);

}  // namespace hilo::stablehlo
