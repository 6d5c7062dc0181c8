#include "ui/style/metrics.h"

#include <QFontDatabase>

namespace hilo {

QFont uiFont(int pixelSize) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  font.setPixelSize(pixelSize);
  return font;
}

QFont codeFont(int pixelSize) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setStyleHint(QFont::Monospace);
  font.setFixedPitch(true);
  font.setKerning(false);
  font.setPixelSize(pixelSize);
  return font;
}

}  // namespace hilo
