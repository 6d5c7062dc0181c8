// What can be done with the selected instruction, the same in the menu of every view: go to it in another
// one, find its users and operands, bookmark it, copy what names it.
#pragma once

#include <QMenu>

#include "ui/models/view_context.h"

namespace hilo {

// As a menu in `menu`, called for the instruction; nothing where none is selected in the current module.
void addInstructionMenu(QMenu& menu, const ViewContext& context);

}  // namespace hilo
