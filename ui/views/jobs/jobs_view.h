// Jobs: what runs in the background, how far it is, and a way to stop it.
#pragma once

#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class JobsView : public QWidget {
  Q_OBJECT

 public:
  explicit JobsView(const ViewContext& context, QWidget* parent = nullptr);
  // The queue's listener calls this; changes that come close together are shown once.
  void noteChange();
  TableView& table() { return *table_; }
  const TableModel<JobInfo>& model() const { return model_; }

 Q_SIGNALS:
  void runningChanged(int running, const QString& title);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void cancelSelected();

  ViewContext context_;
  TableView* table_;
  QToolButton* cancel_;
  TableModel<JobInfo> model_;
  QTimer timer_;
};

}  // namespace hilo
