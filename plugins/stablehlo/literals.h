// MLIR's constants as HLO literals, MLIR's types as HLO shapes.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include <optional>

#include "plugins/stablehlo/hlo_builder.h"

namespace hilo::stablehlo {

// INVALID for types HLO does not have. A quantized type counts as its storage type.
pb::PrimitiveType elementTypeOf(mlir::Type type);
bool isToken(mlir::Type type);
// !stablehlo.future<...>: something under way, whose shape in HLO is what its start gives it.
bool isFuture(mlir::Type type);
// Nothing for types HLO does not have (unranked tensors, memrefs, ...). An unbounded dynamic dimension is
// INT64_MIN and dynamic, a bounded one its bound and dynamic: XLA's convention.
std::optional<pb::ShapeProto> shapeOf(mlir::Type type);

// dense_resource<__elided__>: the values were not written.
bool isElided(mlir::ElementsAttr value);

// The elements in full, in the order HLO has them. Nothing when the attribute holds none (elided, not dense)
// or its type has no HLO counterpart. Bounded by the attribute's own bytes: a splat gives one element and a
// shape of no dimensions.
std::optional<pb::LiteralProto> literalOf(mlir::ElementsAttr value, const pb::ShapeProto& shape);

}  // namespace hilo::stablehlo
