// A computation whose every value is a scalar, compiled to a short list of kernel calls: what reduce, map,
// sort, scatter and their kin apply to each element. It runs on lanes: many applications side by side, each
// value an array of `count` elements.
#pragma once

#include <memory>
#include <vector>

#include "core/hlo/eval/kernel.h"

namespace hilo {

class ScalarProgram {
 public:
  // Null when the computation holds anything but parameters, constants, elementwise operations, scalar copies
  // and reshapes, calls or fusions of such, and a tuple at its root.
  static std::unique_ptr<ScalarProgram> compile(const Computation& computation);

  static constexpr int64_t kLanes = 256;

  size_t parameterCount() const { return parameterTypes_.size(); }
  size_t resultCount() const { return results_.size(); }
  ElementType parameterType(size_t index) const { return parameterTypes_[index]; }
  ElementType resultType(size_t index) const { return resultTypes_[index]; }

  // The opcode when the program is one binary operation on its two parameters in order (or swapped, where the
  // operation commutes), else nullopt: lets callers take a tighter loop.
  std::optional<Opcode> singleBinaryOp() const { return singleBinaryOp_; }

  // Room for the intermediate values of one caller.
  class Scratch {
   public:
    explicit Scratch(const ScalarProgram& program);

   private:
    friend class ScalarProgram;
    std::vector<std::byte> bytes_;
    std::vector<void*> slots_;
  };

  // Runs `count` (at most kLanes) lanes. parameters[i] points at `count` elements of parameterType(i) in
  // storage form, results[i] receives as many; a result may be the same array as a parameter.
  void run(Scratch& scratch, const void* const* parameters, void* const* results, int64_t count) const;

  // The same for any count.
  void runMany(Scratch& scratch, const void* const* parameters, void* const* results, int64_t count) const;

 private:
  struct Step {
    ElementKernel kernel;
    std::array<int, ElementKernel::kMaxOperands> operands;
    int result;
  };
  struct ConstantLanes {
    int slot;
    std::vector<std::byte> element;
  };
  friend class ScalarCompiler;

  std::vector<ElementType> parameterTypes_;
  std::vector<ElementType> resultTypes_;
  std::vector<ElementType> slotTypes_;  // slots [0, parameterCount) are the parameters
  std::vector<ConstantLanes> constants_;
  std::vector<Step> steps_;
  std::vector<int> results_;
  std::optional<Opcode> singleBinaryOp_;
};

}  // namespace hilo
