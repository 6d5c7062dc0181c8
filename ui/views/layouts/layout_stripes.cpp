#include "ui/views/layouts/layout_stripes.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kLine = 22, kHead = 20, kMark = 20, kMostWords = 220, kFontPx = 12;

// Long dimensions are wider, but no more than a line has room for.
int widthOf(const LayoutStripe& stripe, const QFontMetrics& metrics, const QString& text) {
  const auto wide = static_cast<int>(12 * std::log2(static_cast<double>(std::max<int64_t>(2, stripe.size))));
  return std::max(wide, metrics.horizontalAdvance(text) + 10);
}

QString textOf(const LayoutStripe& stripe) {
  return QString("%1: %2").arg(stripe.dimension).arg(countText(stripe.size));
}

QString wordsOf(const LayoutChainLink& link) {
  return link.name == link.opcode ? qs(link.name) : qs(link.name) + "  " + qs(link.opcode);
}

}  // namespace

std::vector<LayoutStripe> stripesOf(const LayoutChainLink& link) {
  std::vector<LayoutStripe> stripes;
  if (!link.shape.isArray() || link.axes.size() != link.shape.rank()) return stripes;
  for (const int64_t d : majorToMinor(link.shape)) {
    for (const AxisPiece& piece : link.axes[static_cast<size_t>(d)])
      stripes.push_back({static_cast<int>(d), piece.size, piece.axis});
  }
  std::ranges::reverse(stripes);
  return stripes;
}

LayoutStripes::LayoutStripes(QWidget* parent) : QWidget(parent) {
  setFont(uiFont(kFontPx));
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Layouts along the chain");
}

void LayoutStripes::setChain(std::vector<LayoutChainLink> chain, int current) {
  chain_ = std::move(chain);
  current_ = chain_.empty() ? -1 : std::clamp(current, 0, static_cast<int>(chain_.size()) - 1);
  setMinimumSize(sizeHint());
  updateGeometry();
  update();
  Q_EMIT currentChanged(current_);
}

void LayoutStripes::setCurrent(int line) {
  if (line < 0 || line >= static_cast<int>(chain_.size()) || line == current_) return;
  current_ = line;
  update();
  Q_EMIT currentChanged(line);
}

// Of the names, as far as they are shown.
int LayoutStripes::wordsWidth() const {
  int words = 0;
  const QFontMetrics metrics(font());
  for (const LayoutChainLink& link : chain_)
    words = std::max(words, metrics.horizontalAdvance(wordsOf(link)));
  return std::min(words, kMostWords);
}

QSize LayoutStripes::sizeHint() const {
  const QFontMetrics metrics(font());
  int widest = 0;
  for (const LayoutChainLink& link : chain_) {
    int width = 0;
    for (const LayoutStripe& stripe : stripesOf(link)) width += widthOf(stripe, metrics, textOf(stripe)) + 1;
    widest = std::max(widest, width);
  }
  return {kMark + wordsWidth() + widest + 2 * kSpace,
          kHead + kLine * static_cast<int>(chain_.size()) + kSpaceSmall};
}

int LayoutStripes::lineAt(QPoint point) const {
  const int line = point.y() < kHead ? -1 : (point.y() - kHead) / kLine;
  return line < static_cast<int>(chain_.size()) ? line : -1;
}

void LayoutStripes::paintLine(QPainter& painter, int line, int words) const {
  const Theme& theme = themeOf(*this);
  const LayoutChainLink& link = chain_[static_cast<size_t>(line)];
  const QRect box(0, kHead + line * kLine, width(), kLine);
  if (line == current_) painter.fillRect(box, theme.colour(ColourRole::kSelection));
  painter.setPen(theme.colour(link.isMove ? ColourRole::kAccent : ColourRole::kText));
  if (link.isMove) painter.drawText(QRect(0, box.y(), kMark, kLine), Qt::AlignCenter, QString(QChar(0x2192)));
  const QString text = painter.fontMetrics().elidedText(wordsOf(link), Qt::ElideMiddle, words);
  painter.drawText(QRect(kMark, box.y(), words, kLine), Qt::AlignVCenter, text);
  int x = kMark + words + kSpace;
  for (const LayoutStripe& stripe : stripesOf(link)) {
    const NodeColours colours = categoryColours(static_cast<size_t>(stripe.axis), theme.dark);
    const QString inner = textOf(stripe);
    const QRect cell(x, box.y() + 2, widthOf(stripe, painter.fontMetrics(), inner), kLine - 4);
    painter.fillRect(cell, colours.fill);
    painter.setPen(colours.border);
    painter.drawRect(cell.adjusted(0, 0, -1, -1));
    painter.setPen(colours.text);
    painter.drawText(cell, Qt::AlignCenter, inner);
    x += cell.width() + 1;
  }
}

void LayoutStripes::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const int words = wordsWidth();
  painter.drawText(QRect(kMark, 0, width(), kHead), Qt::AlignVCenter,
                   chain_.empty() ? "Select a copy or transpose: the values on both sides of it stand here."
                                  : "dimension: size, from minor (left) to major; one colour an axis");
  for (int line = 0; line < static_cast<int>(chain_.size()); ++line) paintLine(painter, line, words);
}

void LayoutStripes::mousePressEvent(QMouseEvent* event) { setCurrent(lineAt(event->pos())); }

void LayoutStripes::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up) return setCurrent(current_ - 1);
  if (event->key() == Qt::Key_Down) return setCurrent(current_ + 1);
  QWidget::keyPressEvent(event);
}

bool LayoutStripes::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int line = lineAt(help->pos());
  if (line < 0) {
    QToolTip::hideText();
  } else {
    const LayoutChainLink& link = chain_[static_cast<size_t>(line)];
    QToolTip::showText(help->globalPos(), qs(link.name) + "  " + qs(toString(link.shape)), this);
  }
  return true;
}

}  // namespace hilo
