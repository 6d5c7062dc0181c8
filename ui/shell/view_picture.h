// A view as a file: what it shows now, at its size.
#pragma once

#include <QWidget>

#include "core/base/result.h"

namespace hilo {

// By the ending of the path: .png (two pixels for each of the screen's), .svg or .pdf. Fails with
// "unknown-format" and "file-not-written".
Status writeViewPicture(QWidget& view, const QString& path);

// Asks where to, and writes it there, without the frame of what has the keyboard. Gives what there is to say
// of it; "" where no place was chosen. `drawn` is the window or a view of it.
QString exportPicture(QWidget& window, QWidget& drawn, const QString& name);

}  // namespace hilo
