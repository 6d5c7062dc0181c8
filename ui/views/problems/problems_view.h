// Problems: what the parser, the verifier and check mode say of the current module, and what could
// not be opened.
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
  void take(const ViewAsk& what) override;

 private:
  void verify();
  void list();  // all that is known of the current module
  void show(Diagnostics problems);
  void addFailure(const QString& what, Diagnostic why);
  void go(const QModelIndex& index, bool activate);
  // The dump's file that a problem lies in; "": none.
  QString fileOf(const Place& place) const;

  JobScope scope_;
  QLabel* summary_;
  TableView* table_;
  TableModel<Diagnostic> model_;
  SnapshotId verified_;
  Diagnostics verdict_;   // on the snapshot that was verified
  RunChecked checked_;    // the last run in check mode
  Diagnostics failures_;  // of opening; kept until something opens
};

}  // namespace hilo
