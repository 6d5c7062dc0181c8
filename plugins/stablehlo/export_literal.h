// HLO's shapes and literals as MLIR text.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo::stablehlo {

// "tensor<2x3xf32>", "!stablehlo.token"; nothing for opaque and other types StableHLO does not have.
std::optional<std::string> typeText(const pb::ShapeProto& shape);
// "dense<...>", the type not included; nothing when the literal is a tuple or its type has no text.
std::optional<std::string> literalText(const pb::LiteralProto& literal);
// A string literal of MLIR, quotes included.
std::string quoted(llvm::StringRef text);

}  // namespace hilo::stablehlo
