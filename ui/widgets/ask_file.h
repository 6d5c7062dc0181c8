// Asking for a file while the window goes on: the path comes later, or never. UI thread.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace hilo {

struct FileQuestion {
  QString title;
  QString filter;       // "CSV (*.csv);;All files (*)"
  bool saves = false;   // else the file has to be there
  QString suffix = {};  // of what is saved, where none is typed
  QString name = {};    // proposed for it
};

// Over a widget, with which the question goes. `take` is called with the chosen path.
void askFile(QWidget& over, const FileQuestion& question, std::function<void(const QString& path)> take);

}  // namespace hilo
