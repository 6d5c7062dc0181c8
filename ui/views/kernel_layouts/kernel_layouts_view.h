// A layout of a hand-written kernel: which warp, lane and register holds each element, where it lies in
// shared memory, and the bank conflicts of a copy between the two.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>

#include "ui/views/kernel_layouts/element_picture.h"
#include "ui/views/kernel_layouts/layout_form.h"
#include "ui/views/kernel_layouts/layout_rows.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class KernelLayoutsView : public View {
  Q_OBJECT

 public:
  explicit KernelLayoutsView(const ViewContext& context, QWidget* parent = nullptr);

  // A layout can be asked for with no module open.
  bool hasContent() const override { return true; }

  LayoutForm& form() { return *form_; }
  QComboBox& facet() { return *facet_; }
  ElementPicture& array() { return *array_; }
  ElementPicture& memory() { return *memory_; }
  TableView& accesses() { return *accesses_; }
  const TableModel<RegisterRow>& registerModel() const { return registerModel_; }
  const TableModel<AccessRow>& accessModel() const { return accessModel_; }
  QString head() const { return head_->text(); }
  QString message() const { return message_->text(); }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildBar();
  void buildPictures();
  void buildTables();
  void answer();     // to the form
  void showGrids();  // of drawn_
  void showHead();
  void select(int64_t element);
  void markAccess(const QModelIndex& index);
  void markRegister(const QModelIndex& index);
  void mark(int64_t element, const std::vector<int64_t>& marked);
  LayoutFacet shownFacet() const { return static_cast<LayoutFacet>(facet_->currentData().toInt()); }

  std::optional<DrawnLayout> drawn_;
  int64_t selected_ = -1;

  LayoutForm* form_;
  QComboBox* facet_;
  QLabel* head_;
  MessageLine* message_;
  QSplitter* split_;
  ElementPicture* array_;
  ElementPicture* memory_;
  TableView* registers_;
  TableView* accesses_;
  TableModel<RegisterRow> registerModel_;
  TableModel<AccessRow> accessModel_;
};

}  // namespace hilo
