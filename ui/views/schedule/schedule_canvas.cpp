#include "ui/views/schedule/schedule_canvas.h"

#include <QAccessible>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "ui/models/text_of.h"
#include "ui/views/schedule/event_hover.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {
namespace {

constexpr double kDraggablePixels = 5;  // narrower ones are not dragged: panning is meant
constexpr double kWheelStep = 1.2;

}  // namespace

ScheduleCanvas::ScheduleCanvas(QWidget* parent)
    : QAbstractScrollArea(parent),
      axis_(placed_, *horizontalScrollBar()),
      hover_(std::make_unique<EventHover>(placed_, *viewport())) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  overlay_ = std::make_unique<TimelineOverlay>(*this);
  setAccessibleName("Timeline");
  setAccessibleDescription("Nothing is selected");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  connect(&axis_, &ShownAxis::changed, viewport(), qOverload<>(&QWidget::update));
  connect(hover_.get(), &EventHover::changed, this, [this](InstructionId id) {
    viewport()->update();
    Q_EMIT instructionHovered(id);
  });
}

ScheduleCanvas::~ScheduleCanvas() = default;

void ScheduleCanvas::setCharts(std::vector<TimelineChart> charts, bool fit) {
  const bool first = placed_.empty();
  if (charts.empty()) overlay_->clear();
  // What was dragged belongs to a chart that is gone.
  drag_ = Drag::kNone;
  dragged_.reset();
  pressChart_ = -1;
  pressEvent_ = kNoEvent;
  placed_.setSize(viewport()->size());
  placed_.setCharts(std::move(charts));
  hover_->forget();
  updateBar();
  if (first || fit) {
    axis_.fit();
  } else {
    axis_.follow();
  }
  describeSelection();
}

void ScheduleCanvas::setEmptyText(const QString& text) {
  empty_ = text;
  if (placed_.empty()) setAccessibleDescription(text);
  viewport()->update();
}

// The vertical one; the other is the axis's.
void ScheduleCanvas::updateBar() {
  const double room = viewport()->height() - kTimelineFooter;
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(placed_.height() - room)));
  verticalScrollBar()->setPageStep(static_cast<int>(room));
  verticalScrollBar()->setSingleStep(20);
}

void ScheduleCanvas::scrollContentsBy(int, int) {
  placed_.setTop(verticalScrollBar()->value());
  viewport()->update();
}

void ScheduleCanvas::select(InstructionId instruction) {
  selected_ = instruction;
  window_.reset();
  axis_.reveal(instruction);
  describeSelection();
  viewport()->update();
}

void ScheduleCanvas::setWindow(const ScheduleAnswer* answer) {
  window_.reset();
  if (answer != nullptr) window_ = LegalWindow{answer->instruction, answer->after, answer->before};
  viewport()->update();
}

// What a screen reader says of the timeline.
void ScheduleCanvas::describeSelection() {
  const ShownOrder* order = placed_.activeOrder();
  const uint32_t event = order == nullptr ? kNoEvent : order->chart().eventOf(selected_);
  QString text = placed_.empty() ? empty_ : "Nothing is selected";
  if (event != kNoEvent) {
    const Instruction* instruction = order->instructionAt(event);
    text = QString("%1, %2, %3")
               .arg(qs(instruction->name()), qs(instruction->opcodeText()),
                    qs(placeText(order->outcome, order->chart().events[event])));
  }
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

void ScheduleCanvas::selectByUser(InstructionId id, int chart) {
  if (chart >= 0 && chart != placed_.activeIndex()) Q_EMIT chartActivated(chart);
  if (id == selected_) return;
  select(id);
  Q_EMIT instructionSelected(id);
}

void ScheduleCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = themeOf(*this);
  painter.fillRect(viewport()->rect(), theme.colour(ColourRole::kWindow));
  if (placed_.empty()) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(viewport()->rect().adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap,
                     empty_);
    return;
  }
  painter_.paint(painter, {.theme = theme,
                           .placed = placed_,
                           .selected = selected_,
                           .hovered = hover_->instruction(),
                           .window = window_,
                           .dragged = dragged_ ? &*dragged_ : nullptr,
                           .draggedIn = pressChart_});
}

void ScheduleCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  placed_.setSize(viewport()->size());
  updateBar();
  axis_.follow();
}

void ScheduleCanvas::wheelEvent(QWheelEvent* event) {
  if (placed_.empty()) return;
  const double steps = event->angleDelta().y() / 120.0, sideways = event->angleDelta().x() / 120.0;
  event->accept();
  if (event->modifiers() & Qt::ControlModifier) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(steps * 40));
    return;
  }
  if ((event->modifiers() & Qt::ShiftModifier) || sideways != 0) return axis_.pan((steps + sideways) * 80);
  axis_.zoomAt(event->position().x() - placed_.plot().left(), std::pow(kWheelStep, steps));
}

void ScheduleCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return event->ignore();
  hover_->hideCard();
  pressPlace_ = event->position();
  pressView_ = axis_.view();
  std::tie(pressChart_, pressEvent_) = placed_.eventAt(pressPlace_);
  if (event->button() == Qt::MiddleButton) pressEvent_ = kNoEvent;
  drag_ = Drag::kPressed;
}

// Takes the event that was pressed, the ground where it cannot be moved.
void ScheduleCanvas::startDragging() {
  const QRectF rect = placed_.rectOf(pressChart_, pressEvent_);
  const bool isMovable = pressEvent_ != kNoEvent && rect.width() >= kDraggablePixels &&
                         placed_.orderOf(pressChart_)->outcome.faults.empty();
  drag_ = isMovable ? Drag::kMoving : Drag::kPanning;
  viewport()->setCursor(isMovable ? Qt::SizeHorCursor : Qt::ClosedHandCursor);
  if (!isMovable) return;
  const bool atEnd = pressPlace_.x() > rect.left() + rect.width() * 2 / 3;
  const int chart = pressChart_;
  dragged_.emplace(placed_.charts()[static_cast<size_t>(chart)].order, pressEvent_, atEnd);
  selectByUser(dragged_->id(), chart);
}

void ScheduleCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF place = event->position();
  if (drag_ == Drag::kNone) {
    hover_->moveTo(place);
    const auto [chart, under] = placed_.eventAt(place);
    const bool isMovable = placed_.rectOf(chart, under).width() >= kDraggablePixels;
    return viewport()->setCursor(isMovable ? Qt::OpenHandCursor : Qt::ArrowCursor);
  }
  if (drag_ == Drag::kPressed) {
    if ((place - pressPlace_).manhattanLength() < 5) return;
    startDragging();
  }
  if (drag_ == Drag::kPanning) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                  static_cast<int>(place.y() - pressPlace_.y()));
    axis_.panFrom(pressView_, place.x() - pressPlace_.x());
    pressPlace_.setY(place.y());
  }
  if (dragged_ && dragged_->moveTo(axis_.axis(), placed_.toAxis(place.x()))) {
    viewport()->update();
    if (const auto move = dragged_->move()) Q_EMIT moveTried(*move);
  }
}

void ScheduleCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag was = std::exchange(drag_, Drag::kNone);
  viewport()->unsetCursor();
  if (was == Drag::kMoving) return drop();
  if (was != Drag::kPressed || event->button() != Qt::LeftButton) return;
  const ShownOrder* order = placed_.orderOf(pressChart_);
  const Instruction* instruction = order == nullptr ? nullptr : order->instructionAt(pressEvent_);
  if (instruction != nullptr) {
    selectByUser(instruction->id(), pressChart_);
  } else if (pressChart_ >= 0 && pressChart_ != placed_.activeIndex()) {
    Q_EMIT chartActivated(pressChart_);
  }
  Q_EMIT clicked(pressPlace_);
}

// What is dragged, where it is.
void ScheduleCanvas::drop() {
  const auto move = dragged_->move();
  dragged_.reset();
  viewport()->update();
  if (!move) return Q_EMIT moveLeft();
  Q_EMIT moveMade(*move);
}

void ScheduleCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto [chart, index] = placed_.eventAt(event->position());
  const Instruction* instruction = chart < 0 ? nullptr : placed_.orderOf(chart)->instructionAt(index);
  if (instruction == nullptr) return axis_.fit();
  const InstructionId id = instruction->id();
  if (chart != placed_.activeIndex()) selectByUser(id, chart);
  axis_.zoomTo(id);
}

void ScheduleCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) viewport()->update();
}

}  // namespace hilo
