// HLO to StableHLO text: the common subset, so that a module can go back to where it came from.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo::stablehlo {

struct ExportResult {
  std::string text;
  std::string error;  // "" when it went well; else what has no counterpart, by name
};

// Generic form throughout, tuples spread into their elements, layouts left out (StableHLO has none),
// metadata as locations. Refused by name: fusions, asynchronous pairs, schedules and what else belongs
// to compiled modules.
ExportResult exportStablehlo(const pb::HloModuleProto& module);

}  // namespace hilo::stablehlo
