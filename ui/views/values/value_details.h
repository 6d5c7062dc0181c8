// One value: its figures, a histogram, and the elements themselves, of a tuple one array at a time and of
// several devices one.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>

#include "core/workspace/job_queue.h"
#include "core/workspace/values/value_study.h"
#include "ui/models/literal_table.h"
#include "ui/widgets/histogram_widget.h"

namespace hilo {

class ValueDetails : public QSplitter {
  Q_OBJECT

 public:
  explicit ValueDetails(JobQueue& jobs, QWidget* parent = nullptr);

  // What the instruction computes there.
  void showValue(std::shared_ptr<const ReachedValues> reached, InstructionId id);
  // No value: what there is to do instead.
  void clear(const QString& text);

  QTableView& elements() { return *elements_; }
  QString figures() const { return figures_->text(); }
  const HistogramWidget& histogram() const { return *histogram_; }

 private:
  QWidget* buildFigures();
  QWidget* buildElements();
  void showLeaf();

  JobQueue& jobs_;
  JobScope scope_;
  std::shared_ptr<const ReachedValues> reached_;
  InstructionId value_;
  std::vector<std::pair<QString, Literal>> leaves_;
  LiteralTableModel elementsModel_;
  QSpinBox* device_;
  QComboBox* leaf_;
  QLabel* figures_;
  QLabel* cut_;
  HistogramWidget* histogram_;
  QTableView* elements_;
};

}  // namespace hilo
