// A kernel in its forms side by side: HLO, LLVM IR before and after optimisation, assembly. What came of the
// instruction the caret is on lights up in all of them.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>

#include "core/workspace/thunks/kernel_forms.h"
#include "ui/widgets/text_view.h"

namespace hilo {

class KernelPane : public QStackedWidget {
  Q_OBJECT

 public:
  explicit KernelPane(QWidget* parent = nullptr);
  void setForms(KernelForms forms);
  // In place of forms: why there are none.
  void setText(const QString& text);
  // Lights its lines up and goes to the first of each form. Does not emit.
  void select(InstructionId instruction);
  InstructionId selected() const { return selected_; }
  size_t formCount() const { return forms_.forms.size(); }
  const KernelForm& form(size_t number) const { return forms_.forms[number]; }
  TextView& text(size_t number) { return *sides_[number].text; }
  // The lines of a form that are lit up.
  std::vector<uint32_t> litLines(size_t number) const;

 Q_SIGNALS:
  // The caret went to a line of this instruction.
  void instructionSelected(hilo::InstructionId instruction);

 private:
  struct Side {
    QWidget* widget;
    QLabel* title;
    TextView* text;
  };
  void addSide();
  void caretMoved(size_t side, int line);
  void light(InstructionId instruction, size_t butNot);

  KernelForms forms_;
  InstructionId selected_;
  bool moving_ = false;
  QLabel* empty_;
  QSplitter* split_;
  std::vector<Side> sides_;
};

}  // namespace hilo
