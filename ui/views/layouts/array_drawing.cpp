#include "ui/views/layouts/array_drawing.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kFontPx = 11;

QColor readableOn(const QColor& fill) {
  return fill.lightnessF() > 0.55 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace

ArrayDrawing::ArrayDrawing(QWidget* parent) : QWidget(parent) {
  setFont(uiFont(kFontPx));
  setMouseTracking(true);
  setAccessibleName("Linear offset of each element");
}

void ArrayDrawing::setArray(const QString& title, const std::optional<ArrayAddresses>& addresses,
                            const QString& why) {
  title_ = title;
  why_ = why;
  addresses_ = addresses;
  hovered_.reset();
  kept_.reset();
  place();
  Q_EMIT markChanged();
}

void ArrayDrawing::place() {
  picture_.reset();
  if (addresses_) picture_.emplace(*addresses_, width());
  setMinimumHeight(picture_ ? picture_->height() : 3 * ArrayPicture::kLine);
  update();
}

QString ArrayDrawing::note() const {
  if (!addresses_) return why_;
  QString note = QString("%1, of which %2 is padding; memory space %3")
                     .arg(bytesText(addresses_->bytes), bytesText(addresses_->wastedBytes()),
                          qs(memorySpaceText(addresses_->shape.layout()->memorySpace)));
  if (marked()) note = qs(cellText(*marked())) + " · " + note;
  return note;
}

bool ArrayDrawing::markByte(int64_t byte) {
  if (!addresses_ || byte < 0 || byte >= addresses_->bytes) return false;
  const int64_t bit = 8 * byte;
  ArrayCell cell{.bit = bit};
  if (auto element = addresses_->elementAt(bit)) {
    cell.bit = addresses_->bitOf(*element);
    cell.element = *std::move(element);
  }
  kept_ = std::move(cell);
  update();
  Q_EMIT markChanged();
  return true;
}

void ArrayDrawing::paintCell(QPainter& painter, const QRect& box, const ArrayCell& cell,
                             const QString& text) const {
  const Theme& theme = themeOf(*this);
  const QRect inner = box.adjusted(0, 0, -1, -1);
  if (cell.element.empty()) {
    painter.fillRect(inner, QBrush(theme.colour(ColourRole::kTextFaint), Qt::BDiagPattern));
  } else {
    const QColor fill = heatColour(picture_->shareOf(cell), theme.dark);
    painter.fillRect(inner, fill);
    painter.setPen(readableOn(fill));
    if (painter.fontMetrics().horizontalAdvance(text) <= box.width() - 2)
      painter.drawText(box, Qt::AlignCenter, text);
  }
  if (marked() && *marked() == cell) {
    painter.setPen(QPen(theme.colour(ColourRole::kAccent), 2));
    painter.drawRect(inner.adjusted(1, 1, -1, -1));
  }
}

// Cells say their place in memory, in elements; heads are the indices of the two dimensions.
void ArrayDrawing::paintIndices(QPainter& painter) const {
  const ArrayPicture& p = *picture_;
  const QColor dim = themeOf(*this).colour(ColourRole::kTextDim);
  for (int r = 0; r < p.rows(); ++r) {
    for (int c = 0; c < p.columns(); ++c) {
      const ArrayCell cell = p.atIndex(r, c);
      const int64_t place = (cell.bit - 8 * addresses_->prefixBytes) / addresses_->elementBits;
      paintCell(painter, p.indexCell(r, c), cell, QString::number(place));
    }
    painter.setPen(dim);
    const QRect first = p.indexCell(r, 0);
    painter.drawText(QRect(0, first.y(), ArrayPicture::kLeft - kSpaceSmall, first.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     p.rowDimension() < 0 ? QString() : QString::number(r));
  }
}

// "0,3,5", or of the two dimensions that are drawn alone where all do not fit.
QString ArrayDrawing::indexText(const ArrayCell& cell, const QFontMetrics& metrics, int width) const {
  QStringList index;
  for (const int64_t i : cell.element) index << QString::number(i);
  if (metrics.horizontalAdvance(index.join(",")) <= width - 2 || index.size() < 3) return index.join(",");
  const int row = picture_->rowDimension(), column = picture_->columnDimension();
  if (column < 0) return {};  // one element
  return row < 0 ? index[column] : index[row] + "," + index[column];
}

// Cells say which element lies there.
void ArrayDrawing::paintMemory(QPainter& painter) const {
  const ArrayPicture& p = *picture_;
  const QColor dim = themeOf(*this).colour(ColourRole::kTextDim);
  for (int n = 0; n < p.memoryCells(); ++n) {
    const ArrayCell cell = p.atMemory(n);
    const QRect box = p.memoryCell(n);
    paintCell(painter, box, cell, indexText(cell, painter.fontMetrics(), box.width()));
    if (box.x() > ArrayPicture::kLeft) continue;
    painter.setPen(dim);
    painter.drawText(QRect(0, box.y(), ArrayPicture::kLeft - kSpaceSmall, box.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(cell.bit / 8));
  }
}

void ArrayDrawing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setPen(theme.colour(ColourRole::kText));
  if (!picture_) {
    painter.drawText(rect().adjusted(kSpace, 0, -kSpace, 0),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, why_);
    return;
  }
  const auto line = [&](int y, const QString& text) {
    const QRect box(kSpace, y, width() - 2 * kSpace, ArrayPicture::kHead);
    painter.drawText(box, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, box.width()));
  };
  const auto dimension = [](int d) { return QString("dimension %1").arg(d); };
  QString head = title_ + ": linear offset of each element";
  if (picture_->columnDimension() >= 0)
    head +=
        QString(" (across %1%2%3)")
            .arg(dimension(picture_->columnDimension()),
                 picture_->rowDimension() < 0 ? QString() : ", down " + dimension(picture_->rowDimension()),
                 picture_->isCut() ? ", a corner" : "");
  line(0, head);
  paintIndices(painter);
  painter.setPen(theme.colour(ColourRole::kText));
  line(picture_->memoryTop() - ArrayPicture::kHead,
       "memory from its first byte on: which element lies there");
  paintMemory(painter);
}

void ArrayDrawing::resizeEvent(QResizeEvent*) { place(); }

void ArrayDrawing::mouseMoveEvent(QMouseEvent* event) {
  auto cell = picture_ ? picture_->at(event->pos()) : std::nullopt;
  if (cell == hovered_) return;
  hovered_ = std::move(cell);
  if (kept_) return;
  update();
  Q_EMIT markChanged();
}

void ArrayDrawing::mousePressEvent(QMouseEvent* event) {
  auto cell = picture_ ? picture_->at(event->pos()) : std::nullopt;
  kept_ = cell == kept_ ? std::nullopt : std::move(cell);
  update();
  Q_EMIT markChanged();
}

void ArrayDrawing::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
  Q_EMIT markChanged();
}

}  // namespace hilo
