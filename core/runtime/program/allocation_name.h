// What a kind of allocation is called in text and in views.
#pragma once

#include "core/runtime/program/program.h"

namespace hilo {

// "temporary", "sizes of arguments".
const char* allocationKindName(AllocationKind kind);
// With where it lies, if not on the device: "host temporary".
std::string allocationName(const Allocation& allocation);

}  // namespace hilo
