#include "ui/views/graph/legend.h"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QPainter>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/heat_ramp.h"

namespace hilo {
namespace {

constexpr int kRowHeight = 17;
constexpr int kSwatch = 12;
constexpr int kRampWidth = 160;
constexpr int kMaxTextWidth = 220;
constexpr int kMargin = 12;  // to the canvas

}  // namespace

GraphLegend::GraphLegend(CanvasWidget& canvas, const ShownPicture& picture)
    : QWidget(&canvas), canvas_(canvas), picture_(picture) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFont(uiFont(11));
  canvas.installEventFilter(this);
}

void GraphLegend::refresh() {
  if (isHidden()) return;
  if (picture_.get() != nullptr && picture_->legend) {
    setOverlay(*picture_->legend);
  } else {
    setRoles();
  }
  place();
}

void GraphLegend::place() { move(kMargin, canvas_.height() - height() - kMargin); }

void GraphLegend::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

bool GraphLegend::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

// Those that are in the scene.
void GraphLegend::setRoles() {
  palette_ = canvas_.nodePalette();
  low_ = high_ = edges_ = {};
  std::array<bool, static_cast<size_t>(NodeRole::kCount)> seen{};
  for (const SceneNode& node : canvas_.scene().nodes) seen[static_cast<size_t>(node.role)] = true;
  std::vector<Row> rows;
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto role = static_cast<NodeRole>(i);
    if (seen[i]) rows.push_back({QLatin1String(nodeRoleName(role)), role, -1});
  }
  setRows({}, std::move(rows));
}

void GraphLegend::setOverlay(const OverlayLegend& overlay) {
  low_ = overlay.low;
  high_ = overlay.high;
  edges_ = overlay.edges;
  std::vector<Row> rows;
  for (int i = 0; i < overlay.categories.size(); ++i) {
    QString text = fontMetrics().elidedText(overlay.categories[i], Qt::ElideMiddle, kMaxTextWidth);
    if (static_cast<size_t>(i) < overlay.counts.size())
      text += QStringLiteral("  ·  ") + countText(int64_t{overlay.counts[static_cast<size_t>(i)]});
    rows.push_back({text, NodeRole::kUnknown, i});
  }
  setRows(overlay.title, std::move(rows));
}

void GraphLegend::setRows(QString title, std::vector<Row> rows) {
  title_ = std::move(title);
  rows_ = std::move(rows);
  int width = fontMetrics().horizontalAdvance(title_);
  for (const Row& row : rows_)
    width = std::max(width, fontMetrics().horizontalAdvance(row.text) + kSwatch + kSpace);
  width = std::max(width, fontMetrics().horizontalAdvance(edges_) + kSwatch + kSpace);
  int lines = static_cast<int>(rows_.size()) + (title_.isEmpty() ? 0 : 1) + (edges_.isEmpty() ? 0 : 1);
  if (!high_.isEmpty()) {
    width = std::max(width, kRampWidth);
    lines += 2;
  }
  resize(width + 2 * kSpace, lines * kRowHeight + kSpace);
  update();
}

void GraphLegend::paintEvent(QPaintEvent*) {
  const Theme& theme = themeOf(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor ground = theme.colour(ColourRole::kSurfaceRaised);
  ground.setAlphaF(0.92f);
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.setBrush(ground);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCornerRadius, kCornerRadius);
  int y = kSpaceSmall;
  if (!title_.isEmpty()) {
    painter.setPen(theme.colour(ColourRole::kText));
    painter.drawText(QRect(kSpace, y, width(), kRowHeight), Qt::AlignLeft | Qt::AlignVCenter, title_);
    y += kRowHeight;
  }
  if (!high_.isEmpty()) paintRamp(painter, y);
  for (const Row& row : rows_) {
    paintRow(painter, row, y);
    y += kRowHeight;
  }
  if (!edges_.isEmpty()) paintEdgeMark(painter, y);
}

// As the canvas draws it.
void GraphLegend::paintEdgeMark(QPainter& painter, int y) const {
  const Theme& theme = themeOf(*this);
  const QPointF centre(kSpace + kSwatch / 2.0, y + kRowHeight / 2.0);
  const double radius = kSwatch / 2.0;
  const QPointF corners[4] = {centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                              centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.colour(ColourRole::kWarning));
  painter.drawConvexPolygon(corners, 4);
  painter.setPen(theme.colour(ColourRole::kText));
  painter.drawText(QRect(2 * kSpace + kSwatch, y, width(), kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                   edges_);
}

void GraphLegend::paintRow(QPainter& painter, const Row& row, int y) const {
  const Theme& theme = themeOf(*this);
  const NodeColours colours = row.category < 0
                                  ? nodeColours(palette_, row.role, theme.dark)
                                  : categoryColours(static_cast<size_t>(row.category), theme.dark);
  painter.setPen(colours.border);
  painter.setBrush(colours.fill);
  painter.drawRoundedRect(QRectF(kSpace, y + (kRowHeight - kSwatch) / 2.0, kSwatch, kSwatch), 2, 2);
  painter.setPen(theme.colour(ColourRole::kText));
  painter.drawText(QRect(2 * kSpace + kSwatch, y, width(), kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                   row.text);
}

void GraphLegend::paintRamp(QPainter& painter, int y) const {
  const Theme& theme = themeOf(*this);
  const QRect bar(kSpace, y + 3, width() - 2 * kSpace, kSwatch);
  paintHeatRamp(painter, bar, theme);
  const QRect below = bar.translated(0, kRowHeight - 2);
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, low_);
  painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, high_);
}

}  // namespace hilo
