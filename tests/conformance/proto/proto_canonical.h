// Brings two HloModuleProtos that say the same into one form, so that a field-by-field comparison shows real
// differences only. What it takes out is what versions of XLA write differently for the same module.
#pragma once

#include <string>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo {

void canonicalize(pb::HloModuleProto& module);

// "" when equal, else the first differences.
std::string differences(const pb::HloModuleProto& a, const pb::HloModuleProto& b);

}  // namespace hilo
