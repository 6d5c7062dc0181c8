// Writes what front ends say of where an array is to lie, the call annotate_device_placement with the
// frontend attribute _xla_buffer_placement, as the calls that XLA's passes look for: MoveToHost,
// MoveToDevice, PinToDevice, PinToDeviceSram. As XLA's
// hlo/transforms/convert_memory_placement_to_internal_annotations.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> convertMemoryPlacement(Module& module, PassContext& context);

}  // namespace hilo
