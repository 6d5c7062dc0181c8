// Operations without a function around them, as people paste them: `%4 = stablehlo.xor %1, %3 : tensor<i1>`.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace hilo::stablehlo {

struct FunctionAround {
  std::string text;  // its first line is the function's, the second the pasted text's first
  std::vector<std::string> parameters;  // "%arg0: tensor<5xi32>", by name
};
// The text as the body of @main. Its parameters are the values that operations use and none defines, of the
// types that the first operation to use each states; the results of its last operation are returned, unless
// it returns some itself. Nothing where the text does not begin with an operation that has a result, or types
// are not stated.
std::optional<FunctionAround> functionAround(llvm::StringRef text);

}  // namespace hilo::stablehlo
