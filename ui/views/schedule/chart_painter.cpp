#include "ui/views/schedule/chart_painter.h"

#include <QPainterPath>

#include "core/analysis/async_op.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/style/node_role.h"

namespace hilo {
namespace {

constexpr double kWidePixels = 3;      // narrower has no border
constexpr double kNarrowPixels = 1.5;  // narrower is gathered by columns
constexpr double kLabelPixels = 34;
constexpr double kCriticalHeight = 3;
constexpr double kGutter = 116;
constexpr size_t kMostRelations = 40;

QColor mix(const QColor& a, const QColor& b) {
  return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

}  // namespace

// What lies in one column of pixels: how much of it each role covers.
struct ChartPainter::Column {
  int x = INT_MIN;
  std::array<float, kRoles> cover{};
  float exposed = 0;
  bool critical = false;
};

void ChartPainter::paint(QPainter& painter, const ShownOrder& order, std::span<const ChartRow> rows,
                         const QString& title, const ChartLook& look) {
  painter_ = &painter;
  order_ = &order;
  look_ = &look;
  painter.save();
  painter.setClipRect(QRectF(look.left, 0, look.width, 1e6));
  paintBlockBands(rows);
  for (const ChartRow& row : rows) {
    switch (row.kind) {
      case ChartRowKind::Title:
        break;
      case ChartRowKind::Blocks:
        paintBlocks(row);
        break;
      case ChartRowKind::Lane:
        paintLane(row);
        break;
      case ChartRowKind::Memory:
        paintMemory(row);
        break;
    }
  }
  paintGroups(rows);
  paintRelations(rows);
  paintMarks(rows);
  painter.restore();
  for (const ChartRow& row : rows) {
    if (row.kind == ChartRowKind::Title) {
      paintTitle(row, title);
    } else {
      paintLabel(row);
    }
  }
}

void ChartPainter::paintTitle(const ChartRow& row, const QString& title) {
  const QRectF area(0, row.top, look_->left + look_->width, row.height);
  painter_->fillRect(area, colour(look_->active ? ColourRole::kSelection : ColourRole::kSurfaceRaised));
  QFont font = uiFont(13);
  painter_->setFont(font);
  painter_->setPen(colour(ColourRole::kText));
  const QRectF text = area.adjusted(kSpace, 0, -kSpace, 0);
  painter_->drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetricsF(font).elidedText(title, Qt::ElideRight, text.width()));
}

void ChartPainter::paintLabel(const ChartRow& row) {
  painter_->setFont(uiFont(12));
  painter_->setPen(colour(ColourRole::kTextDim));
  const QRectF area(kSpace, row.top, kGutter - 2 * kSpace, row.height);
  painter_->drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetricsF(painter_->font()).elidedText(row.label, Qt::ElideRight, area.width()));
}

// Loops and calls stand out behind what they hold.
void ChartPainter::paintBlockBands(std::span<const ChartRow> rows) {
  if (order_->index.depths() == 0 || rows.empty()) return;
  double top = rows.back().bottom(), bottom = rows.front().top;
  for (const ChartRow& row : rows) {
    if (row.kind == ChartRowKind::Title || row.kind == ChartRowKind::Memory) continue;
    top = std::min(top, row.top);
    bottom = std::max(bottom, row.bottom());
  }
  QColor band = colour(ColourRole::kGroupFillAlt);
  const AxisView& view = look_->view;
  order_->index.blocks(0).visit(view.axis, view.begin, view.end(look_->width), [&](uint32_t index) {
    const ChartSpan& span = order_->chart().events[index].on(view.axis);
    if (span.width() / view.perPixel < kWidePixels) return;
    const double from = std::max(toX(span.begin), look_->left),
                 to = std::min(toX(span.end), look_->left + look_->width);
    painter_->fillRect(QRectF(from, top, to - from, bottom - top), band);
  });
}

void ChartPainter::paintBlocks(const ChartRow& row) {
  const AxisView& view = look_->view;
  const NodeColours look = nodeColours(NodePalette::kOpcodeClass, NodeRole::kControlFlow, look_->theme->dark);
  painter_->setFont(uiFont(11));
  const bool last = row.index + 1u == kBlockRows;
  for (size_t depth = row.index; depth < (last ? order_->index.depths() : row.index + 1u); ++depth) {
    double painted = -1e18;
    order_->index.blocks(depth).visit(view.axis, view.begin, view.end(look_->width), [&](uint32_t index) {
      const ChartEvent& event = order_->chart().events[index];
      const ChartSpan& span = event.on(view.axis);
      const double x = toX(span.begin), wide = span.width() / view.perPixel;
      if (wide < 1 && x - painted < 1) return;
      painted = x;
      const QRectF rect = cut(row, x, x + std::max(1.0, wide));
      painter_->setPen(wide < kWidePixels ? QPen(Qt::NoPen) : QPen(look.border));
      painter_->setBrush(look.fill);
      painter_->drawRect(rect);
      const QRectF inside =
          rect.intersected(QRectF(look_->left, row.top, look_->width, row.height)).adjusted(4, 0, -4, 0);
      if (inside.width() < kLabelPixels) return;
      const Instruction* instruction = order_->instructionAt(index);
      QString text = instruction == nullptr ? QString() : qs(instruction->name());
      if (event.repeat != 1)
        text = QString("×%1  %2  one iteration %3")
                   .arg(event.repeat)
                   .arg(text, timeText(*order_, event.time.width()));
      if (event.exposedNs > 0) text += QString(", exposed in all %1").arg(timeText(*order_, event.exposedNs));
      if (event.closed) text += " (not opened: too large)";
      painter_->setPen(look.text);
      painter_->drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                         QFontMetricsF(painter_->font()).elidedText(text, Qt::ElideRight, inside.width()));
    });
  }
}

void ChartPainter::hatch(const QRectF& rect, bool border) {
  const QColor mark = colour(ColourRole::kMarkRemoved);
  QColor ground = mark;
  ground.setAlphaF(0.18f);
  painter_->fillRect(rect, colour(ColourRole::kSurface));
  painter_->fillRect(rect, ground);
  painter_->fillRect(rect, QBrush(mark, Qt::BDiagPattern));
  if (!border) return;
  painter_->setPen(mark);
  painter_->setBrush(Qt::NoBrush);
  painter_->drawRect(rect);
}

QRectF ChartPainter::cut(const ChartRow& row, double from, double to) const {
  const double left = std::max(from, look_->left - 10), right = std::min(to, look_->left + look_->width + 10);
  return {left, row.top, std::max(0.0, right - left), row.height};
}

void ChartPainter::addWide(const ChartRow& row, uint32_t index, double x, double wide) {
  const ChartEvent& event = order_->chart().events[index];
  const bool slots = look_->view.axis == ChartAxis::Slots;
  // An instruction that takes no time has a slot, but not its height.
  const bool idle = slots && event.kind == TimelineEventKind::Work && event.time.width() <= 0;
  const double share = event.time.width() > 0 ? std::min(1.0, event.exposedNs / event.time.width()) : 0;
  const bool waits = event.kind == TimelineEventKind::Wait || event.synchronous;
  const double hidden = waits ? 0 : wide * (1 - share);
  const QRectF whole = cut(row, x, x + wide);
  if (share > 0) {
    const QRectF exposed = cut(row, x + hidden, x + wide);
    if (exposed.width() > 0) exposed_.push_back(exposed);
  }
  QRectF solid = cut(row, x, x + hidden);
  if (idle) solid.setTop(row.top + row.height * 0.7);
  const NodeRole role = nodeRole(event.opcodeClass);
  if (solid.width() > 0)
    (solid.width() >= kWidePixels ? wide_ : narrow_)[static_cast<size_t>(role)].push_back(solid);
  if (event.critical)
    critical_.push_back(QRectF(whole.left(), row.bottom() - kCriticalHeight, whole.width(), kCriticalHeight));
  if (whole.width() >= kLabelPixels && !idle) labels_.push_back({whole, index, role});
}

void ChartPainter::flush(const ChartRow& row, Column& column) {
  if (column.x == INT_MIN) return;
  const QRectF rect(column.x, row.top, 1, row.height);
  const auto most = std::ranges::max_element(column.cover);
  if (column.exposed > *most) {
    exposedThin_.push_back(rect);
  } else if (*most > 0) {
    const auto role = static_cast<size_t>(most - column.cover.begin());
    (*most < 0.5f ? thin_ : narrow_)[role].push_back(rect);
  }
  if (column.critical)
    critical_.push_back(QRectF(column.x, row.bottom() - kCriticalHeight, 1, kCriticalHeight));
  column = {};
}

void ChartPainter::addEvent(const ChartRow& row, uint32_t index, Column& column) {
  const ChartEvent& event = order_->chart().events[index];
  const AxisView& view = look_->view;
  const ChartSpan& span = event.on(view.axis);
  const double wide = span.width() / view.perPixel;
  if (wide <= 0) return;
  const double x = toX(span.begin);
  if (wide >= kNarrowPixels) {
    flush(row, column);
    addWide(row, index, x, wide);
    return;
  }
  const int at = static_cast<int>(std::floor(x));
  if (at != column.x) {
    flush(row, column);
    column.x = at;
  }
  const bool waits =
      event.kind == TimelineEventKind::Wait || event.synchronous || event.exposedNs > event.time.width() / 2;
  if (waits) {
    column.exposed += static_cast<float>(wide);
  } else {
    column.cover[static_cast<size_t>(nodeRole(event.opcodeClass))] += static_cast<float>(wide);
  }
  column.critical |= event.critical;
}

void ChartPainter::paintLane(const ChartRow& row) {
  const AxisView& view = look_->view;
  Column column;
  const ChartIndex::Row& lane = order_->index.lane(row.index);
  InstructionId waited;
  lane.visit(view.axis, view.begin, view.end(look_->width), [&](uint32_t index) {
    const ChartEvent& event = order_->chart().events[index];
    // On the slot axis a done is what it waits; that it is issued as well would lie on top.
    if (view.axis == ChartAxis::Slots && event.instruction == waited) return;
    waited = event.kind == TimelineEventKind::Wait ? event.instruction : InstructionId{};
    addEvent(row, index, column);
  });
  flush(row, column);
  drawGathered();
  drawLabels();
  painter_->setPen(colour(ColourRole::kBorder));
  painter_->drawLine(QPointF(look_->left, row.bottom() + 1),
                     QPointF(look_->left + look_->width, row.bottom() + 1));
}

void ChartPainter::drawGathered() {
  for (size_t role = 0; role < kRoles; ++role) {
    if (wide_[role].empty() && narrow_[role].empty() && thin_[role].empty()) continue;
    const NodeColours look =
        nodeColours(NodePalette::kOpcodeClass, static_cast<NodeRole>(role), look_->theme->dark);
    painter_->setPen(Qt::NoPen);
    // Too narrow for a border: between the two, so that a crowd looks like what it is made of.
    const QColor mixed = mix(look.fill, look.border);
    painter_->setBrush(mixed);
    painter_->drawRects(narrow_[role].data(), static_cast<int>(narrow_[role].size()));
    QColor pale = mixed;
    pale.setAlphaF(0.45f);
    painter_->setBrush(pale);
    painter_->drawRects(thin_[role].data(), static_cast<int>(thin_[role].size()));
    painter_->setPen(look.border);
    painter_->setBrush(look.fill);
    painter_->drawRects(wide_[role].data(), static_cast<int>(wide_[role].size()));
    wide_[role].clear();
    narrow_[role].clear();
    thin_[role].clear();
  }
  for (const QRectF& rect : exposed_) hatch(rect, rect.width() >= kWidePixels);
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(colour(ColourRole::kMarkRemoved));
  painter_->drawRects(exposedThin_.data(), static_cast<int>(exposedThin_.size()));
  if (look_->critical) {
    painter_->setBrush(colour(ColourRole::kText));
    painter_->drawRects(critical_.data(), static_cast<int>(critical_.size()));
  }
  exposed_.clear();
  exposedThin_.clear();
  critical_.clear();
}

void ChartPainter::drawLabels() {
  painter_->setFont(uiFont(11));
  const QFontMetricsF metrics(painter_->font());
  const QRectF plot(look_->left, -1e6, look_->width, 2e6);
  for (const Label& label : labels_) {
    const ChartEvent& event = order_->chart().events[label.event];
    const Instruction* instruction = order_->instructionAt(label.event);
    const QRectF inside = label.rect.intersected(plot).adjusted(3, 0, -3, 0);
    if (instruction == nullptr || inside.width() < kLabelPixels - 8) continue;
    const bool waits = event.kind == TimelineEventKind::Wait;
    QString text =
        waits ? QString("waits %1").arg(timeText(*order_, event.exposedNs)) : qs(instruction->name());
    if (event.kind == TimelineEventKind::Async && event.exposedNs > 0)
      text += QString("  %1 exposed").arg(timeText(*order_, event.exposedNs));
    const bool marked = waits || event.exposedNs > 0;
    // Names are told apart by their ends; behind one that waits stands for how long.
    const QString shown = metrics.elidedText(text, marked ? Qt::ElideRight : Qt::ElideMiddle, inside.width());
    if (marked) {
      // Hatching makes text hard to read without a ground of its own.
      QColor ground = colour(ColourRole::kSurface);
      ground.setAlphaF(0.82f);
      const double wide = std::min(inside.width(), metrics.horizontalAdvance(shown));
      painter_->fillRect(QRectF(inside.left() - 1, inside.center().y() - 8, wide + 2, 16), ground);
    }
    painter_->setPen(marked ? colour(ColourRole::kText)
                            : nodeColours(NodePalette::kOpcodeClass, label.role, look_->theme->dark).text);
    painter_->drawText(inside, Qt::AlignVCenter | Qt::AlignLeft, shown);
  }
  labels_.clear();
}

void ChartPainter::paintGroups(std::span<const ChartRow> rows) {
  const ScheduleChart& chart = order_->chart();
  size_t category = 0;
  for (const ChartGroup& group : chart.groups) {
    const ChartSpan& span = group.on(look_->view.axis);
    const NodeColours look = categoryColours(category++, look_->theme->dark);
    double top = 1e9, bottom = 0;
    for (const ChartRow& row : rows) {
      if (row.kind != ChartRowKind::Lane || row.index < group.firstLane || row.index > group.lastLane)
        continue;
      top = std::min(top, row.top);
      bottom = std::max(bottom, row.bottom());
    }
    const double x = std::max(toX(span.begin), look_->left - 20);
    const double wide = std::min(toX(span.end), look_->left + look_->width + 20) - x;
    if (top > bottom || x > look_->left + look_->width || wide < 0) continue;
    QPen pen(look.border, 2);
    painter_->setPen(pen);
    painter_->setBrush(Qt::NoBrush);
    const QRectF rect(x, top - 1, std::max(3.0, wide), bottom - top + 2);
    painter_->drawRoundedRect(rect, kCornerRadius, kCornerRadius);
    if (wide < kLabelPixels * 2) continue;
    painter_->setFont(uiFont(10));
    const QString text = QString("group %1").arg(qs(group.name));
    const double textWidth = QFontMetricsF(painter_->font()).horizontalAdvance(text) + 6;
    const QRectF tag(rect.right() - textWidth, rect.top(), textWidth, 13);
    painter_->fillRect(tag, look.border);
    painter_->setPen(colour(ColourRole::kSurface));
    painter_->drawText(tag, Qt::AlignCenter, text);
  }
}

void ChartPainter::paintMemory(const ChartRow& row) {
  const auto& memory = order_->chart().memory;
  const AxisView& view = look_->view;
  const auto pixels = static_cast<size_t>(std::max(0.0, look_->width)) + 1;
  columns_.assign(pixels, -1);
  painter_->fillRect(QRectF(look_->left, row.top, look_->width, row.height), colour(ColourRole::kSurface));
  auto first =
      std::ranges::lower_bound(memory, view.begin, {}, [&](const ChartMemory& m) { return m.on(view.axis); });
  double carried = first == memory.begin() ? 0 : static_cast<double>((first - 1)->bytes);
  for (auto at = first; at != memory.end(); ++at) {
    const double x = view.toX(at->on(view.axis));
    if (x >= static_cast<double>(pixels)) break;
    double& column = columns_[static_cast<size_t>(std::max(0.0, x))];
    column = std::max(column, static_cast<double>(at->bytes));
  }
  const double scale = (row.height - 4) / static_cast<double>(std::max<int64_t>(1, look_->mostBytes));
  QPolygonF line;
  line << QPointF(look_->left, row.bottom());
  size_t next = static_cast<size_t>(first - memory.begin());
  for (size_t x = 0; x < pixels; ++x) {
    const double shown = columns_[x] >= 0 ? columns_[x] : carried;
    // The last value of this column goes on to the right.
    while (next < memory.size() && view.toX(memory[next].on(view.axis)) < static_cast<double>(x + 1))
      carried = static_cast<double>(memory[next++].bytes);
    const double y = row.bottom() - shown * scale;
    line << QPointF(look_->left + static_cast<double>(x), y)
         << QPointF(look_->left + static_cast<double>(x) + 1, y);
  }
  line << QPointF(look_->left + look_->width, row.bottom());
  QColor fill = colour(ColourRole::kAccent);
  fill.setAlphaF(0.22f);
  painter_->setPen(QPen(colour(ColourRole::kAccent), 1));
  painter_->setBrush(fill);
  painter_->drawPolygon(line);
  const double peakY = row.bottom() - static_cast<double>(order_->chart().peakBytes) * scale;
  painter_->setPen(QPen(colour(ColourRole::kTextDim), 1, Qt::DashLine));
  painter_->drawLine(QPointF(look_->left, peakY), QPointF(look_->left + look_->width, peakY));
  painter_->setFont(uiFont(11));
  const QString text = "peak " + bytesText(order_->chart().peakBytes);
  const double wide = QFontMetricsF(painter_->font()).horizontalAdvance(text) + 8;
  const QRectF tag(look_->left + look_->width - wide - 2, std::min(peakY + 2, row.bottom() - 15), wide, 14);
  QColor ground = colour(ColourRole::kSurface);
  ground.setAlphaF(0.85f);
  painter_->fillRect(tag, ground);
  painter_->setPen(colour(ColourRole::kText));
  painter_->drawText(tag, Qt::AlignCenter, text);
}

std::optional<QRectF> ChartPainter::rectOf(uint32_t event, std::span<const ChartRow> rows) const {
  if (event == kNoEvent) return std::nullopt;
  const ChartEvent& e = order_->chart().events[event];
  const bool block = e.kind == TimelineEventKind::Block;
  for (const ChartRow& row : rows) {
    const bool own =
        block ? row.kind == ChartRowKind::Blocks && row.index == std::min<size_t>(e.depth, kBlockRows - 1)
              : row.kind == ChartRowKind::Lane && row.index == e.lane;
    if (!own) continue;
    const ChartSpan& span = e.on(look_->view.axis);
    const double from = std::max(toX(span.begin), look_->left - 50.0);
    const double to = std::min(toX(span.end), look_->left + look_->width + 50.0);
    return QRectF(std::min(from, to), row.top, std::max(2.0, to - from), row.height);
  }
  return std::nullopt;
}

// Lines from what the selected instruction needs, and to what needs it.
void ChartPainter::paintRelations(std::span<const ChartRow> rows) {
  const Instruction* selected =
      look_->selected.valid() ? order_->module().instruction(look_->selected) : nullptr;
  const ScheduleChart& chart = order_->chart();
  if (selected == nullptr) return;
  const auto own = rectOf(chart.eventOf(selected->id()), rows);
  if (!own || own->width() < kWidePixels) return;
  painter_->setRenderHint(QPainter::Antialiasing);
  size_t count = 0;
  const InstructionId partner = chart.events[chart.eventOf(selected->id())].partner;
  const auto join = [&](const Instruction& other, bool needs) {
    if (other.id() == partner || count >= kMostRelations) return;  // the pair's span shows that already
    const auto rect = rectOf(chart.eventOf(other.id()), rows);
    if (!rect) return;
    ++count;
    const QPointF from =
        needs ? QPointF(rect->right(), rect->center().y()) : QPointF(own->right(), own->center().y());
    const QPointF to =
        needs ? QPointF(own->left(), own->center().y()) : QPointF(rect->left(), rect->center().y());
    const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 6.0, 60.0);
    QPainterPath path(from);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    painter_->drawPath(path);
  };
  painter_->setBrush(Qt::NoBrush);
  painter_->setPen(QPen(colour(ColourRole::kEdgeHot), 1.2));
  for (const Instruction* operand : selected->operands()) join(*operand, /*needs=*/true);
  painter_->setPen(QPen(colour(ColourRole::kEdgeHot), 1.2, Qt::DashLine));
  for (const Instruction* user : selected->users()) join(*user, false);
  painter_->setRenderHint(QPainter::Antialiasing, false);
}

void ChartPainter::paintMarks(std::span<const ChartRow> rows) {
  const ScheduleChart& chart = order_->chart();
  const auto outline = [&](InstructionId id, const QColor& colour, double width) {
    if (!id.valid()) return;
    const auto rect = rectOf(chart.eventOf(id), rows);
    if (!rect) return;
    painter_->setPen(QPen(colour, width));
    painter_->setBrush(Qt::NoBrush);
    painter_->drawRect(rect->adjusted(-1, -1, 1, 1));
  };
  for (const InstructionId id : order_->edited) outline(id, colour(ColourRole::kMarkChanged), 2);
  for (const InstructionId id : order_->faulty) {
    outline(id, colour(ColourRole::kError), 3);
    if (const auto rect = rectOf(chart.eventOf(id), rows)) {
      // Not by colour alone.
      painter_->setPen(QPen(colour(ColourRole::kError), 2));
      painter_->drawLine(rect->topLeft(), rect->bottomRight());
      painter_->drawLine(rect->topRight(), rect->bottomLeft());
    }
  }
  outline(look_->hovered, colour(ColourRole::kTextDim), 1);
  outline(look_->selected, colour(ColourRole::kAccent), 2.5);
  if (!look_->selected.valid() || chart.eventOf(look_->selected) == kNoEvent) return;
  // The other half of a pair belongs to what is selected.
  outline(chart.events[chart.eventOf(look_->selected)].partner, colour(ColourRole::kAccent), 1.5);
}

}  // namespace hilo
