// What the parts of the fake driver share: the kernels it knows.
#pragma once

#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo::fake {

// add_s32: sum[i] += value[i], a thread each.
void addValues(void** parameters, uint32_t threads);
// Of "hilo_set_condition", whatever its code.
DriverKernel setConditionKernel();

}  // namespace hilo::fake
