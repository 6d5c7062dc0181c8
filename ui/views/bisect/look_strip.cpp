#include "ui/views/bisect/look_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

ColourRole markOf(Sight sight) {
  switch (sight) {
    case Sight::Good:
      return ColourRole::kSuccess;
    case Sight::Bad:
      return ColourRole::kError;
    case Sight::Unknown:
      return ColourRole::kWarning;
  }
  return ColourRole::kBorder;
}

// Of what was not looked at itself: paler.
ColourRole fillOf(const StepCell& cell) {
  if (!cell.sight) return ColourRole::kSurfaceRaised;
  if (cell.look >= 0) return markOf(*cell.sight);
  return *cell.sight == Sight::Good ? ColourRole::kAdded : ColourRole::kRemoved;
}

}  // namespace

LookStrip::LookStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kLookStripHeight);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Steps of the search");
}

void LookStrip::setSearch(Bisection search) {
  search_ = std::move(search);
  layout_ = layOutLooks(search_, width());
  if (chosen_ >= static_cast<int>(search_.looks.size())) chosen_ = -1;
  update();
}

void LookStrip::setEmptyText(const QString& text) {
  emptyText_ = text;
  update();
}

void LookStrip::setChosen(int look) {
  if (look == chosen_ || look >= static_cast<int>(search_.looks.size())) return;
  chosen_ = look;
  update();
  Q_EMIT chosen(look);
}

void LookStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), themeOf(*this).colour(ColourRole::kSurface));
  if (layout_.cells.empty()) {
    painter.setPen(themeOf(*this).colour(ColourRole::kTextDim));
    painter.drawText(rect().adjusted(kSpace, 0, -kSpace, 0), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
  }
  for (const StepCell& cell : layout_.cells) paintCell(painter, cell);
  paintFuel(painter);
}

void LookStrip::paintCell(QPainter& painter, const StepCell& cell) const {
  const Theme& theme = themeOf(*this);
  painter.fillRect(cell.rect, theme.colour(fillOf(cell)));
  const bool isChosen = cell.look >= 0 && cell.look == chosen_;
  if (cell.isAnswer || isChosen) {
    painter.setPen(QPen(theme.colour(isChosen ? ColourRole::kAccent : ColourRole::kText), 2));
    painter.drawRect(cell.rect.adjusted(0, -1, 0, 1));
  }
  constexpr int kLeastForNumber = 10;
  painter.setFont(uiFont(11));
  if (cell.look >= 0 && cell.rect.width() >= kLeastForNumber) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    const QRect above(cell.rect.center().x() - 15, cell.rect.top() - 17, 30, 15);
    painter.drawText(above, Qt::AlignCenter, QString::number(cell.look + 1));
  }
  if (!cell.isAnswer) return;
  const QString name = qs(search_.steps[cell.step]);
  const int wide = std::min(width() - 16, painter.fontMetrics().horizontalAdvance(name) + 8);
  const int left = std::clamp(cell.rect.center().x() - wide / 2, 8, std::max(8, width() - 8 - wide));
  painter.setPen(theme.colour(ColourRole::kText));
  painter.drawText(QRect(left, cell.rect.bottom() + 3, wide, 16), Qt::AlignCenter,
                   painter.fontMetrics().elidedText(name, Qt::ElideMiddle, wide));
}

void LookStrip::paintFuel(QPainter& painter) const {
  if (layout_.fuel.empty()) return;
  const Theme& theme = themeOf(*this);
  const int y = layout_.fuel.front().rect.center().y();
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawLine(8, y, width() - 8, y);
  painter.setFont(uiFont(10));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QRect(8, y - 22, width() - 16, 14), Qt::AlignRight, "rewrites allowed");
  int lastText = -100;
  for (const FuelMark& mark : layout_.fuel) {
    painter.setPen(mark.look == chosen_ ? QPen(theme.colour(ColourRole::kAccent), 2) : QPen(Qt::NoPen));
    painter.setBrush(theme.colour(markOf(mark.sight)));
    painter.drawEllipse(mark.rect.adjusted(2, 2, -2, -2));
    constexpr int kRoom = 34;
    if (mark.rect.center().x() - lastText < kRoom) continue;
    lastText = mark.rect.center().x();
    painter.setPen(theme.colour(ColourRole::kTextDim));
    const QRect below(std::clamp(lastText - 30, 0, std::max(0, width() - 60)), mark.rect.bottom() + 1, 60,
                      14);
    painter.drawText(below, Qt::AlignCenter, countText(mark.fuel));
  }
}

QString LookStrip::tipAt(QPoint place) const {
  const int look = lookAt(layout_, place);
  if (look >= 0) {
    const BisectLook& seen = search_.looks[static_cast<size_t>(look)];
    QString text =
        QString("%1. after %2: %3").arg(look + 1).arg(qs(seen.name), qs(sightName(seen.seen.sight)));
    if (seen.fuel >= 0) text += QString(", %1").arg(countOf(static_cast<size_t>(seen.fuel), "rewrite"));
    return seen.seen.what.empty() ? text : text + "\n" + qs(seen.seen.what);
  }
  for (const StepCell& cell : layout_.cells) {
    if (cell.rect.contains(place)) return qs(search_.steps[cell.step]) + ": not looked at";
  }
  return {};
}

void LookStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layout_ = layOutLooks(search_, width());
}

void LookStrip::mousePressEvent(QMouseEvent* event) {
  if (const int look = lookAt(layout_, event->pos()); look >= 0) setChosen(look);
}

// In the order they were made.
void LookStrip::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(search_.looks.size()) - 1;
  if (last < 0) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Right:
      return setChosen(std::min(chosen_ + 1, last));
    case Qt::Key_Left:
      return setChosen(std::max(chosen_ - 1, 0));
    case Qt::Key_Home:
      return setChosen(0);
    case Qt::Key_End:
      return setChosen(last);
    default:
      QWidget::keyPressEvent(event);
  }
}

bool LookStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
  return true;
}

}  // namespace hilo
