// Whether rounding alone explains a difference: offered where two runs differ, measured when asked for, said
// in words. The first run's module must be open.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>

#include "core/workspace/run/condition.h"
#include "ui/models/view_context.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"

namespace hilo {

class RoundingRow : public QWidget {
  Q_OBJECT

 public:
  explicit RoundingRow(const ViewContext& context, QWidget* parent = nullptr);
  // Hidden where the two agree or cannot be compared: there is nothing to measure then.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  void measure();
  QPushButton& button() { return *button_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  QSpinBox& draws() { return *draws_; }
  QString message() const { return message_->text(); }

 Q_SIGNALS:
  void measured(const hilo::Condition& condition);

 private:
  std::vector<RunRequest> open() const;

  ViewContext context_;
  JobScope scope_;
  std::shared_ptr<const RunComparison> comparison_;  // null while hidden
  QPushButton* button_;
  QSpinBox* draws_;
  QLabel* how_;
  JobProgress* progress_;
  MessageLine* message_;
};

}  // namespace hilo
