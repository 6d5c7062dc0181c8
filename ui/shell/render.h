// Draws a view into a picture through the window it belongs to: the same code path as on the screen.
#pragma once

#include <QSize>
#include <QString>

#include "core/base/result.h"

namespace hilo {

class MainWindow;

struct RenderRequest {
  QString view;    // one of MainWindow::viewNames()
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
  bool run = false;      // thunks are measured, values worked out
};

// The window must have been told what to open. Waits until everything is read, laid out and printed. Views
// of results make them first: thunks compiles the module, passes runs the first pipeline over a module
// without a pass series, runs executes the module on the reference engine, compare does so twice (neither
// does where that would take minutes). Kinds: "unknown-view", "nothing-open", "no-such-name",
// "file-not-written", "timeout".
Status renderView(MainWindow& window, const RenderRequest& request);

}  // namespace hilo
