#include "ui/shell/command_line.h"

#include <QRegularExpression>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

// The file the module was read from, and the passes that were run over it since.
struct Origin {
  QString file;
  QStringList passes;
};

Origin originOf(const Session& session, const Snapshot& snapshot) {
  if (snapshot.file) return {qs(snapshot.file->path), {}};
  for (const SeriesEntry& entry : session.series()) {
    const Snapshot* before = session.snapshot(entry.origin);
    for (size_t step = 1; step < entry.series->steps.size() && before != nullptr; ++step) {
      if (entry.series->steps[step].moduleIfLoaded() != snapshot.module) continue;
      Origin origin = originOf(session, *before);
      for (size_t n = 1; n <= step; ++n) {
        if (!entry.series->steps[n].skipped) origin.passes << qs(entry.series->steps[n].name);
      }
      return origin;
    }
  }
  return {};
}

}  // namespace

QString shellWord(const QString& word) {
  static const QRegularExpression plain("^[A-Za-z0-9_./:=,@%+-]+$");
  if (plain.match(word).hasMatch()) return word;
  return "'" + QString(word).replace("'", "'\\''") + "'";
}

QString commandLineOf(const Session& session, const ShownState& state) {
  const Snapshot* snapshot = session.current();
  if (snapshot == nullptr) return {};
  const Origin origin = originOf(session, *snapshot);
  if (origin.file.isEmpty()) return {};
  QString file = shellWord(origin.file), before;
  if (!origin.passes.isEmpty()) {
    // The commands read standard input; the studio needs a file.
    const bool piped = state.view == "search" || state.view == "runs";
    before = QString("hilo opt --passes=%1 %2 -o %3")
                 .arg(origin.passes.join(','), file, piped ? "- | " : "after.hlo && ");
    file = piped ? "-" : "after.hlo";
  }
  if (state.view == "search" && !state.query.isEmpty())
    return before + QString("hilo query %1 %2").arg(shellWord(state.query), file);
  if (state.view == "runs") {
    const QString arguments = state.arguments.startsWith("seed")
                                  ? "--seed " + state.arguments.mid(4).trimmed()
                              : state.arguments == "snapshot" ? QString()
                                                              : "--args " + shellWord(state.arguments);
    return before + QString("hilo run --engine %1 %2 --repeat %3 %4")
                        .arg(state.engine, arguments)
                        .arg(state.repeat)
                        .arg(file)
                        .simplified();
  }
  QString line = before + QString("hilo-studio --render %1 -o %1.png").arg(state.view);
  if (!state.selected.isEmpty()) line += " --select " + shellWord(state.selected);
  if (state.dark) line += " --theme dark";
  return line + " " + file;
}

}  // namespace hilo
