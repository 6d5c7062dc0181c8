// Numbers for collectives that are made anew.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// One more than the largest channel of the module; at least 1.
int64_t nextChannel(const Module& module);

}  // namespace hilo
