#include "ui/views/passes/pass_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

// What came of the step, in a few words.
QString deltaText(const StripStep& step) {
  if (step.isLowering()) return step.made;
  if (step.reordered >= 0) return step.reordered == 0 ? "unchanged" : countText(step.reordered) + " moved";
  if (step.instructions < 0) return {};
  if (step.delta == 0) return QString("%1 instr.").arg(countText(step.instructions));
  return QString("%1 (%2%3)")
      .arg(countText(step.instructions), step.delta > 0 ? "+" : "", countText(step.delta));
}

QString stateText(const StripStep& step) {
  if (step.isTheirs) return "XLA's";
  if (step.isAbsent()) return "not there yet";
  if (step.skipped()) return "skipped";
  if (step.isLowering()) return "lowered";
  if (step.reordered >= 0) return "order";
  if (!step.outcome) return "not compared yet";
  if (step.changed() && step.changes > 0) return countOf(static_cast<size_t>(step.changes), "change");
  return step.changed() ? "changed" : "unchanged";
}

// "#3  12 changes": a number alone would be read as how many.
QString numberedState(const StripStep& step, size_t number) {
  return QString("#%1  %2").arg(number).arg(number == 0 ? "input" : stateText(step));
}

// Whether XLA's and ours are the same there, else where in the pipeline it is.
QString placeText(const StripStep& step) {
  if (!step.agrees) return step.pipeline;
  return *step.agrees ? "= XLA's" : "\u2260 XLA's";
}

}  // namespace

PassStrip::PassStrip(QWidget* parent) : QAbstractScrollArea(parent) {
  setFixedHeight(kStripHeight + 18);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(NoFrame);
  setAccessibleName("Pass strip");
}

void PassStrip::setSteps(std::vector<StripStep> steps) {
  steps_ = std::move(steps);
  current_ = std::min(current_, steps_.empty() ? 0 : steps_.size() - 1);
  layOut();
}

void PassStrip::setFolded(bool folded) {
  folded_ = folded;
  layOut();
  ensureVisible();
}

void PassStrip::setWanted(std::optional<std::vector<size_t>> steps) {
  if (steps == wanted_) return;
  wanted_ = std::move(steps);
  layOut();
  ensureVisible();
}

// Without one behind, the current one.
size_t PassStrip::nextStep(int direction) const {
  if (!wanted_) return nextChangedStep(steps_, current_, direction);
  if (direction > 0) {
    const auto next = std::ranges::upper_bound(*wanted_, current_);
    return next == wanted_->end() ? current_ : *next;
  }
  const auto at = std::ranges::lower_bound(*wanted_, current_);
  return at == wanted_->begin() ? current_ : *std::prev(at);
}

void PassStrip::setCurrent(size_t step) {
  if (step >= steps_.size() || step == current_) return;
  current_ = step;
  layOut();
  ensureVisible();
  Q_EMIT currentChanged(static_cast<int>(step));
}

void PassStrip::layOut() {
  cells_ = layOutStrip(steps_, folded_, current_, wanted_);
  const int width = cells_.empty() ? 0 : cells_.back().rect.right() + 1;
  horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setSingleStep(kStripCellWidth);
  viewport()->update();
}

void PassStrip::ensureVisible() {
  const int cell = stripCellOf(cells_, current_);
  if (cell < 0) return;
  const QRect& rect = cells_[static_cast<size_t>(cell)].rect;
  QScrollBar* bar = horizontalScrollBar();
  if (rect.left() < bar->value()) bar->setValue(rect.left());
  if (rect.right() > bar->value() + viewport()->width())
    bar->setValue(rect.right() - viewport()->width() + 1);
}

void PassStrip::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = themeOf(*this);
  painter.fillRect(viewport()->rect(), theme.colour(ColourRole::kSurface));
  const int shift = horizontalScrollBar()->value();
  painter.translate(-shift, 0);
  const QRect shown = viewport()->rect().translated(shift, 0);
  for (const StripCell& cell : cells_) {
    if (cell.rect.intersects(shown)) paintCell(painter, cell);
  }
}

void PassStrip::paintCell(QPainter& painter, const StripCell& cell) const {
  const Theme& theme = themeOf(*this);
  const QRect box = cell.rect.adjusted(2, 3, -2, -3);
  const StripStep& step = steps_[cell.first];
  const bool isCurrent = current_ >= cell.first && current_ <= cell.last;
  const bool changed = step.changed() && cell.first != 0;
  const bool isLowering = step.isLowering();
  painter.setPen(step.isTheirs ? QPen(theme.colour(ColourRole::kBorder)) : QPen(Qt::NoPen));
  painter.setBrush(theme.colour(isCurrent       ? ColourRole::kSelection
                                : step.isTheirs ? ColourRole::kSurface
                                                : ColourRole::kSurfaceRaised));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.drawRoundedRect(box, kCornerRadius, kCornerRadius);
  const ColourRole mark = changed                       ? ColourRole::kMarkChanged
                          : isLowering || step.isTheirs ? ColourRole::kAccent
                                                        : ColourRole::kBorder;
  painter.fillRect(QRect(box.left(), box.top() + 4, 3, box.height() - 8), theme.colour(mark));
  if (isCurrent) {
    painter.setPen(QPen(theme.colour(ColourRole::kAccent), hasFocus() ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), kCornerRadius, kCornerRadius);
  }
  if (cell.isFolded) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.setFont(uiFont(11));
    painter.drawText(box.adjusted(4, 0, 0, 0), Qt::AlignCenter,
                     QString("%1\n%2").arg(cell.last - cell.first + 1).arg(wanted_ ? "other" : "unchanged"));
    return;
  }
  const QRect text = box.adjusted(9, 3, -5, -3);
  const int line = text.height() / 3;
  painter.setFont(uiFont(12));
  painter.setPen(
      theme.colour(changed || isLowering || cell.first == 0 ? ColourRole::kText : ColourRole::kTextDim));
  painter.drawText(QRect(text.left(), text.top(), text.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(step.name, Qt::ElideMiddle, text.width()));
  painter.setFont(uiFont(11));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const QString time = step.durationNs >= 0 ? durationText(step.durationNs) : QString();
  const QString state = numberedState(step, cell.first);
  const QRect second(text.left(), text.top() + line, text.width(), line);
  const int room = text.width() - (time.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(time) + 6);
  painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, time);
  painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(state, Qt::ElideRight, room));
  const QRect third(text.left(), text.top() + 2 * line, text.width(), line);
  if (!isLowering && step.instructions >= 0 && step.delta != 0) {
    painter.setPen(theme.colour(step.delta > 0 ? ColourRole::kMarkAdded : ColourRole::kMarkRemoved));
  }
  const QString delta = deltaText(step);
  painter.drawText(third, Qt::AlignLeft | Qt::AlignVCenter, delta);
  // Where in the pipeline, as far as there is room.
  constexpr int kLeastRoom = 24;
  const int left = text.width() - painter.fontMetrics().horizontalAdvance(delta) - 8;
  if (left < kLeastRoom) return;
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(third, Qt::AlignRight | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(placeText(step), Qt::ElideRight, left));
}

QString PassStrip::tipOf(const StripCell& cell) const {
  QStringList lines;
  for (size_t i = cell.first; i <= cell.last && lines.size() < 30; ++i) {
    const StripStep& step = steps_[i];
    QString line = QString("#%1 %2: %3").arg(i).arg(step.name, i == 0 ? "input" : stateText(step));
    if (!step.pipeline.isEmpty()) line += ", in " + step.pipeline;
    if (step.agrees) line += *step.agrees ? ", the same on both sides" : ", not the same on both sides";
    if (step.durationNs >= 0) line += ", " + durationText(step.durationNs);
    if (step.instructions >= 0) line += ", " + deltaText(step);
    lines << line;
  }
  return lines.join('\n');
}

void PassStrip::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  layOut();
  ensureVisible();
}

void PassStrip::mousePressEvent(QMouseEvent* event) {
  const int cell = stripCellAt(cells_, event->pos().x() + horizontalScrollBar()->value());
  if (cell >= 0) setCurrent(cells_[static_cast<size_t>(cell)].first);
}

void PassStrip::mouseDoubleClickEvent(QMouseEvent*) {
  if (!steps_.empty()) Q_EMIT stepActivated(static_cast<int>(current_));
}

void PassStrip::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  const int amount = turn.y() != 0 ? turn.y() : turn.x();
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - amount);
}

void PassStrip::keyPressEvent(QKeyEvent* event) {
  if (steps_.empty()) return QAbstractScrollArea::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_N:
      return setCurrent(nextStep(+1));
    case Qt::Key_P:
      return setCurrent(nextStep(-1));
    case Qt::Key_Right:
      return setCurrent(std::min(current_ + 1, steps_.size() - 1));
    case Qt::Key_Left:
      return setCurrent(current_ == 0 ? 0 : current_ - 1);
    case Qt::Key_Home:
      return setCurrent(0);
    case Qt::Key_End:
      return setCurrent(steps_.size() - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT stepActivated(static_cast<int>(current_));
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

bool PassStrip::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int cell = stripCellAt(cells_, help->pos().x() + horizontalScrollBar()->value());
    QToolTip::showText(help->globalPos(), cell < 0 ? QString() : tipOf(cells_[static_cast<size_t>(cell)]),
                       this);
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace hilo
