#include "ui/widgets/grid_diagram.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kLine = 16;
constexpr int kFontPx = 11;

int widest(const QFontMetrics& metrics, const std::vector<QString>& texts) {
  int width = 0;
  for (const QString& text : texts) width = std::max(width, metrics.horizontalAdvance(text));
  return width;
}

QFont boldOf(QFont font) {
  font.setBold(true);
  return font;
}

// Groups of a mesh or of tiles in turn: hues that are apart, pale enough to read on.
QColor groupColour(int group, int groups, bool dark) {
  if (groups <= 2)
    return QColor::fromHslF(0.58F, group == 0 ? 0.30F : 0.55F, dark ? 0.28F : (group == 0 ? 0.94F : 0.86F));
  const float hue = static_cast<float>(group) * 0.381966F;  // the golden angle: neighbours differ
  return QColor::fromHslF(hue - std::floor(hue), 0.45F, dark ? 0.30F : 0.86F);
}

}  // namespace

GridDiagram::GridDiagram(QWidget* parent) : QWidget(parent) {
  setFont(uiFont(kFontPx));
  setAccessibleName("Diagrams of layout and sharding");
}

void GridDiagram::setDiagrams(std::vector<Diagram> diagrams) {
  diagrams_ = std::move(diagrams);
  setMinimumSize(sizeHint());
  updateGeometry();
  update();
}

std::vector<GridDiagram::Placed> GridDiagram::place() const {
  const QFontMetrics metrics(font());
  std::vector<Placed> all;
  int y = kSpaceSmall;
  for (const Diagram& diagram : diagrams_) {
    Placed placed;
    int cell = widest(metrics, diagram.columnHeads);
    for (const DiagramCell& c : diagram.cells) cell = std::max(cell, metrics.horizontalAdvance(c.text));
    placed.cellWidth = std::max(cell + 8, 22);
    placed.headWidth = diagram.rowHeads.empty() ? 0 : widest(metrics, diagram.rowHeads) + 8;
    const int heads = diagram.columnHeads.empty() ? 0 : kLine;
    placed.cells = {kSpace + placed.headWidth, y + kLine + heads};
    const int note = diagram.note.isEmpty() ? 0 : kLine;
    const int height = kLine + heads + diagram.rows() * kLine + note;
    const int words = std::max(QFontMetrics(boldOf(font())).horizontalAdvance(diagram.title),
                               metrics.horizontalAdvance(diagram.note));
    placed.whole =
        QRect(kSpace, y, std::max(placed.headWidth + diagram.columns * placed.cellWidth, words), height);
    y += height + kSpace;
    all.push_back(placed);
  }
  return all;
}

QSize GridDiagram::sizeHint() const {
  int width = 0, height = 0;
  for (const Placed& placed : place()) {
    width = std::max(width, placed.whole.right() + kSpace);
    height = placed.whole.bottom() + kSpaceSmall;
  }
  return {width, height};
}

void GridDiagram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), themeOf(*this).colour(ColourRole::kSurface));
  const std::vector<Placed> placed = place();
  for (size_t n = 0; n < diagrams_.size(); ++n) paintDiagram(painter, diagrams_[n], placed[n]);
}

void GridDiagram::paintDiagram(QPainter& painter, const Diagram& diagram, const Placed& placed) const {
  const Theme& theme = themeOf(*this);
  painter.setFont(boldOf(font()));
  painter.setPen(theme.colour(ColourRole::kText));
  painter.drawText(QRect(placed.whole.topLeft(), QSize(placed.whole.width(), kLine)), Qt::AlignVCenter,
                   diagram.title);
  painter.setFont(font());
  painter.setPen(theme.colour(ColourRole::kTextDim));
  for (size_t c = 0; c < diagram.columnHeads.size(); ++c) {
    const QRect head(placed.cells.x() + static_cast<int>(c) * placed.cellWidth, placed.cells.y() - kLine,
                     placed.cellWidth, kLine);
    painter.drawText(head, Qt::AlignCenter, diagram.columnHeads[c]);
  }
  for (size_t r = 0; r < diagram.rowHeads.size(); ++r) {
    const QRect head(placed.whole.left(), placed.cells.y() + static_cast<int>(r) * kLine,
                     placed.headWidth - 4, kLine);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, diagram.rowHeads[r]);
  }
  int groups = 0;
  for (const DiagramCell& cell : diagram.cells) groups = std::max(groups, cell.group + 1);
  for (int n = 0; n < static_cast<int>(diagram.cells.size()); ++n) {
    const DiagramCell& cell = diagram.cells[static_cast<size_t>(n)];
    const QRect box(placed.cells.x() + n % diagram.columns * placed.cellWidth,
                    placed.cells.y() + n / diagram.columns * kLine, placed.cellWidth, kLine);
    if (cell.group < 0) {
      painter.setPen(theme.colour(ColourRole::kBorder));
      if (!cell.tip.isEmpty()) painter.drawRect(box.adjusted(0, 0, -2, -2));
      continue;
    }
    painter.fillRect(box.adjusted(0, 0, -1, -1), groupColour(cell.group, groups, theme.dark));
    painter.setPen(theme.colour(ColourRole::kText));
    painter.drawText(box, Qt::AlignCenter, cell.text);
  }
  painter.setPen(theme.colour(ColourRole::kTextDim));
  if (!diagram.note.isEmpty()) {
    painter.drawText(
        QRect(placed.whole.left(), placed.whole.bottom() - kLine + 1, placed.whole.width(), kLine),
        Qt::AlignVCenter, diagram.note);
  }
}

QString GridDiagram::tipAt(QPoint at) const {
  const std::vector<Placed> placed = place();
  for (size_t n = 0; n < diagrams_.size(); ++n) {
    const QPoint inside = at - placed[n].cells;
    const int column = inside.x() / placed[n].cellWidth, row = inside.y() / kLine;
    if (inside.x() < 0 || inside.y() < 0 || column >= diagrams_[n].columns || row >= diagrams_[n].rows())
      continue;
    return diagrams_[n].cells[static_cast<size_t>(row * diagrams_[n].columns + column)].tip;
  }
  return {};
}

bool GridDiagram::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tipAt(help->pos());
  tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

}  // namespace hilo
