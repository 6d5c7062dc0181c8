// What layout assignment said of the copies it made (its remarks "copied"), found again in the module that
// the pipeline ends with. Private to the room.
#pragma once

#include "core/workspace/layouts/layout_study.h"

namespace hilo {

// Fills in LayoutRow::recorded of a study whose layouts Hilo assigned.
void addRecorded(LayoutStudy& study);

}  // namespace hilo
