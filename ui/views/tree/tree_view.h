// The module tree dock: documents, stages, computations and instructions, with a filter box.
#pragma once

#include <QLineEdit>
#include <QTimer>
#include <QTreeView>
#include <QWidget>

#include "ui/models/module_tree_model.h"
#include "ui/widgets/view.h"

namespace hilo {

class TreeView : public View {
  Q_OBJECT

 public:
  explicit TreeView(const ViewContext& context, QWidget* parent = nullptr);

  QTreeView& tree() { return *tree_; }
  ModuleTreeModel& model() { return model_; }
  QLineEdit& filter() { return *filter_; }
  // Compiled code is listed too.
  bool hasContent() const override {
    return View::hasContent() || context_.session.shownCompiled() != nullptr;
  }

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
  void compareWith(const ModuleTreeModel::Entry& entry);

  ModuleTreeModel model_;
  QLineEdit* filter_;
  QTreeView* tree_;
  QTimer filterTimer_;
  bool showing_ = false;  // the selection comes from the bus, not from the user
};

}  // namespace hilo
