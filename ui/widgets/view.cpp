#include "ui/widgets/view.h"

#include "ui/widgets/view_controls.h"

namespace hilo {

void View::setName(const QString& name) {
  name_ = name;
  firstControls_ = controlValues(*this);
}

QStringList View::changedControls() const {
  QStringList changed;
  for (const QString& control : controlValues(*this)) {
    if (!firstControls_.contains(control)) changed << control;
  }
  return changed;
}

QString View::commandLine(ShownState state) const {
  state.controls = changedControls();
  state.options = pictureOptions();
  return pictureCommand(context_.session, state);
}

QAction* View::addMenuAction(const QString& menu, const QString& name, const QString& text,
                             const QKeySequence& keys, std::function<void()> run, bool isRemembered) {
  auto* action = new QAction(text, this);
  action->setObjectName(name);
  action->setShortcut(keys);
  if (run) connect(action, &QAction::triggered, this, std::move(run));
  menuActions_.push_back({menu, action, isRemembered});
  return action;
}

}  // namespace hilo
