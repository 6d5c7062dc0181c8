// One element as LLVM values. What flows between operations is not how elements lie in memory:
//   pred: i1. Integers: iN of their own width. f64, f32: themselves. Narrower floats: the f32 they stand for,
//   rounded to the format after every operation. Complex: two values.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/hlo/ir/enums.h"
#include "core/hlo/ir/opcode.h"

namespace hilo {

struct Scalar {
  llvm::Value* value = nullptr;
  llvm::Value* imaginary = nullptr;
  // Of a narrow float that was read or rounded: its bits as stored, so that it is not rounded again and keeps
  // what a NaN carries.
  llvm::Value* bits = nullptr;
  // Of a bf16 that was rounded from f32: what it was before, for whoever rounds many at once.
  llvm::Value* unrounded = nullptr;
};

// Writes operations on elements at the builder's place. Which operations exist for which types is the
// question canEmitElementwise answers; emitting others is a mistake of ours.
class ScalarEmitter {
 public:
  explicit ScalarEmitter(llvm::IRBuilder<>& builder) : b_(builder) {}

  // Of a number and a NaN minimum and maximum then give the second operand instead of the NaN.
  void setFastMinMax(bool fast) { fastMinMax_ = fast; }

  llvm::Type* valueType(ElementType type) const;
  // What an element is in memory; of a complex type, one of its two parts.
  llvm::Type* storageType(ElementType type) const;

  Scalar fromStorage(ElementType type, llvm::Value* stored, llvm::Value* storedImaginary = nullptr);
  llvm::Value* toStorage(ElementType type, Scalar x);

  Scalar constant(ElementType type, const void* stored);
  Scalar zero(ElementType type);

  Scalar unary(Opcode opcode, ElementType type, Scalar x);
  Scalar binary(Opcode opcode, ElementType type, Scalar a, Scalar b);
  llvm::Value* compare(ComparisonDirection direction, bool totalOrder, ElementType type, Scalar a, Scalar b);
  Scalar clamp(ElementType type, Scalar low, Scalar x, Scalar high);
  Scalar select(llvm::Value* choose, Scalar yes, Scalar no);
  Scalar convert(ElementType from, ElementType to, Scalar x);
  Scalar reducePrecision(ElementType type, Scalar x, int64_t exponentBits, int64_t mantissaBits);

  // The bits of an element, as an integer of elementBits(type), and back.
  llvm::Value* toBits(ElementType type, Scalar x);
  Scalar fromBits(ElementType type, llvm::Value* bits);

  // An unsigned integer of orderedBitCount(type) bits, smaller the smaller x is; floats in total order. Not
  // of complex numbers.
  llvm::Value* orderedBits(ElementType type, Scalar x);

  // f64 of a real float; the rounding is one, from f64 to the type.
  llvm::Value* toDouble(ElementType type, Scalar x);
  Scalar fromDouble(ElementType type, llvm::Value* x);

  // In what is written inside, functions that cost much less near zero (hasNearForm) are written as they are
  // there, and `isFar`, a place that holds an i32, becomes something else than 0 where one is called beyond.
  template <typename F>
  void whileNear(llvm::Value* isFar, F&& body) {
    isFar_ = isFar;
    body();
    isFar_ = nullptr;
  }

  // The bits of bf16, to which f32 is rounded; of a vector those of each.
  llvm::Value* toBf16(llvm::Value* x);

  // Calls a function of the scalar library.
  llvm::Value* call(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);

 private:
  Scalar integerBinary(Opcode opcode, ElementType type, llvm::Value* a, llvm::Value* b);
  Scalar floatBinary(Opcode opcode, ElementType type, llvm::Value* a, llvm::Value* b);
  Scalar complexBinary(Opcode opcode, ElementType type, Scalar a, Scalar b);
  Scalar integerUnary(Opcode opcode, ElementType type, llvm::Value* x);
  Scalar floatUnary(Opcode opcode, ElementType type, llvm::Value* x);
  Scalar complexUnary(Opcode opcode, ElementType type, Scalar x);
  Scalar complexCall(const std::string& name, ElementType type, llvm::ArrayRef<Scalar> arguments);
  // x of the type `from` is named after, rounded once.
  Scalar roundTo(ElementType type, llvm::Value* x, const char* from);
  llvm::Value* narrow(ElementType type, llvm::Value* x, const char* from);
  llvm::Value* widen(ElementType type, llvm::Value* bits);
  llvm::Value* entryAlloca(llvm::Type* type, int count);
  llvm::Value* totalOrderKey(ElementType type, llvm::Value* x);

  llvm::Value* callNear(Opcode opcode, llvm::Value* x);

  llvm::IRBuilder<>& b_;
  llvm::Value* isFar_ = nullptr;
  bool fastMinMax_ = false;
};

// How many bits tell the order of two elements.
int orderedBitCount(ElementType type);
// "hilo_log_plus_one_f32"
std::string scalarFunctionName(Opcode opcode, ElementType type);
bool hasNearForm(Opcode opcode, ElementType type);
// Whether an elementwise opcode has a meaning here for operands of this type (of convert and select: always).
bool canEmitElementwise(Opcode opcode, ElementType type);

}  // namespace hilo
