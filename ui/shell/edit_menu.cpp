#include "ui/shell/edit_menu.h"

#include <QApplication>
#include <QKeyEvent>

namespace hilo {
namespace {

struct EditAction {
  const char* name;
  const char* text;
  Qt::Key key;
  Qt::KeyboardModifiers modifiers;
};
constexpr EditAction kActions[] = {
    {"edit.undo", "&Undo", Qt::Key_Z, Qt::ControlModifier},
    {"edit.copy", "&Copy", Qt::Key_C, Qt::ControlModifier},
    {"edit.selectAll", "Select &all", Qt::Key_A, Qt::ControlModifier},
};

void press(const EditAction& action) {
  QWidget* target = QApplication::focusWidget();
  if (target == nullptr) return;
  for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease})
    QApplication::postEvent(target, new QKeyEvent(type, action.key, action.modifiers));
}

}  // namespace

// The keys are written, not taken: what has the focus takes them itself.
void addEditActions(QMenu& menu) {
  for (const EditAction& each : kActions) {
    const QString keys = QKeySequence(each.modifiers | each.key).toString(QKeySequence::NativeText);
    QAction* action = menu.addAction(QString(each.text) + "\t" + keys, &menu, [&each] { press(each); });
    action->setObjectName(each.name);
  }
}

}  // namespace hilo
