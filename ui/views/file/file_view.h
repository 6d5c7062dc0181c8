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
  // Reads the file in a job, unless it is shown; goes to the line, else to the first that holds the word.
  void show(const ShowFile& asked);
  bool openFind() override;
  void take(const ViewAsk& what) override;
  // The first file of the dump that holds no module; with --query, the first whose name or kind has it, at
  // the line that follows it ("ptx:57"). Error kind: "no-such-file".
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString commandLine(ShownState state) const override;
  QString path() const { return path_; }
  TextView& text() { return *text_; }

 private:
  std::shared_ptr<const OpenedDump> dumpOf(const QString& path) const;
  void goToPlace(const ShowFile& asked);
  void activateName(const QString& name);

  JobScope scope_;
  QString path_;
  QLabel* head_;
  TextView* text_;
  FindBar* find_;
};

}  // namespace hilo
