// Problems: what the parser and the verifier say of the current module, and what could not be opened.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class ProblemsView : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemsView(const ViewContext& context, QWidget* parent = nullptr);
  TableView& table() { return *table_; }
  const TableModel<Diagnostic>& model() const { return model_; }

 Q_SIGNALS:
  void countChanged(int errors, int warnings);

 private:
  void verify();
  void show(Diagnostics problems);
  void addFailure(const QString& what, Diagnostic why);
  void go(const QModelIndex& index, bool activate);

  ViewContext context_;
  JobScope scope_;
  QLabel* summary_;
  TableView* table_;
  TableModel<Diagnostic> model_;
  SnapshotId verified_;
  Diagnostics failures_;  // of opening; kept until something opens
};

}  // namespace hilo
