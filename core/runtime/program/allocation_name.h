// What a kind of allocation is called in text and in views.
#pragma once

#include "core/runtime/program/program.h"

namespace hilo {

// "temporary", "sizes of arguments".
const char* allocationKindName(AllocationKind kind);

}  // namespace hilo
