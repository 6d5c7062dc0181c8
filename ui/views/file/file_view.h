// A file of a dump that holds no module, as text: LLVM IR, PTX, buffer assignment, thunk sequence, options.
// Names of instructions in it lead to them.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/widgets/find_bar.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class FileView : public View {
  Q_OBJECT

 public:
  explicit FileView(const ViewContext& context, QWidget* parent = nullptr);
  // Reads the file in a job, unless it is shown already; then goes to the first line that holds `word`.
  void show(const QString& path, const QString& word = {});
  bool openFind() override;
  void take(const ViewAsk& what) override;
  // The first file of the dump that holds no module; with --query, the first whose name or kind has it.
  // Error kind: "no-such-file".
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString commandLine(ShownState state) const override;
  QString path() const { return path_; }
  TextView& text() { return *text_; }

 private:
  std::shared_ptr<const OpenedDump> dumpOf(const QString& path) const;
  void goToWord(const QString& word);
  void activateName(const QString& name);

  JobScope scope_;
  QString path_;
  QLabel* head_;
  TextView* text_;
  FindBar* find_;
};

}  // namespace hilo
