// One library call on its way to HLO: what it says, and the means to write instructions in front of it. They
// get its metadata.
#pragma once

#include <fmt/format.h>

#include "core/hlo/expand/call_config.h"
#include "core/hlo/ir/module.h"

namespace hilo::library {

class Expansion {
 public:
  explicit Expansion(Instruction& call) : call_(call) {}

  Instruction& call() const { return call_; }
  Shape shape() const { return call_.shape(); }
  size_t operandCount() const { return call_.operandCount(); }
  Instruction* operand(size_t n) const { return call_.operand(n); }
  // How many arrays it gives, and their shapes.
  size_t resultCount() const { return shape().isTuple() ? shape().tupleShapes().size() : 1; }
  Shape result(size_t n) const { return shape().isTuple() ? shape().tupleShapes()[n] : shape(); }

  // Refusals: the form is not known; the call cannot be.
  std::unexpected<Diagnostic> refuse(std::string_view why) const;
  std::unexpected<Diagnostic> malformed(std::string_view why) const;
  std::unexpected<Diagnostic> unknownTarget() const;
  Status needsOperands(size_t least, size_t most) const;
  // Arrays, and so many of them.
  Status needsArrays(size_t least, size_t most) const;
  Status needsResults(size_t least, size_t most) const;
  // The backend_config, in JSON or in MLIR's form; an empty object where there is none.
  Result<CallConfig> config() const;

  Instruction* add(Opcode opcode, Shape shape, std::span<Instruction* const> operands) const;
  Instruction* add(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) const {
    return add(opcode, shape, std::span<Instruction* const>(operands.begin(), operands.size()));
  }
  // Of arrays of one shape.
  Instruction* binary(Opcode opcode, Instruction* a, Instruction* b) const {
    return add(opcode, a->shape(), {a, b});
  }
  Instruction* unary(Opcode opcode, Instruction* a) const { return add(opcode, a->shape(), {a}); }
  // Every element is the number, as the type has it.
  Instruction* splat(Shape shape, double real, double imaginary = 0) const;
  Instruction* zeros(Shape shape) const;
  // `value` as it is where it has the type already.
  Instruction* convert(Instruction* value, ElementType type) const;
  // Dimension n of `value` becomes dimension dims[n] of the result.
  Instruction* broadcast(Instruction* value, Shape shape, std::span<const int64_t> dims) const;
  Instruction* broadcastScalar(Instruction* value, Shape shape) const { return broadcast(value, shape, {}); }
  // Folds the elements along `dims`: `opcode` on two scalars, from `start`.
  Instruction* reduce(Instruction* value, std::span<const int64_t> dims, Opcode opcode, double start) const;
  // The values in the order and the layouts the call gives them; workspaces behind them are zero.
  Result<Instruction*> give(std::vector<Instruction*> values) const;

  // Calls the entry of a module written as HLO text, in which each $NAME stands for its replacement; the
  // operands are its parameters. The text is ours: what does not parse is a bug.
  using Replacements = std::vector<std::pair<std::string, std::string>>;
  Instruction* callText(std::string_view text, const Replacements& replacements,
                        std::span<Instruction* const> operands) const;
  Instruction* element(Instruction* tuple, int64_t index) const;

 private:
  Instruction& call_;
};

}  // namespace hilo::library
