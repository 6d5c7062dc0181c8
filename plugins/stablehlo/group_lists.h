// An instruction's replica groups as lists, however they are written.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo::stablehlo {

// One list a group; none where all devices are one group. Nothing for groups over the axes of a mesh, and for
// numbers that do not fit together.
std::optional<std::vector<std::vector<int64_t>>> groupLists(const pb::HloInstructionProto& hlo);

}  // namespace hilo::stablehlo
