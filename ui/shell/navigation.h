// Going to places: by name, and back and forward through where the user has been.
#pragma once

#include "ui/models/view_context.h"
#include "ui/shell/navigation_history.h"

namespace hilo {

class Navigation : public QObject {
  Q_OBJECT

 public:
  Navigation(const ViewContext& context, QObject* parent);
  bool canGoBack() const { return history_.canGoBack(); }
  bool canGoForward() const { return history_.canGoForward(); }
  // Going back or forward now.
  bool isTravelling() const { return isTravelling_; }
  void goBack();
  void goForward();
  // Of the current module's entry.
  void goToRoot();
  // An instruction or computation of the current module; false where there is none.
  bool goToName(const QString& name);
  // Of the selected instruction or computation; "" where nothing is selected.
  QString selectedName() const;

 Q_SIGNALS:
  void changed();

 private:
  void visit(const Selection& selection);
  void goTo(const Selection& place);

  ViewContext context_;
  NavigationHistory history_;
  bool isTravelling_ = false;  // not to a new place
};

}  // namespace hilo
