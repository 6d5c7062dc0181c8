// The modules before and after a step, side by side as text and as graphs.
#pragma once

#include <QTabWidget>

#include "ui/models/view_context.h"
#include "ui/views/passes/step_content.h"
#include "ui/widgets/graph_pair.h"

namespace hilo {

class DiffPanel;
class DiffTextView;

class StepPanes : public QTabWidget {
  Q_OBJECT

 public:
  explicit StepPanes(const ViewContext& context, QWidget* parent = nullptr);

  void showContent(std::shared_ptr<const StepContent> content);
  void clear();
  // Both go to an instruction; either id may be invalid.
  void reveal(InstructionId before, InstructionId after);
  void revealInGraphs(InstructionId before, InstructionId after);
  void foldUnchanged(bool on);

  bool isSemantic() const;
  bool isSettled() const { return graphs_ == nullptr || graphs_->isSettled(); }
  DiffTextView& text() { return *text_; }

 Q_SIGNALS:
  void semanticToggled();

 private:
  void showText();
  void revealInText(InstructionId before, InstructionId after);

  std::shared_ptr<const StepContent> content_;
  DiffPanel* diff_;
  DiffTextView* text_;  // of diff_
  GraphPair* graphs_ = nullptr;
};

}  // namespace hilo
