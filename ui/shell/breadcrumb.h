// Where the selection lies: module, the computations that call its computation, its computation, itself. A
// click on a part selects it.
#pragma once

#include <QLabel>

#include "ui/models/view_context.h"

namespace hilo {

class Breadcrumb : public QLabel {
  Q_OBJECT

 public:
  explicit Breadcrumb(const ViewContext& context, QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show(const Selection& selection);
  void fit();

  const ViewContext context_;
  QStringList parts_;  // as links, from the module inwards
};

// From the entry's to `computation`'s own: those that lead there, by the first caller of each.
std::vector<const Computation*> computationsAround(const Computation& computation);

}  // namespace hilo
