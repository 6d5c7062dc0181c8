// VHLO, the versioned form of StableHLO in portable artifacts (MLIR bytecode), read as builtin
// attributes and types.
//
// Read: what StableHLO 0.9 to 1.20 write. An artifact of a later one opens as long as it holds nothing newer;
// what is newer is refused by its name or its code.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OperationSupport.h>

namespace hilo::stablehlo {

struct VhloOp {
  const char* name;        // "all_gather_v2"
  const char* attributes;  // in the order of bytecode
};
llvm::ArrayRef<VhloOp> vhloOps();
bool isVhloOp(llvm::StringRef name);

// Makes an operation read its attributes from bytecode.
void addVhloProperties(mlir::detail::InterfaceMap& interfaces);
// Makes a dialect read its attributes and types from bytecode.
void addVhloBytecode(mlir::Dialect& dialect);

}  // namespace hilo::stablehlo
