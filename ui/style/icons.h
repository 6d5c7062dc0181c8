// The pictures of the window's actions, in the colour of the theme's text: Adwaita's symbolic set, built into
// the program.
#pragma once

#include <QIcon>

#include "ui/style/colours.h"

namespace hilo {

// A name of the list in CMakeLists.txt, such as "edit-find"; CHECK: there is no other.
QIcon symbolicIcon(const QString& name, const Theme& theme);

}  // namespace hilo
