#include "ui/shell/view_picture.h"

#include <fmt/format.h>

#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "ui/models/text_of.h"
#include "ui/shell/focus_frame.h"

namespace hilo {
namespace {

constexpr int kPngScale = 2;
constexpr int kPdfDpi = 72;

bool writePng(QWidget& view, const QString& path) {
  QImage image(view.size() * kPngScale, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(kPngScale);
  view.render(&image);
  return image.save(path);
}

// False where the file cannot be written.
bool drawOn(QPaintDevice& device, QWidget& view) {
  QPainter painter;
  if (!painter.begin(&device)) return false;
  view.render(&painter);
  return painter.end();
}

bool writeSvg(QWidget& view, const QString& path) {
  QSvgGenerator svg;
  svg.setFileName(path);
  svg.setSize(view.size());
  svg.setViewBox(view.rect());
  return drawOn(svg, view);
}

bool writePdf(QWidget& view, const QString& path) {
  QPdfWriter pdf(path);
  pdf.setResolution(kPdfDpi);
  pdf.setPageSize(QPageSize(QSizeF(view.size()), QPageSize::Point));
  pdf.setPageMargins({});
  return drawOn(pdf, view);
}

}  // namespace

Status writeViewPicture(QWidget& view, const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  bool isWritten = false;
  if (ending == "png") {
    isWritten = writePng(view, path);
  } else if (ending == "svg") {
    isWritten = writeSvg(view, path);
  } else if (ending == "pdf") {
    isWritten = writePdf(view, path);
  } else {
    return fail("unknown-format", fmt::format("{}: a picture is .png, .svg or .pdf", path.toStdString()));
  }
  if (!isWritten) return fail("file-not-written", fmt::format("{} could not be written", path.toStdString()));
  return {};
}

QString exportPicture(QWidget& window, QWidget& drawn, const QString& name) {
  const QString path =
      QFileDialog::getSaveFileName(&window, "Export picture", name + ".png", "Pictures (*.png *.svg *.pdf)");
  if (path.isEmpty()) return {};
  auto* frame = window.findChild<FocusFrame*>();
  if (frame != nullptr) frame->setVisible(false);
  const Status written = writeViewPicture(drawn, path);
  if (frame != nullptr) frame->setVisible(true);
  return written ? "Written: " + path : qs(written.error().message);
}

}  // namespace hilo
