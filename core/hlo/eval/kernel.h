// Elementwise operations as plain functions over runs of elements. One kernel serves a whole array, one lane
// of a reduction, or the single element of a scalar computation (scalar_program.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"
#include "core/hlo/ir/instruction.h"
#include "core/hlo/ir/opcode.h"

namespace hilo {

// What an operation needs beside its operands: reduce-precision's widths, the bit width of a sub-byte type.
struct KernelArgs {
  int64_t a = 0;
  int64_t b = 0;
};

// out[i] = f(in[0][i], in[1][i], ...) for i in [0, count), in compute types (element_dispatch.h). `out` may
// be one of the inputs when its element size is the same.
using KernelFn = void (*)(void* out, const void* const* in, int64_t count, const KernelArgs& args);

class ElementKernel {
 public:
  static constexpr int kMaxOperands = 3;

  ElementKernel() = default;
  // `fn` runs in the compute types of `operands` and `result`.
  ElementKernel(KernelFn fn, KernelArgs args, std::span<const ElementType> operands, ElementType result);
  static ElementKernel conversion(ElementType from, ElementType to);
  // `fn` runs on elements as stored, whatever their type.
  static ElementKernel onStorage(KernelFn fn, int operandCount);

  // Runs over storage types: widens operands and narrows results block by block where they differ.
  void run(void* out, const void* const* in, int64_t count) const;

  int operandCount() const { return operandCount_; }

 private:
  void runConverted(void* out, const void* const* in, int64_t count) const;

  KernelFn fn_ = nullptr;
  KernelArgs args_;
  int operandCount_ = 0;
  std::array<ElementType, kMaxOperands> operands_{};
  ElementType result_{};
  bool converts_ = false;
};

// The kernel of an elementwise instruction (also convert, compare, select, clamp), whose operands are arrays.
// Error kinds: "unsupported-type" when the operation has no meaning for the element types.
Result<ElementKernel> elementKernel(const Instruction& instruction);

// out[i] = in[i] as another type by XLA's rules for convert: floats to integers truncate, saturate and send
// NaN to 0; integers wrap; narrowing floats round to nearest even once; anything to pred is "not zero";
// complex to real drops the imaginary part.
void convertElements(void* out, ElementType to, const void* in, ElementType from, int64_t count);

// By family; null when the operation has no meaning for the types. Types are compute types, but for compare,
// which runs in the compute type and minds how the type itself writes a NaN.
KernelFn unaryKernelFn(Opcode opcode, ElementType operand, ElementType result);
KernelFn binaryKernelFn(Opcode opcode, ElementType type);
KernelFn compareKernelFn(ComparisonDirection direction, bool totalOrder, ElementType type);
KernelFn reducePrecisionKernelFn(ElementType type);

}  // namespace hilo
