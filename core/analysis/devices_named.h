// How many devices a module speaks of, whether or not it says that it runs on as many.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// One more than the highest number that a collective's groups or pairs name; 0 where none names any.
int64_t devicesNamed(const Module& module);

}  // namespace hilo
