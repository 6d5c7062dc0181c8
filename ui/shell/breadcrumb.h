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

 private:
  void show(const Selection& selection);

  const ViewContext context_;
};

// From the entry's to `computation`'s own: those that lead there, by the first caller of each.
std::vector<const Computation*> computationsAround(const Computation& computation);

}  // namespace hilo
