// The user's editor at a line of the program: what is called for the command in the settings.
#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>

#include "core/workspace/session/session.h"

namespace hilo {

struct EditorCall {
  QUrl url;  // given to the desktop; else a program is started
  QStringList words;
};

// `command` has {file} and {line} in it: "code -g {file}:{line}", "vscode://file{file}:{line}". Words are
// taken as a shell takes them, and no shell sees the path. "": the desktop's own program for the file.
EditorCall editorCall(const QString& command, const QString& file, int line);

// Opens the file as it lies in a source folder, or where the metadata says, if it is there. Kinds:
// "no-such-file", "editor-not-started".
Status openInEditor(const Session& session, const QString& command, const QString& recorded, int line);

}  // namespace hilo
