// Builds XLA's module messages: computations of instructions, ids and names given as they come.
//
// An instruction is a pointer into its computation's message and stays valid as long as the module does.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/proto/schema/hlo.pb.h"
#include "plugins/stablehlo/source_names.h"

namespace hilo::stablehlo {

using Hlo = pb::HloInstructionProto*;
using Hlos = llvm::ArrayRef<Hlo>;
using Dims = llvm::ArrayRef<int64_t>;

// Shapes. Arrays are dense and row-major, as XLA makes them from StableHLO.
pb::ShapeProto arrayShape(pb::PrimitiveType type, Dims dims);
pb::ShapeProto scalarShape(pb::PrimitiveType type);
pb::ShapeProto tupleShape(llvm::ArrayRef<pb::ShapeProto> elements);
pb::ShapeProto tokenShape();
// `shape` with another element type, or other dimensions.
pb::ShapeProto withType(const pb::ShapeProto& shape, pb::PrimitiveType type);
pb::ShapeProto withDims(const pb::ShapeProto& shape, Dims dims);
Dims dimsOf(const pb::ShapeProto& shape);
bool isFloat(pb::PrimitiveType type);
bool isComplex(pb::PrimitiveType type);
pb::PrimitiveType realType(pb::PrimitiveType complex);

class ModuleBuilder;

class ComputationBuilder {
 public:
  ComputationBuilder(ModuleBuilder& module, llvm::StringRef name);

  ModuleBuilder& module() { return module_; }
  // The metadata and sharding every instruction made from now on gets.
  pb::OpMetadata metadata;
  // What the input calls what they are made of.
  SourceName source;

  Hlo add(llvm::StringRef opcode, const pb::ShapeProto& shape, Hlos operands);
  Hlo parameter(int64_t number, const pb::ShapeProto& shape, llvm::StringRef name);
  Hlo tuple(Hlos elements);
  Hlo element(Hlo tuple, int64_t index);
  // Its elements where it is a tuple, else itself.
  std::vector<Hlo> elements(Hlo value);

  // Elementwise, of the first operand's shape.
  Hlo apply(llvm::StringRef opcode, Hlos operands) { return add(opcode, operands[0]->shape(), operands); }
  Hlo compare(llvm::StringRef direction, Hlo a, Hlo b);
  Hlo select(Hlo predicate, Hlo a, Hlo b) { return add("select", a->shape(), {predicate, a, b}); }
  Hlo convert(Hlo value, pb::PrimitiveType type);
  Hlo reshape(Hlo value, Dims dims);
  // Dimension n of the operand becomes `dims[n]` of the result; those of size 1 are stretched.
  Hlo broadcast(Hlo value, Dims dims, const pb::ShapeProto& shape);
  // A number of the given shape's element type, spread over it.
  Hlo number(double value, const pb::ShapeProto& shape);
  Hlo integer(int64_t value, const pb::ShapeProto& shape);
  Hlo literal(pb::LiteralProto literal);

  int64_t id() const { return id_; }
  // Ends it; nothing may be added after.
  void finish(Hlo root);

 private:
  ModuleBuilder& module_;
  int64_t id_;
  std::unique_ptr<pb::HloComputationProto> proto_;  // null once it has ended
  std::vector<Hlo> parameters_;
};

class ModuleBuilder {
 public:
  // A number for a name or an id, unique in the module; ids of computations and instructions from 1.
  int64_t nextId() { return ++lastId_; }
  void add(std::unique_ptr<pb::HloComputationProto> computation) {
    computations_.push_back(std::move(computation));
  }
  void addSource(Hlo made, const SourceName& source) { sources_.emplace_back(made, source); }
  const std::vector<std::pair<Hlo, SourceName>>& sources() const { return sources_; }
  // Moves everything into `module`, the computation finished last its entry.
  void finish(pb::HloModuleProto& module);

 private:
  int64_t lastId_ = 0;
  std::vector<std::unique_ptr<pb::HloComputationProto>> computations_;  // called before caller
  std::vector<std::pair<Hlo, SourceName>> sources_;
};

// Puts one element into a literal: `shape` says of what type.
void appendElement(pb::LiteralProto& literal, double value);
void appendElement(pb::LiteralProto& literal, int64_t value);

}  // namespace hilo::stablehlo
