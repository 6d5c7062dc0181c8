#include "ui/widgets/treemap.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/treemap_layout.h"

namespace hilo {
namespace {

constexpr int kMaxDepth = 12;
constexpr int kFewestLetters = 6;
constexpr double kHead = 17;     // the strip with a parent's name
constexpr double kSmallest = 3;  // a cell thinner than this is not drawn

// Calm, as one cell may fill the view: the accent over the ground, stronger for a larger share, and dim
// enough for the text on it.
QColor tint(const Theme& theme, double share) {
  const QColor ground = theme.colour(ColourRole::kSurface), accent = theme.colour(ColourRole::kAccent);
  const double weight = 0.10 + 0.35 * std::clamp(share, 0.0, 1.0);
  const auto mixed = [&](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * weight));
  };
  return {mixed(ground.red(), accent.red()), mixed(ground.green(), accent.green()),
          mixed(ground.blue(), accent.blue())};
}

}  // namespace

Treemap::Treemap(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Treemap");
}

void Treemap::setNodes(std::vector<TreemapNode> nodes) {
  nodes_ = std::move(nodes);
  current_ = -1;
  layOut();
  update();
}

void Treemap::setEmptyText(const QString& text) {
  empty_ = text;
  update();
}

void Treemap::setCurrent(int node) {
  if (node == current_ || node >= static_cast<int>(nodes_.size())) return;
  current_ = node;
  update();
  Q_EMIT currentChanged(node);
}

void Treemap::layOut() {
  cells_.clear();
  if (!nodes_.empty()) layOutBelow(0, QRectF(rect()).adjusted(1, 1, -1, -1), 0);
  largestLeaf_ = 1;
  for (const Cell& cell : cells_) {
    if (!cell.divided) largestLeaf_ = std::max(largestLeaf_, nodes_[cell.node].value);
  }
}

void Treemap::layOutBelow(uint32_t node, const QRectF& area, int depth) {
  const TreemapNode& parent = nodes_[node];
  if (depth >= kMaxDepth || parent.children.empty()) return;
  std::vector<double> values;
  double children = 0;
  for (const uint32_t child : parent.children) children += values.emplace_back(nodes_[child].value);
  // What is the parent's own stays empty.
  QRectF inner = area;
  if (parent.value > children && parent.value > 0) inner.setWidth(area.width() * children / parent.value);
  const std::vector<QRectF> rects = layOutTreemap(values, inner);
  for (size_t n = 0; n < rects.size(); ++n) {
    const QRectF& rect = rects[n];
    if (rect.width() < kSmallest || rect.height() < kSmallest) continue;
    const uint32_t child = endOfChain(parent.children[n]);
    cells_.push_back({child, node, depth, rect, false});
    const QRectF below = rect.adjusted(2, kHead, -2, -2);
    if (below.width() <= 4 * kSmallest || below.height() <= 4 * kSmallest) continue;
    const size_t cell = cells_.size() - 1;
    layOutBelow(child, below, depth + 1);
    cells_[cell].divided = cells_.size() > cell + 1;
  }
}

// Each strip with a name costs room that what is in it needs.
uint32_t Treemap::endOfChain(uint32_t node) const {
  while (nodes_[node].children.size() == 1 && nodes_[nodes_[node].children[0]].value >= nodes_[node].value)
    node = nodes_[node].children[0];
  return node;
}

const Treemap::Cell* Treemap::cellOf(int node) const {
  const auto at =
      std::ranges::find(cells_, node, [](const Cell& cell) { return static_cast<int>(cell.node); });
  return at == cells_.end() ? nullptr : &*at;
}

void Treemap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  if (cells_.empty()) {
    painter.setPen(theme.colour(ColourRole::kTextFaint));
    painter.drawText(rect().adjusted(kSpace, kSpace, -kSpace, -kSpace), Qt::AlignCenter | Qt::TextWordWrap,
                     empty_);
    return;
  }
  for (const Cell& cell : cells_) paintCell(painter, cell);
}

void Treemap::paintCell(QPainter& painter, const Cell& cell) const {
  const Theme& theme = themeOf(*this);
  const TreemapNode& node = nodes_[cell.node];
  const bool isCurrent = static_cast<int>(cell.node) == current_;
  // Of what is not divided further, colour says how much as well; the root of it keeps small parts apart.
  const QColor fill =
      cell.divided ? theme.colour(cell.depth % 2 == 0 ? ColourRole::kGroupFill : ColourRole::kGroupFillAlt)
                   : tint(theme, std::sqrt(node.value / largestLeaf_));
  painter.setPen(QPen(theme.colour(isCurrent ? ColourRole::kText : ColourRole::kSurface), isCurrent ? 2 : 1));
  painter.setBrush(fill);
  painter.drawRect(cell.rect.adjusted(0.5, 0.5, -0.5, -0.5));
  const QRectF text = cell.rect.adjusted(4, 2, -4, -2);
  if (text.width() < 24 || text.height() < 12) return;
  painter.setPen(theme.colour(ColourRole::kText));
  const QFontMetrics metrics = painter.fontMetrics();
  const QRectF line(text.left(), text.top(), text.width(), std::min(text.height(), kHead - 3));
  const int amountWidth = metrics.horizontalAdvance(node.amount) + 8;
  const QString label = pathOf(cell.node, cell.above);
  const bool both = metrics.horizontalAdvance(label) + amountWidth < text.width();
  const QString fitted =
      metrics.elidedText(label, Qt::ElideMiddle, static_cast<int>(text.width()) - (both ? amountWidth : 0));
  // Two letters and dots say nothing; the tip has the name.
  if (fitted != label && fitted.size() < kFewestLetters) return;
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, fitted);
  if (both) painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, node.amount);
}

int Treemap::nodeAt(QPoint place) const {
  for (auto cell = cells_.rbegin(); cell != cells_.rend(); ++cell) {
    if (cell->rect.contains(place)) return static_cast<int>(cell->node);
  }
  return -1;
}

QRect Treemap::rectOf(int node) const {
  const Cell* cell = cellOf(node);
  return cell == nullptr ? QRect() : cell->rect.toRect();
}

QString Treemap::pathOf(uint32_t node, uint32_t above) const {
  QStringList parts;
  for (uint32_t at = node; at != above; at = nodes_[at].parent) parts.prepend(nodes_[at].label);
  return parts.join("/");
}

void Treemap::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
}

void Treemap::mousePressEvent(QMouseEvent* event) {
  if (const int node = nodeAt(event->pos()); node >= 0) setCurrent(node);
}

void Treemap::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const int node = nodeAt(event->pos()); node >= 0) Q_EMIT activated(node);
}

// To the nearest cell of the same parent that lies that way.
void Treemap::moveBy(QPoint direction) {
  if (cells_.empty()) return;
  if (current_ < 0) return setCurrent(static_cast<int>(cells_.front().node));
  const Cell* current = cellOf(current_);
  if (current == nullptr) return;
  const QPointF from = current->rect.center();
  int best = -1;
  double least = 0;
  for (const Cell& cell : cells_) {
    if (cell.above != current->above || static_cast<int>(cell.node) == current_) continue;
    const QPointF way = cell.rect.center() - from;
    const double ahead = way.x() * direction.x() + way.y() * direction.y();
    const double aside = std::abs(way.x() * direction.y()) + std::abs(way.y() * direction.x());
    if (ahead <= 0 || aside > 4 * ahead) continue;
    const double distance = ahead + 2 * aside;
    if (best >= 0 && distance >= least) continue;
    best = static_cast<int>(cell.node);
    least = distance;
  }
  if (best >= 0) setCurrent(best);
}

void Treemap::keyPressEvent(QKeyEvent* event) {
  const auto down = [&] {
    for (const Cell& cell : cells_) {
      if (current_ >= 0 && cell.above == static_cast<uint32_t>(current_))
        return setCurrent(static_cast<int>(cell.node));
    }
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return moveBy({-1, 0});
    case Qt::Key_Right:
      return moveBy({1, 0});
    case Qt::Key_Up:
      return moveBy({0, -1});
    case Qt::Key_Down:
      return moveBy({0, 1});
    case Qt::Key_Space:
      return down();
    case Qt::Key_Backspace:
    case Qt::Key_Escape:
      if (const Cell* cell = cellOf(current_); cell != nullptr && cell->above != 0)
        setCurrent(static_cast<int>(cell->above));
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_ >= 0) Q_EMIT activated(current_);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

bool Treemap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int node = nodeAt(help->pos());
  if (node < 0) {
    QToolTip::hideText();
    return true;
  }
  const TreemapNode& shown = nodes_[static_cast<size_t>(node)];
  const double share = nodes_[0].value > 0 ? 100 * shown.value / nodes_[0].value : 0;
  QToolTip::showText(help->globalPos(),
                     QString("%1\n%2, %3% of all\nEnter or a double click lists its instructions")
                         .arg(pathOf(static_cast<uint32_t>(node)), shown.amount)
                         .arg(share, 0, 'f', 1),
                     this);
  return true;
}

}  // namespace hilo
