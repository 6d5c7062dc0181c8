// The lines of the user's program beside the HLO: the source stack of what is selected, and the file of the
// frame that is chosen in it, each line with what came of it. Needs folders to look in (Session's source
// roots); without them the stack alone is shown.
#pragma once

#include <QLabel>
#include <QWidget>

#include "core/workspace/text/source_lines.h"
#include "ui/models/table_model.h"
#include "ui/widgets/find_bar.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/view.h"

namespace hilo {

// A frame of the stack that is shown; `path` is the file on this machine, "" where it is not there.
struct FrameRow {
  QString function, file, path;
  int line = 0;
};

class SourceView : public View {
  Q_OBJECT

 public:
  explicit SourceView(const ViewContext& context, QWidget* parent = nullptr);
  TextView& text() { return *text_; }
  TableView& frames() { return *frames_; }
  const TableModel<FrameRow>& model() const { return model_; }
  QString head() const { return head_->text(); }

 private:
  void buildFrames();
  void buildText();
  void addEditor(QMenu& menu, const QString& file, int line);
  void join();
  void showSelection();
  void showFrame(const FrameRow& frame);
  void showFile(const QString& path, int line);
  void showText(const QString& path, std::shared_ptr<const std::string> text, int line);
  void goToLine(int line);
  void selectLine(int line);
  void say(const QString& text);
  // What came of a line, counted from 0; empty where nothing did.
  const std::vector<InstructionId>& instructionsAt(uint32_t line) const;
  QString factsAt(uint32_t line) const;

  JobScope scope_;
  QLabel* head_;
  TableView* frames_;
  TableModel<FrameRow> model_;
  TextView* text_;
  FindBar* find_;
  std::shared_ptr<const SourceLines> lines_;
  SnapshotId joined_;
  QString path_;         // of the file that is shown
  QString recorded_;     // its name in the module
  bool moving_ = false;  // the caret is moved by the view, not by the user
};

}  // namespace hilo
