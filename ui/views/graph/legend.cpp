#include "ui/views/graph/legend.h"

#include <algorithm>

#include <QPainter>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kRowHeight = 17;
constexpr int kSwatch = 12;

}  // namespace

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFont(uiFont(11));
}

void GraphLegend::setRoles(std::vector<NodeRole> roles, NodePalette palette) {
  roles_ = std::move(roles);
  palette_ = palette;
  int width = 0;
  for (NodeRole role : roles_) {
    width = std::max(width, fontMetrics().horizontalAdvance(QLatin1String(nodeRoleName(role))));
  }
  resize(width + kSwatch + 3 * kSpace, static_cast<int>(roles_.size()) * kRowHeight + kSpace);
  update();
}

void GraphLegend::paintEvent(QPaintEvent*) {
  if (roles_.empty()) return;
  const Theme& theme = themeOf(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor ground = theme.colour(ColourRole::kSurfaceRaised);
  ground.setAlphaF(0.92f);
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.setBrush(ground);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCornerRadius, kCornerRadius);
  int y = kSpaceSmall;
  for (NodeRole role : roles_) {
    const NodeColours colours = nodeColours(palette_, role, theme.dark);
    painter.setPen(colours.border);
    painter.setBrush(colours.fill);
    painter.drawRoundedRect(QRectF(kSpace, y + (kRowHeight - kSwatch) / 2.0, kSwatch, kSwatch), 2, 2);
    painter.setPen(theme.colour(ColourRole::kText));
    painter.drawText(QRect(2 * kSpace + kSwatch, y, width(), kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     QLatin1String(nodeRoleName(role)));
    y += kRowHeight;
  }
}

}  // namespace hilo
