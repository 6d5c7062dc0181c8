// The module tree dock: documents, stages, computations and instructions, with a filter box.
#pragma once

#include <QLineEdit>
#include <QTimer>
#include <QTreeView>
#include <QWidget>

#include "ui/models/module_tree_model.h"
#include "ui/models/view_context.h"

namespace hilo {

class TreeView : public QWidget {
  Q_OBJECT

 public:
  explicit TreeView(const ViewContext& context, QWidget* parent = nullptr);

  QTreeView& tree() { return *tree_; }
  ModuleTreeModel& model() { return model_; }
  QLineEdit& filter() { return *filter_; }

 Q_SIGNALS:
  // The user wants to see a file of a dump that is not a module.
  void fileActivated(const QString& path);
  // The user wants to see what differs between this module and the one that is shown.
  void compareAsked(const hilo::ModuleTreeModel::Entry& entry);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildTree();
  void applyFilter();
  void selectCurrent(const QModelIndex& index);
  void activateIndex(const QModelIndex& index);
  void showSelection(const Selection& selection);
  void showMenu(const QPoint& place);

  ViewContext context_;
  ModuleTreeModel model_;
  QLineEdit* filter_;
  QTreeView* tree_;
  QTimer filterTimer_;
  bool showing_ = false;  // the selection comes from the bus, not from the user
};

}  // namespace hilo
