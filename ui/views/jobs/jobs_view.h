// Jobs: what runs in the background, how far it is, and a way to stop it.
#pragma once

#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class JobsView : public View {
  Q_OBJECT

 public:
  explicit JobsView(const ViewContext& context, QWidget* parent = nullptr);
  TableView& table() { return *table_; }
  const TableModel<JobInfo>& model() const { return model_; }
  bool hasContent() const override { return true; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void cancelSelected();

  TableView* table_;
  QToolButton* cancel_;
  TableModel<JobInfo> model_;
  QTimer timer_;
};

}  // namespace hilo
