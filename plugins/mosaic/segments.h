// How many operands each argument of an operation has. MLIR 22's and the dialect's operations have other
// numbers of arguments than those of other versions; arguments that are not given count nothing.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace hilo::mosaic {

// The sizes as the operation has them here; nothing where they are so already or the operation is not of the
// table. Arguments that are given and unknown here stay: the verifier refuses them.
std::optional<llvm::SmallVector<int32_t>> segmentsHere(llvm::StringRef operation,
                                                       llvm::ArrayRef<int32_t> sizes);

// The same of a text in the generic form, `"name"(...) <{operandSegmentSizes = array<i32: 1, 1>}>`; nothing
// when no line changes. Lines stay where they are.
std::optional<std::string> withSegmentsHere(llvm::StringRef text);

}  // namespace hilo::mosaic
