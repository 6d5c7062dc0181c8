#include "ui/shell/source_editor.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QProcess>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString filled(QString text, const QString& file, int line) {
  return text.replace("{line}", QString::number(line)).replace("{file}", file);
}

// "" where there is none.
QString fileOf(const Session& session, const QString& recorded) {
  const QString found = qs(session.sourceTree().find(toStd(recorded)));
  if (!found.isEmpty()) return found;
  const QFileInfo there(recorded);
  return there.isAbsolute() && there.isFile() ? recorded : QString();
}

}  // namespace

EditorCall editorCall(const QString& command, const QString& file, int line) {
  if (command.trimmed().isEmpty()) return {.url = QUrl::fromLocalFile(file), .words = {}};
  if (command.contains("://")) return {.url = QUrl(filled(command.trimmed(), file, line)), .words = {}};
  QStringList words = QProcess::splitCommand(command);
  for (QString& word : words) word = filled(word, file, line);
  return {.url = {}, .words = words};
}

Status openInEditor(const Session& session, const QString& command, const QString& recorded, int line) {
  const QString file = fileOf(session, recorded);
  if (file.isEmpty())
    return fail("no-such-file", fmt::format("{} is not on this machine", toStd(recorded)), {},
                {"File > Source folder... says where the program lies"});
  EditorCall call = editorCall(command, file, line);
  const bool isStarted = call.words.isEmpty() ? QDesktopServices::openUrl(call.url)
                                              : QProcess::startDetached(call.words.takeFirst(), call.words);
  if (isStarted) return {};
  return fail("editor-not-started", fmt::format("the editor could not be started: {}", toStd(command)), {},
              {"Edit > Preferences... holds its command, such as code -g {file}:{line}"});
}

}  // namespace hilo
