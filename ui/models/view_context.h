// What every view is given in its constructor.
#pragma once

#include "ui/models/selection_bus.h"
#include "ui/models/session.h"

namespace hilo {

struct ViewContext {
  Session& session;
  SelectionBus& bus;
  JobQueue& jobs;
};

}  // namespace hilo
