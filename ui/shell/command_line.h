// What is on the screen as a command: for a script, a colleague or a bug report.
#pragma once

#include <QString>

#include "ui/models/session.h"

namespace hilo {

struct ShownState {
  QString view;  // of MainWindow::viewNames(): the one that has the focus
  QString selected;
  QString query;      // of the search view
  QString engine;     // of the runs view, as are the next two
  QString arguments;  // "seed 7" or a file
  int repeat = 1;
  bool dark = false;
};

// "hilo query ... FILE" from the search view, "hilo run ..." from the runs view, else the picture that shows
// the view. A module that passes made is written as the run that makes it. Empty where nothing is open.
QString commandLineOf(const Session& session, const ShownState& state);

// A word as a POSIX shell reads it back.
QString shellWord(const QString& word);

}  // namespace hilo
