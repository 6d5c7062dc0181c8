// Pictures of actions: Adwaita's symbolic set, built into the program, in the colour of the theme's text.
#pragma once

#include <QIcon>

#include "ui/style/colours.h"

namespace hilo {

// A name of the list in CMakeLists.txt, such as "edit-find"; CHECK: there is no other.
QIcon symbolicIcon(const QString& name, const Theme& theme);

}  // namespace hilo
