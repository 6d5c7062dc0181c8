// Problems: what the parser and the verifier say of the current module, and what could not be opened.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class ProblemsView : public View {
  Q_OBJECT

 public:
  explicit ProblemsView(const ViewContext& context, QWidget* parent = nullptr);
  TableView& table() { return *table_; }
  const TableModel<Diagnostic>& model() const { return model_; }
  bool hasContent() const override { return true; }
  bool hasStatus() const override { return true; }

 private:
  void verify();
  void show(Diagnostics problems);
  void addFailure(const QString& what, Diagnostic why);
  void go(const QModelIndex& index, bool activate);

  JobScope scope_;
  QLabel* summary_;
  TableView* table_;
  TableModel<Diagnostic> model_;
  SnapshotId verified_;
  Diagnostics failures_;  // of opening; kept until something opens
};

}  // namespace hilo
