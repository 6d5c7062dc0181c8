// Which StableHLO operation an HLO opcode is, and its attributes.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo::stablehlo {

// The attributes of one instruction as "name = value, ..."; nothing, with `error` set, for what
// StableHLO cannot say.
using AttributesOf = std::optional<std::string> (*)(const pb::HloInstructionProto& hlo, std::string& error);

struct ExportRow {
  const char* opcode;
  const char* operation;    // with its dialect
  AttributesOf attributes;  // null: none
  int regions = 0;          // how many of its called computations become regions
};

// Null for opcodes written in a way of their own (while, call, tuple, ...) or not at all.
const ExportRow* findExport(const std::string& opcode);

// "array<i64: 1, 2>"
std::string arrayText(const google::protobuf::RepeatedField<int64_t>& values);

}  // namespace hilo::stablehlo
