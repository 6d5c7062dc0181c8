#include "ui/style/icons.h"

#include <QPainter>
#include <QSvgRenderer>

#include "core/base/check.h"

// Outside of any namespace, as Qt asks of resources in a library.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace hilo {
namespace {

QPixmap drawn(QSvgRenderer& picture, int size, const QColor& colour) {
  QPixmap pixmap(size, size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  picture.render(&painter);
  painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
  painter.fillRect(pixmap.rect(), colour);
  return pixmap;
}

}  // namespace

QIcon symbolicIcon(const QString& name, const Theme& theme) {
  initIcons();
  QSvgRenderer picture(":/icons/" + name + "-symbolic.svg");
  CHECK(picture.isValid());
  QIcon icon;
  for (const int size : {16, 32, 48}) {
    icon.addPixmap(drawn(picture, size, theme.colour(ColourRole::kText)));
    icon.addPixmap(drawn(picture, size, theme.colour(ColourRole::kTextDim)), QIcon::Disabled);
  }
  return icon;
}

}  // namespace hilo
