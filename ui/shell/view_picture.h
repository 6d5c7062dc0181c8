// A view as a file: what it shows now, at its size.
#pragma once

#include <QWidget>

#include "core/base/result.h"

namespace hilo {

// By the ending of the path: .png (two pixels for each of the screen's), .svg or .pdf. Fails with
// "unknown-format" and "file-not-written".
Status writeViewPicture(QWidget& view, const QString& path);

}  // namespace hilo
