// One operation on its way to HLO: what a conversion sees of it and of where it goes.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/Operation.h>

#include <optional>
#include <string>

#include "plugins/stablehlo/hlo_builder.h"
#include "plugins/stablehlo/op_row.h"

namespace hilo::stablehlo {

class ModuleConverter;

using llvm::LogicalResult;
using Integers = llvm::SmallVector<int64_t, 4>;

// The values of one computation.
struct Scope {
  explicit Scope(ModuleBuilder& module, llvm::StringRef name) : to(module, name) {}
  ComputationBuilder to;
  llvm::DenseMap<mlir::Value, Hlo> values;
};

class OpConversion {
 public:
  OpConversion(ModuleConverter& module, Scope& scope, mlir::Operation* op, const OpRow& row)
      : module(module), to(scope.to), op(op), row(row), scope_(scope) {}

  ModuleConverter& module;
  ComputationBuilder& to;
  mlir::Operation* const op;
  const OpRow& row;

  // An error unless there are at least so many operands and results: nothing checked the operation before.
  LogicalResult needs(size_t operands, size_t results = 1) const;
  // Operands are looked up before the conversion is called: these are all there.
  Hlo operand(size_t n) const { return operands_[n]; }
  Hlos operands() const { return operands_; }
  size_t operandCount() const { return operands_.size(); }
  // The operation's own way of making instructions: row.opcode, all operands, the result's shape.
  Hlo make() { return make(row.opcode, operands_); }
  Hlo make(llvm::StringRef opcode, Hlos operands) { return to.add(opcode, resultShape(), operands); }

  // Shapes of results: of the one there is, or a tuple of all.
  const pb::ShapeProto& resultShape(size_t n) const { return resultShapes_[n]; }
  pb::ShapeProto resultShape() const;
  size_t resultCount() const { return resultShapes_.size(); }

  // Attributes by name. Fields of a structure (dot_dimension_numbers) are also found on the operation itself,
  // as VHLO has them.
  mlir::Attribute attribute(llvm::StringRef name) const;
  mlir::Attribute field(llvm::StringRef structure, llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return static_cast<bool>(attribute(name)); }
  std::optional<Integers> integers(llvm::StringRef name) const;
  Integers integersOr(llvm::StringRef name, int64_t count, int64_t value) const;
  Integers fieldIntegers(llvm::StringRef structure, llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise = 0) const;
  double number(llvm::StringRef name, double otherwise = 0) const;
  bool flag(llvm::StringRef name) const { return integer(name) != 0; }
  // A string, or an enumerator.
  std::string text(llvm::StringRef name, llvm::StringRef otherwise = "") const;

  // Gives the operation's results: one instruction each, or one of tuple shape for several.
  LogicalResult done(Hlo value);
  LogicalResult done(Hlos values);
  LogicalResult error(const llvm::Twine& message) const;

  // Region `n` as a computation whose parameters are the region's arguments, and whose root is what it
  // returns, a tuple where `alwaysTuple` or that is not one value. Nothing on error.
  std::optional<int64_t> region(size_t n, llvm::StringRef name, bool alwaysTuple = false);
  // The same with one parameter: a tuple of the region's arguments and then `captured`. The root is a tuple
  // of what it returns and then, where `passOn`, the captured values.
  std::optional<int64_t> tupleRegion(size_t n, llvm::StringRef name, llvm::ArrayRef<mlir::Value> captured,
                                     bool passOn, bool alwaysTuple);
  // Converts a block of one of the regions right here, its arguments being the operands. What it returns;
  // nothing on error.
  std::optional<llvm::SmallVector<Hlo>> inlineBlock(mlir::Block& block);
  // Values from outside that the regions use, constants not among them (those are made again inside).
  llvm::SmallVector<mlir::Value> captures();
  Hlo valueOf(mlir::Value value);
  // The same operation converted as another row says.
  OpConversion as(const OpRow& other) const;
  // For conversions that go through another type: operands and shapes as the inner conversion is to see them,
  // and its results as the outside is to see them.
  void setOperand(size_t n, Hlo value) { operands_[n] = value; }
  void setResultShape(size_t n, pb::ShapeProto shape) { resultShapes_[n] = std::move(shape); }
  Hlo result(size_t n) const { return scope_.values.lookup(op->getResult(n)); }
  void replaceResult(size_t n, Hlo value) { scope_.values[op->getResult(n)] = value; }
  // What done() was given: where shardings and frontend attributes go.
  Hlo made = nullptr;

 private:
  friend class ModuleConverter;
  Scope& scope_;
  llvm::SmallVector<Hlo, 4> operands_;
  llvm::SmallVector<pb::ShapeProto, 1> resultShapes_;
};

// Integers however they are written: array<i64: ...>, dense<...>, [1, 2]; one is a list of one.
std::optional<Integers> integersOf(mlir::Attribute attribute);

}  // namespace hilo::stablehlo
