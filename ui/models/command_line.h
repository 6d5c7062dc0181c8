// What is on the screen as a command: for a script, a colleague or a bug report. A module that passes made is
// written as the run that makes it. Every function gives "" where nothing is open, or what is shown comes
// from no file.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "core/workspace/session/session.h"

namespace hilo {

// What holds for a picture of any view, and what the view adds.
struct ShownState {
  QString view;  // its name in views.def, or "window"
  QSize size;    // of that view; empty leaves it to the picture
  QString selected;
  QStringList sourceRoots;
  bool dark = false;
  QStringList controls;    // "NAME=VALUE", what was set in the view (view_controls.h)
  QString options;         // of hilo-studio besides: "--run"
  bool wholeDump = false;  // of a stage of a dump: the dump is opened, not the file of the stage
};

// "hilo-studio --render NAME -o NAME.png ... FILE", with the current module or the compiled code
// that is shown.
QString pictureCommand(const Session& session, const ShownState& state);
// The same of the passes view, with the step of this series.
QString seriesCommand(const Session& session, const SeriesEntry& series, int step, const ShownState& state);

// The current module for a command that reads standard input: `before` FILE, where `before` ends with a pipe
// and FILE is "-" for one that passes made. FILE is empty where there is none.
struct ModuleInput {
  QString before;
  QString file;
};
ModuleInput pipedModule(const Session& session);
// The same for a program that needs a file: `before` writes it.
ModuleInput writtenModule(const Session& session, bool wholeDump = false);

// A word as a POSIX shell reads it back.
QString shellWord(const QString& word);

}  // namespace hilo
