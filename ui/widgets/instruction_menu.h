// What can be done with the instruction that is pointed at, the same in the menu of every view: go to it in
// another one, find its users and operands, bookmark it, open its source line, copy what names it.
#pragma once

#include <QMenu>

#include "ui/models/view_context.h"

namespace hilo {

// As a menu in `menu`, called for the instruction; nothing where none is pointed at.
void addInstructionMenu(QMenu& menu, const ViewContext& context);
// A menu of that alone, shown at once, for what has no other.
void showInstructionMenu(QWidget& owner, const ViewContext& context, QPoint globalPlace);

}  // namespace hilo
