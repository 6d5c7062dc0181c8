// Two runs compared: what each took, and how far apart their outputs are.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QWidget>

#include "core/workspace/run/runs.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
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

 Q_SIGNALS:
  // Where the second run's engine parts from the first's; the values of the first count as true.
  void divergenceAsked(const QString& truth, const QString& engine, const hilo::ArgumentSource& arguments);

 private:
  struct TimingRow {
    QString what, a, b, ratio;
  };
  void compare();
  void askDivergence();
  void showTimings(const RunComparison& c);
  void showVerdict(const RunComparison& c);

  ViewContext context_;
  JobScope scope_;
  QLabel* verdict_;
  QPushButton* divergence_;
  QSplitter* split_;
  TableModel<TimingRow> timings_;
  TableModel<LeafComparison> leaves_;
  TableView* timingTable_;
  TableView* leafTable_;
  HistogramWidget* histogram_;
};

}  // namespace hilo
