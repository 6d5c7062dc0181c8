// Two runs compared: what each took, and how far apart their outputs are.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QWidget>

#include "core/workspace/run/runs.h"
#include "ui/models/table_model.h"
#include "ui/views/compare/rounding_row.h"
#include "ui/widgets/histogram_widget.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class CompareView : public View {
  Q_OBJECT

 public:
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::ElidedConstants;
  }
  void show(RunComparison comparison);
  // While nothing is compared yet: why the run that was to be compared came to nothing.
  void sayWhyNot(const QString& why);
  TableView& leaves() { return *leafTable_; }
  QString verdict() const { return verdict_->text(); }
  QPushButton& divergenceButton() { return *divergence_; }
  RoundingRow& rounding() { return *rounding_; }

  void take(const ViewAsk& what) override;
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  // "hilo compare ..." where two engines ran one module.
  QString commandLine(ShownState state) const override;

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
