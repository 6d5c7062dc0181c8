// Attributes any operation or argument may carry besides its own: shardings, frontend attributes.
#pragma once

#include <mlir/IR/Operation.h>

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// mhlo.sharding, mhlo.frontend_attributes and sdy.sharding (as a frontend attribute, XLA's own way) of the
// operation, put on the instruction it became.
LogicalResult addCommonAttributes(const OpConversion& conversion, Hlo made);
// The same for argument `index` of a function.
LogicalResult addArgumentAttributes(mlir::Operation* function, size_t index,
                                    pb::HloInstructionProto& parameter);
// The sharding of what the function returns, where every result has one: of the one, or a tuple.
llvm::FailureOr<std::optional<pb::OpSharding>> resultSharding(mlir::Operation* function);

// { key = value, ... } as frontend attributes: strings as they are, others as MLIR writes them.
void addFrontendAttributes(mlir::DictionaryAttr fields, pb::FrontendAttributes& attributes);
// MLIR's text of an attribute; a string's own text.
std::string textOf(mlir::Attribute attribute);
// The dictionary of argument or result `index` (`arg_attrs`, `res_attrs`); null when there is none.
mlir::DictionaryAttr signatureAttributes(mlir::Operation* function, llvm::StringRef which, size_t index);

}  // namespace hilo::stablehlo
