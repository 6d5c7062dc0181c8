// What the studio remembers and a person sets: the theme, switches of views, source folders, the editor.
#pragma once

#include <QAction>
#include <QMainWindow>

#include "ui/shell/studio_settings.h"
#include "ui/shell/window_files.h"

namespace hilo {

// A dialog that ends itself; nothing is changed unless by OK. `switches`: actions whose state is remembered.
void showPreferences(QMainWindow& window, StudioSettings& settings, WindowFiles& files,
                     const std::vector<QAction*>& switches);

}  // namespace hilo
