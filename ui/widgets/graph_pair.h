// Two graphs side by side, before and after a step, with what changed marked. The passes view shows one
// without knowing the graph view: whoever builds the window gives it a factory.
#pragma once

#include <QWidget>
#include <memory>

#include "core/workspace/passes/pass_series.h"

namespace hilo {

class GraphPair : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  // `before` is null for the first step. Marks come from `diff`, whose ids are each side's own.
  virtual void showStep(std::shared_ptr<const Module> before, std::shared_ptr<const Module> after,
                        const StepDiff& diff) = 0;
  // Goes to an instruction; either id may be invalid.
  virtual void reveal(InstructionId before, InstructionId after) = 0;
  // Neither is being grouped or laid out.
  virtual bool isSettled() const = 0;
};

}  // namespace hilo
