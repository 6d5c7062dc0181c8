// The line above the pages that says what makes the numbers in sight mean less than they seem to. It is there
// only while a view is seen that heeds it.
#pragma once

#include <QLabel>
#include <QSet>

#include "ui/models/view_context.h"

namespace hilo {

class View;

class CaveatBanner : public QLabel {
  Q_OBJECT

 public:
  // `views` outlive it.
  CaveatBanner(const ViewContext& context, std::vector<View*> views, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void ask();
  void update();
  void tint();

  const ViewContext context_;
  std::vector<View*> views_;
  QSet<const QObject*> seen_;  // of the views, when it was last updated
};

}  // namespace hilo
