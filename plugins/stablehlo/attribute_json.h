// Attributes of operations that HLO shows as custom calls, in a form that Hilo reads back.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>

#include <string>

namespace hilo::stablehlo {

// As JSON: integers in any spelling are numbers or a flat list of them, dictionaries are objects, names and
// what has no JSON form are strings.
std::string jsonOf(mlir::DictionaryAttr attributes);

}  // namespace hilo::stablehlo
