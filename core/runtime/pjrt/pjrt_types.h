// Element types as PJRT numbers them.
#pragma once

#include <optional>

#include "core/hlo/ir/element_type.h"
#include "core/runtime/pjrt/pjrt_api.h"

namespace hilo {

// Nothing of what PJRT has no number for.
std::optional<PjrtType> pjrtTypeOf(ElementType type);
std::optional<ElementType> elementTypeOf(PjrtType type);

}  // namespace hilo
