// What every view is given in its constructor.
#pragma once

#include <functional>

#include "ui/models/selection_bus.h"
#include "ui/models/session.h"

class QWidget;

namespace hilo {

class GraphPair;

struct ViewContext {
  Session& session;
  SelectionBus& bus;
  JobQueue& jobs;
  // Two graphs side by side (ui/widgets/graph_pair.h); null: none are shown.
  std::function<GraphPair*(QWidget* parent)> makeGraphPair = nullptr;
  QString layoutFolder = {};  // where layouts of graphs are kept between runs of the program; "" for nowhere
};

}  // namespace hilo
