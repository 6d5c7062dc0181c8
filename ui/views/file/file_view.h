// A file of a dump that holds no module, as text: LLVM IR, PTX, buffer assignment, thunk sequence, options.
// Names of instructions in it lead to them.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/models/view_context.h"
#include "ui/widgets/find_bar.h"
#include "ui/widgets/text_view.h"

namespace hilo {

class FileView : public QWidget {
  Q_OBJECT

 public:
  explicit FileView(const ViewContext& context, QWidget* parent = nullptr);
  // Reads the file in a job, unless it is shown already; then goes to the first line that holds `word`.
  void show(const QString& path, const QString& word = {});
  void openFind() { find_->open(); }
  QString path() const { return path_; }
  TextView& text() { return *text_; }

 private:
  std::shared_ptr<const OpenedDump> dumpOf(const QString& path) const;
  void goToWord(const QString& word);
  void activateName(const QString& name);

  ViewContext context_;
  JobScope scope_;
  QString path_;
  QLabel* head_;
  TextView* text_;
  FindBar* find_;
};

}  // namespace hilo
