// A kernel in its forms side by side: HLO, LLVM IR before and after optimisation, assembly; of a GPU's, above
// them what it takes of it. Lines that came of one instruction have one tint in all of them, and those of the
// instruction the caret is on light up. Where the kernel can be compiled otherwise, boxes
// above say how it is; one that is changed asks for it so.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>

#include <absl/container/flat_hash_map.h>

#include "core/workspace/thunks/kernel_forms.h"
#include "ui/views/thunks/kernel_gauges.h"
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
  const KernelGauges& gauges() const { return *gauges_; }
  size_t formCount() const { return forms_.forms.size(); }
  const KernelForm& form(size_t number) const { return forms_.forms[number]; }
  TextView& text(size_t number) { return *sides_[number].text; }
  // How a line of a form stands out; no band where it came of no instruction.
  LineDecoration decorationOf(size_t side, uint32_t line) const;
  // The lines of a form that are lit up.
  std::vector<uint32_t> litLines(size_t number) const;

 Q_SIGNALS:
  // The caret went to a line of this instruction.
  void instructionSelected(hilo::InstructionId instruction);
  // A box was changed: the kernel is to be shown compiled so.
  void optionsChosen(const hilo::LlvmKernelOptions& options);

 private:
  struct Side {
    QWidget* widget;
    QLabel* title;
    TextView* text;
  };
  QWidget* buildOptions();
  void showOptions();
  void addSide();
  void caretMoved(size_t side, int line);
  void light(InstructionId instruction, size_t butNot);

  KernelForms forms_;
  absl::flat_hash_map<uint32_t, size_t> bands_;  // by instruction, in the order they come in the forms
  InstructionId selected_;
  bool moving_ = false;
  QLabel* empty_;
  QWidget* page_;  // what follows, below each other
  KernelGauges* gauges_;
  QWidget* options_;  // a box an option that makes a difference
  std::vector<std::pair<LlvmKernelOption, QCheckBox*>> boxes_;
  QSplitter* split_;
  std::vector<Side> sides_;
};

}  // namespace hilo
