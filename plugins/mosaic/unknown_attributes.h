// Attributes that the generic form names between <{ and }> and that the operation does not have. MLIR's
// parser passes over them in silence; here they are refused by name.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <mlir/IR/MLIRContext.h>

#include <string>
#include <vector>

namespace hilo::mosaic {

struct UnknownAttribute {
  std::string operation, name;
  uint32_t line = 0, column = 0;  // from 1 on
};

// The first hundred, in the order of the text. Operations that the context has not registered keep what they
// are given, and have none.
std::vector<UnknownAttribute> unknownAttributes(llvm::StringRef text, mlir::MLIRContext& context);

}  // namespace hilo::mosaic
