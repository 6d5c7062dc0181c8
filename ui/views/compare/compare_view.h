// Two runs compared: what each took, and how far apart their outputs are.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QWidget>

#include "core/workspace/run/runs.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/views/compare/rounding_row.h"
#include "ui/widgets/histogram_widget.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class CompareView : public QWidget {
  Q_OBJECT

 public:
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);
  void show(RunComparison comparison);
  // While nothing is compared yet: why the run that was to be compared came to nothing.
  void sayWhyNot(const QString& why);
  TableView& leaves() { return *leafTable_; }
  QString verdict() const { return verdict_->text(); }
  QPushButton& divergenceButton() { return *divergence_; }
  RoundingRow& rounding() { return *rounding_; }

 Q_SIGNALS:
  // Where the second run's engine parts from the first's; the values of the first count as true.
  void divergenceAsked(const QString& truth, const QString& engine, const hilo::ArgumentSource& arguments);

 private:
  struct TimingRow {
    QString what, a, b, ratio;
  };
  struct LeafRow {
    LeafComparison leaf;
    double timesMoved = -1;  // how often as far off as moved arguments move it; -1: not measured
  };
  static std::vector<TableColumn<LeafRow>> leafColumns();
  void compare();
  void askDivergence();
  void showTimings(const RunComparison& c);
  void showVerdict(const RunComparison& c);
  void showLeaves(const Condition* condition);

  ViewContext context_;
  JobScope scope_;
  QLabel* verdict_;
  QPushButton* divergence_;
  RoundingRow* rounding_;
  std::shared_ptr<const RunComparison> shown_;
  QSplitter* split_;
  TableModel<TimingRow> timings_;
  TableModel<LeafRow> leaves_;
  TableView* timingTable_;
  TableView* leafTable_;
  HistogramWidget* histogram_;
};

}  // namespace hilo
