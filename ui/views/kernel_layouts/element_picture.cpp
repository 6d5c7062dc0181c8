#include "ui/views/kernel_layouts/element_picture.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kHeadWidth = 34, kHeadHeight = 16;
constexpr double kWidestCell = 36, kHighestCell = 22;
constexpr double kLeastRuled = 5;  // closer lines between cells are left out
constexpr double kPaleShare = 0.78;

}  // namespace

ElementPicture::ElementPicture(const QString& name, QWidget* parent)
    : QWidget(parent), card_(new HoverCard(this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(name);
}

void ElementPicture::setGrid(ElementGrid grid, const std::vector<QRgb>& colours,
                             std::function<QString(int64_t)> label, std::function<QString(int64_t)> facts) {
  grid_ = std::move(grid);
  label_ = std::move(label);
  facts_ = std::move(facts);
  card_->hide();
  image_ = QImage(static_cast<int>(grid_.columns), static_cast<int>(grid_.rows()), QImage::Format_ARGB32);
  image_.fill(Qt::transparent);
  for (int64_t cell = 0; cell < static_cast<int64_t>(grid_.cells.size()); ++cell) {
    const int64_t element = grid_.cells[static_cast<size_t>(cell)];
    if (element < 0) continue;
    image_.setPixel(static_cast<int>(cell % grid_.columns), static_cast<int>(cell / grid_.columns),
                    colours[static_cast<size_t>(element)]);
  }
  mark(-1, {});
}

void ElementPicture::mark(int64_t selected, const std::vector<int64_t>& marked) {
  selected_ = selected;
  marked_ = marked;
  std::ranges::sort(marked_);
  update();
}

QSizeF ElementPicture::cellSize() const {
  if (grid_.cells.empty()) return {};
  const double across = (width() - kHeadWidth - kSpace) / static_cast<double>(grid_.columns);
  const double down = (height() - kHeadHeight - kSpace) / static_cast<double>(grid_.rows());
  return {std::clamp(across, 0.1, kWidestCell), std::clamp(down, 0.1, kHighestCell)};
}

QRectF ElementPicture::cellRect(int64_t row, int64_t column) const {
  const QSizeF cell = cellSize();
  return {kHeadWidth + static_cast<double>(column) * cell.width(),
          kHeadHeight + static_cast<double>(row) * cell.height(), cell.width(), cell.height()};
}

int64_t ElementPicture::elementAt(QPointF point) const {
  const QSizeF cell = cellSize();
  if (cell.isEmpty() || point.x() < kHeadWidth || point.y() < kHeadHeight) return -1;
  const auto column = static_cast<int64_t>((point.x() - kHeadWidth) / cell.width());
  const auto row = static_cast<int64_t>((point.y() - kHeadHeight) / cell.height());
  if (column >= grid_.columns || row >= grid_.rows()) return -1;
  return grid_.cells[static_cast<size_t>(row * grid_.columns + column)];
}

void ElementPicture::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  if (grid_.cells.empty()) return;
  const QRectF all = cellRect(0, 0) | cellRect(grid_.rows() - 1, grid_.columns - 1);
  painter.drawImage(all, image_);
  if (!marked_.empty()) {
    QColor pale = theme.colour(ColourRole::kSurface);
    pale.setAlphaF(kPaleShare);
    for (int64_t cell = 0; cell < static_cast<int64_t>(grid_.cells.size()); ++cell)
      if (!isMarked(grid_.cells[static_cast<size_t>(cell)]))
        painter.fillRect(cellRect(cell / grid_.columns, cell % grid_.columns), pale);
  }
  const QSizeF cell = cellSize();
  painter.setPen(theme.colour(ColourRole::kSurface));
  for (int64_t c = 1; cell.width() >= kLeastRuled && c < grid_.columns; ++c)
    painter.drawLine(cellRect(0, c).topLeft(), cellRect(grid_.rows() - 1, c).bottomLeft());
  for (int64_t r = 1; cell.height() >= kLeastRuled && r < grid_.rows(); ++r)
    painter.drawLine(cellRect(r, 0).topLeft(), cellRect(r, grid_.columns - 1).topRight());
  paintHeads(painter);
  paintLabels(painter);
  if (hasFocus()) {
    painter.setPen(theme.colour(ColourRole::kAccent));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

// Numbers of rows and columns, as many as there is room for.
void ElementPicture::paintHeads(QPainter& painter) const {
  painter.setFont(uiFont(10));
  painter.setPen(themeOf(*this).colour(ColourRole::kTextDim));
  const QSizeF cell = cellSize();
  const auto stepFor = [](double length, double needed) {
    int64_t step = 1;
    while (static_cast<double>(step) * length < needed) step *= 2;
    return step;
  };
  for (int64_t c = 0, step = stepFor(cell.width(), 26); c < grid_.columns; c += step)
    painter.drawText(QRectF(cellRect(0, c).left(), 0, 40, kHeadHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::number(c));
  for (int64_t r = 0, step = stepFor(cell.height(), 13); r < grid_.rows(); r += step) {
    const QRectF at = cellRect(r, 0);
    painter.drawText(QRectF(0, at.top(), kHeadWidth - kSpaceSmall, std::max(at.height(), 13.0)),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(r));
  }
}

void ElementPicture::paintLabels(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QSizeF cell = cellSize();
  painter.setFont(uiFont(9));
  const bool hasRoom =
      cell.height() >= 11 && cell.width() >= QFontMetrics(painter.font()).horizontalAdvance("00.00");
  for (int64_t at = 0; at < static_cast<int64_t>(grid_.cells.size()); ++at) {
    const int64_t element = grid_.cells[static_cast<size_t>(at)];
    if (element < 0) continue;
    const QRectF place = cellRect(at / grid_.columns, at % grid_.columns);
    if (hasRoom && (marked_.empty() || isMarked(element))) {
      const QColor ground =
          image_.pixelColor(static_cast<int>(at % grid_.columns), static_cast<int>(at / grid_.columns));
      const bool isDark = qGray(ground.rgb()) < 128;
      painter.setPen((isDark ? darkTheme() : lightTheme()).colour(ColourRole::kText));
      painter.drawText(place, Qt::AlignCenter, label_(element));
    }
    if (element != selected_) continue;
    painter.setPen(QPen(theme.colour(ColourRole::kText), 2));
    painter.drawRect(place.adjusted(-1, -1, 1, 1));
  }
}

void ElementPicture::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT picked(elementAt(event->position()));
}

void ElementPicture::mouseMoveEvent(QMouseEvent* event) {
  const int64_t element = elementAt(event->position());
  card_->showAt(event->pos(), element < 0 ? QString() : facts_(element).toHtmlEscaped());
}

void ElementPicture::leaveEvent(QEvent* event) {
  card_->hide();
  QWidget::leaveEvent(event);
}

void ElementPicture::moveBy(int64_t rows, int64_t columns) {
  const auto at = std::ranges::find(grid_.cells, selected_);
  if (selected_ < 0 || at == grid_.cells.end()) return;
  const int64_t cell = at - grid_.cells.begin();
  const int64_t row = cell / grid_.columns + rows, column = cell % grid_.columns + columns;
  if (row < 0 || row >= grid_.rows() || column < 0 || column >= grid_.columns) return;
  const int64_t element = grid_.cells[static_cast<size_t>(row * grid_.columns + column)];
  if (element >= 0) Q_EMIT picked(element);
}

void ElementPicture::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return moveBy(0, -1);
    case Qt::Key_Right:
      return moveBy(0, 1);
    case Qt::Key_Up:
      return moveBy(-1, 0);
    case Qt::Key_Down:
      return moveBy(1, 0);
    case Qt::Key_Escape:
      return Q_EMIT picked(-1);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace hilo
