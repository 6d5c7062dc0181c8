// Puts a theme on the application: Fusion style, palette, stylesheet, fonts.
#pragma once

#include <QPalette>
#include <QString>

#include "ui/style/colours.h"

class QApplication;

namespace hilo {

// Every open window repaints with it, unless it is the one there is. UI thread.
void applyTheme(QApplication& application, const Theme& theme);

QPalette paletteOf(const Theme& theme);
QString styleSheetOf(const Theme& theme);

}  // namespace hilo
