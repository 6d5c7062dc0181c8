// LiteralProto to Literal and back. The proto holds elements in the order of the shape's layout, Literal in
// row-major order of the logical dimensions; these functions permute. Elements below a byte may be stored one
// a byte or packed (least significant first): told apart by their number of bytes, written one a byte.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/proto/schema/data.pb.h"

namespace hilo {

// Error kinds: "bad-literal" (the number of values does not fit the shape), those of readShape,
// and "literal-too-large".
Result<Literal> readLiteral(const pb::LiteralProto& proto);

// An elided literal is written as its shape alone.
void writeLiteral(const Literal& literal, pb::LiteralProto& proto);

// One array's elements in the layout's order, as XLA's Literal::Serialize lays them out: little endian,
// sub-byte elements packed. For the length-prefixed snapshot form.
size_t serializedArrayBytes(Shape shape);
Status readSerializedArray(std::string_view bytes, Literal& literal);
void appendSerializedArray(const Literal& literal, std::string& out);

}  // namespace hilo
