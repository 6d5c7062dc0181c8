// What one view asks of the others without knowing them: it goes over the selection bus, the window offers it
// to every view, and those that take it answer.
#pragma once

#include <QString>
#include <memory>
#include <variant>

#include "core/workspace/run/runs.h"
#include "core/workspace/session/ids.h"

namespace hilo {

// Brings a view of views.def to the front.
struct ShowView {
  QString name;
};
// A file of a dump that holds no module; `word`: goes to the first line that holds it.
struct ShowFile {
  QString path;
  QString word;
  uint32_t line = 0;  // goes there; counted from 1, 0: none
};
struct SearchFor {
  QString query;
};
// What the query finds gets a colour in the graph.
struct ColourFound {
  QString query;
};
// The first NaN of the module that is shown, on the arguments of the last run.
struct FindNonfinite {};
// The first instruction at which `engine` differs from `truth`.
struct FindDivergence {
  QString truth;
  QString engine;
  ArgumentSource arguments;
};
// The one run that is selected, with the times of its thunks; null: none is, or several.
struct RunSelected {
  std::shared_ptr<const RunRecord> run;
};
// What check mode found in a run of this snapshot; empty: nothing.
struct RunChecked {
  SnapshotId of;
  Diagnostics findings;
};
// Why a run that was to be compared gave nothing.
struct RunFailed {
  QString why;
};

// The current module partitioned, and the program of one device shown.
struct PartitionFirst {};
// Which passes made, changed and removed the instruction that is pointed at.
struct ShowHistory {};
// A line of the user's program in the editor of the settings.
struct OpenSource {
  QString file;  // as the metadata has it
  int line = 0;
};
// Bookmarks the selected instruction, or takes its bookmark away.
struct BookmarkSelected {};

using ViewAsk =
    std::variant<ShowView, ShowFile, SearchFor, ColourFound, FindNonfinite, FindDivergence, RunSelected,
                 RunFailed, PartitionFirst, ShowHistory, OpenSource, BookmarkSelected, RunChecked>;

// "source:"model.py:12"": everything that came from this line of the user's program.
inline SearchFor searchForSource(const QString& file, int line) {
  return {QString("source:\"%1:%2\"").arg(file).arg(line)};
}

}  // namespace hilo
