// How far a value may be off by rounding alone, for telling what is wrong from what merely cancels.
//
// An operation on true operands is off by 8 epsilon of its type (f64: 64) times the magnitude of what it
// gives; a sum, a product of matrices or a convolution, whose terms may cancel, times the sum of its terms'
// magnitudes: what the operation gives of the magnitudes of its operands. Inside of what an instruction
// calls, or stands for, the bounds of operands go along: a sum's are added up by the operation itself, any
// other's are how much its result moves when an operand is moved by its bound, up or down.
//
// First order, and no proof: integers and choices that a bound would turn are taken as they are.
#pragma once

#include "core/base/cancel.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Every float's magnitude, of complex numbers as a real one; integers as they are.
Literal magnitudesOf(const Literal& value);
// What rounding leaves open of magnitudes such as these: 8 epsilon of each (f64: 64); 0 of what
// is not finite.
Literal roundingOf(const Literal& value);

class RoundingBound {
 public:
  // `device` is the one whose values are asked about; `mostBytes` is what values in an instruction's called
  // computations may take.
  RoundingBound(DeviceGrid grid, int64_t device, int64_t mostBytes, CancelToken cancel);

  // Of the instruction's result, in the shape of `value`, which it gives on these operands. Kind
  // "unsupported-opcode" where devices exchange data inside of what it calls; those of the evaluator.
  Result<Literal> of(const Instruction& instruction, std::span<const Literal> operands, const Literal& value);
  // Of the root, on arguments that are true.
  Result<Literal> ofRoot(const Computation& computation, std::span<const Literal> arguments);

 private:
  // Values that are off by `bounds`.
  struct Operands {
    std::span<const Literal> values, bounds;
  };
  Result<Literal> ofInstruction(const Instruction& instruction, Operands operands, const Literal& value);
  Result<Literal> ofOperation(const Instruction& instruction, Operands operands, const Literal& value);
  Result<Literal> ofSum(const Instruction& instruction, Operands operands);
  Result<Literal> ofLoop(const Instruction& loop, Operands operands);
  Result<Literal> through(const Computation& computation, Operands arguments);
  EvalOptions options() const;
  Result<Literal> evaluated(const Instruction& instruction, std::span<const Literal> operands) const;

  DeviceGrid grid_;
  int64_t device_;
  CancelToken cancel_;
  int64_t mostBytes_;
};

}  // namespace hilo
