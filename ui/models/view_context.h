// What every view is given in its constructor.
#pragma once

#include <functional>

#include "core/workspace/session/session.h"
#include "ui/models/selection_bus.h"
#include "ui/models/session_changes.h"

class QWidget;

namespace hilo {

class GraphPair;

struct ViewContext {
  Session& session;
  SessionChanges& changes;  // of the session
  SelectionBus& bus;
  JobQueue& jobs;
  // Two graphs side by side (ui/widgets/graph_pair.h); null: none are shown.
  std::function<GraphPair*(QWidget* parent)> makeGraphPair = nullptr;
  QString layoutFolder = {};  // where layouts of graphs are kept between runs of the program; "" for nowhere
};

}  // namespace hilo
