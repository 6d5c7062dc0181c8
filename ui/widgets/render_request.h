// What a picture of a view is asked to show.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>

#include "core/base/result.h"

namespace hilo {

struct RenderRequest {
  QString view;    // a name of views.def, or "window"
  QString output;  // a PNG file
  QSize size = {1280, 800};
  QString select;        // an instruction or computation to select first; "" for none
  QString query;         // for the search view; of the file view, a part of the file's name or kind
  QStringList inputs;    // as on the command line: of two, `passes` compares the first with the second
  QString graph;         // words for GraphArea::arrange
  QString schedule;      // words for ScheduleView::arrange
  QStringList controls;  // "NAME=VALUE", set in the view (view_controls.h)
  QString passes;        // of the passes view: run these, with commas between, or a pipeline of that name
  int step = -1;         // of the passes view: the step to show; -1 for the first that changed something
  bool run = false;      // thunks are measured, values computed
};

// What a view may do while it makes what its picture shows.
struct RenderSteps {
  std::function<Status()> wait;                        // until nothing is under way
  std::function<Status(const QString& view)> show;     // brings a view to the front, and waits
  std::function<Status(const QString& view)> prepare;  // the same, and makes what that view shows
};

}  // namespace hilo
