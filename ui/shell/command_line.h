// What is on the screen as a command: for a script, a colleague or a bug report.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "ui/models/session.h"

namespace hilo {

struct ShownState {
  QString view;  // of MainWindow::viewNames(): the one that has the focus
  QSize size;    // of that view; empty leaves it to the picture
  QString selected;
  QString query;      // of the search view; of the file view, the name of the file
  QString engine;     // of the runs view, as are the next four
  QString arguments;  // "seed 7" or a file
  int repeat = 1;
  int timeLimitSeconds = 0;  // 0: none
  double memoryLimitGB = 0;  // 0: none
  SeriesId series;           // of the passes view, as is the next
  int step = -1;
  QStringList controls;  // "NAME=VALUE", what was set in the view (view_controls.h)
  QStringList sourceRoots;
  bool dark = false;
  bool run = false;  // thunks are measured, values worked out
  QString graph;     // GraphArea::arrangement()
};

// "hilo query ... FILE" from the search view, "hilo run ..." from the runs view, "hilo compare ..." where
// two engines ran one module, else the picture that shows the view. A module that passes made is written as
// the run that makes it, two compared ones as both. Empty where nothing is open, or what is shown comes
// from no file.
QString commandLineOf(const Session& session, const ShownState& state);

// A word as a POSIX shell reads it back.
QString shellWord(const QString& word);

}  // namespace hilo
