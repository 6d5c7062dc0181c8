// The timeline driven with keys, wheel and mouse.
#include "ui/views/schedule/schedule_canvas.h"

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/canvas/hover_card.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {
namespace {

class ScheduleCanvasTest : public testing::Test {
 protected:
  void SetUp() override {
    canvas_.resize(800, 400);
    canvas_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&canvas_));
    show({.preset = "original"});
  }
  void show(const ScheduleScenario& scenario) {
    canvas_.setCharts({{studied_.run(scenario), "A", true}}, true);
  }
  const ScheduleChart& chart() const { return canvas_.placed().charts()[0].order->chart(); }
  QPoint middleOf(const char* name) const {
    return canvas_.placed().rectOf(0, chart().eventOf(studied_.id(name))).center().toPoint();
  }
  std::string selectedName() const {
    const Instruction* i = studied_.study->base().instruction(canvas_.selected());
    return i == nullptr ? "" : std::string(i->name());
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&canvas_, key, modifiers); }

  StudiedModule studied_;
  ScheduleCanvas canvas_;
};

TEST_F(ScheduleCanvasTest, AClickSelectsADoubleClickZoomsEnterGoesThere) {
  QSignalSpy selected(&canvas_, &ScheduleCanvas::instructionSelected);
  QSignalSpy activated(&canvas_, &ScheduleCanvas::instructionActivated);
  QTest::mouseClick(canvas_.viewport(), Qt::LeftButton, {}, middleOf("needs"));
  EXPECT_EQ(selectedName(), "needs");
  EXPECT_EQ(selected.count(), 1);
  QTest::mouseDClick(canvas_.viewport(), Qt::LeftButton, {}, middleOf("needs"));
  EXPECT_EQ(activated.count(), 0);
  const double drawn = canvas_.placed().rectOf(0, chart().eventOf(studied_.id("needs"))).width();
  EXPECT_GT(drawn, canvas_.placed().plot().width() / 4);
  QTest::mouseDClick(canvas_.viewport(), Qt::LeftButton, {},
                     canvas_.placed().plot().bottomLeft().toPoint() - QPoint(-2, 2));
  EXPECT_LT(canvas_.placed().rectOf(0, chart().eventOf(studied_.id("needs"))).width(), drawn)
      << "nothing there: all of it";
  key(Qt::Key_Return);
  EXPECT_EQ(activated.count(), 1);
  EXPECT_TRUE(canvas_.accessibleDescription().startsWith("needs, dot"));
}

TEST_F(ScheduleCanvasTest, ArrowsWalkTheLaneOperandsAndUsers) {
  canvas_.select(studied_.id("needs"));
  key(Qt::Key_Left);
  EXPECT_EQ(selectedName(), "independent");
  key(Qt::Key_Right);
  EXPECT_EQ(selectedName(), "needs");
  key(Qt::Key_Up);
  EXPECT_EQ(selectedName(), "done");
  key(Qt::Key_Up);
  EXPECT_EQ(selectedName(), "start");
  key(Qt::Key_Down);
  EXPECT_EQ(selectedName(), "done");
  key(Qt::Key_Down);
  EXPECT_EQ(selectedName(), "needs");
}

TEST_F(ScheduleCanvasTest, KeysAndWheelZoomFitAndChangeTheAxis) {
  const AxisView whole = canvas_.axis().view();
  key(Qt::Key_Plus);
  EXPECT_LT(canvas_.axis().view().perPixel, whole.perPixel);
  key(Qt::Key_Minus);
  EXPECT_NEAR(canvas_.axis().view().perPixel, whole.perPixel, whole.perPixel * 1e-9);
  const QPointF place(400, 100);
  QWheelEvent wheel(place, canvas_.viewport()->mapToGlobal(place), {}, QPoint(0, 240), Qt::NoButton, {},
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(canvas_.viewport(), &wheel);
  EXPECT_LT(canvas_.axis().view().perPixel, whole.perPixel);
  key(Qt::Key_F);
  EXPECT_EQ(canvas_.axis().view(), whole);
  key(Qt::Key_X);
  EXPECT_EQ(canvas_.axis().axis(), ChartAxis::Slots);
  EXPECT_GE(canvas_.placed().rectOf(0, chart().eventOf(studied_.id("x"))).width(), 20);
  canvas_.select(studied_.id("done"));
  key(Qt::Key_Z);
  EXPECT_GT(canvas_.placed().rectOf(0, chart().eventOf(studied_.id("done"))).width(), 100);
}

TEST_F(ScheduleCanvasTest, DraggingTriesPlacesAndLeavesOneMove) {
  QSignalSpy tried(&canvas_, &ScheduleCanvas::moveTried), made(&canvas_, &ScheduleCanvas::moveMade);
  const QPoint from = middleOf("independent");
  const QRectF wait = canvas_.placed().rectOf(0, chart().eventOf(studied_.id("done")));
  QTest::mousePress(canvas_.viewport(), Qt::LeftButton, {}, from);
  for (int step = 1; step <= 10; ++step)
    QTest::mouseMove(canvas_.viewport(),
                     from + (QPoint(static_cast<int>(wait.left()) + 2, from.y()) - from) * step / 10);
  EXPECT_GE(tried.count(), 1);
  QTest::mouseRelease(canvas_.viewport(), Qt::LeftButton, {},
                      QPoint(static_cast<int>(wait.left()) + 2, from.y()));
  ASSERT_EQ(made.count(), 1);
  const auto move = made.at(0).at(0).value<ScheduleMove>();
  EXPECT_EQ(move.instruction, "independent");
  EXPECT_EQ(move.before, "done");
}

TEST_F(ScheduleCanvasTest, ShiftAndAnArrowMoveByOnePlace) {
  QSignalSpy made(&canvas_, &ScheduleCanvas::moveMade);
  canvas_.select(studied_.id("done"));
  key(Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_EQ(made.count(), 1);
  EXPECT_EQ(made.at(0).at(0).value<ScheduleMove>(), (ScheduleMove{"done", "needs"}));
  QSignalSpy pinned(&canvas_, &ScheduleCanvas::pinAsked);
  key(Qt::Key_P);
  EXPECT_EQ(pinned.count(), 1);
}

TEST_F(ScheduleCanvasTest, HoveringSaysWhatItIsAndWhyItWaits) {
  QSignalSpy hovered(&canvas_, &ScheduleCanvas::instructionHovered);
  const QPoint place = middleOf("done");
  QTest::mouseMove(canvas_.viewport(), place - QPoint(3, 0));
  QTest::mouseMove(canvas_.viewport(), place);
  EXPECT_EQ(hovered.count(), 1);
  const auto* card = canvas_.findChild<HoverCard*>();
  ASSERT_NE(card, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return card->isVisible(); }, 2000));
  EXPECT_TRUE(card->text().contains("<b>done</b>"));
  EXPECT_TRUE(card->text().contains("waits"));
  EXPECT_TRUE(card->text().contains("%start has not ended"));
}

// Whatever is selected then, on either axis and in another order; the same key takes it away.
TEST_F(ScheduleCanvasTest, MKeepsWhatIsMeasured) {
  const TimelineOverlay& overlay = canvas_.overlay();
  key(Qt::Key_M);
  EXPECT_TRUE(overlay.marks().empty()) << "nothing is selected";
  canvas_.select(studied_.id("independent"));
  key(Qt::Key_M);
  const ChartSpan time = chart().events[chart().eventOf(studied_.id("independent"))].time;
  ASSERT_EQ(overlay.marks().size(), 1u);
  EXPECT_NEAR(overlay.marks()[0].begin, time.begin, 1e-6);
  EXPECT_NEAR(overlay.marks()[0].end, time.end, 1e-6);
  // Dragged in the ruler, then kept: the range gives way to its mark.
  const QPoint from = middleOf("needs"), ruler(from.x(), 4);
  QTest::mousePress(canvas_.viewport(), Qt::LeftButton, {}, ruler);
  QTest::mouseMove(canvas_.viewport(), ruler + QPoint(40, 0));
  QTest::mouseRelease(canvas_.viewport(), Qt::LeftButton, {}, ruler + QPoint(40, 0));
  ASSERT_TRUE(overlay.range());
  const double width = overlay.range()->width();
  key(Qt::Key_M);
  EXPECT_FALSE(overlay.range());
  ASSERT_EQ(overlay.marks().size(), 2u);
  EXPECT_NEAR(overlay.marks()[1].width(), width, width * 1e-6);
  key(Qt::Key_X);
  EXPECT_EQ(overlay.marks().size(), 2u);
  show({.preset = "original", .moves = {{"done", "needs"}}});
  key(Qt::Key_X);
  const ChartSpan moved = chart().events[chart().eventOf(studied_.id("independent"))].time;
  EXPECT_NEAR(overlay.marks()[0].begin, moved.begin, 1e-6);
  canvas_.select(studied_.id("independent"));
  key(Qt::Key_M, Qt::ShiftModifier);
  EXPECT_TRUE(overlay.marks().empty());
  key(Qt::Key_M);
  EXPECT_EQ(overlay.marks().size(), 1u);
  key(Qt::Key_M);
  EXPECT_TRUE(overlay.marks().empty());
  key(Qt::Key_M);
  canvas_.setCharts({}, true);
  EXPECT_TRUE(overlay.marks().empty()) << "another module comes";
}

TEST_F(ScheduleCanvasTest, DraggingTheGroundPans) {
  key(Qt::Key_Plus);
  key(Qt::Key_Plus);
  const double begin = canvas_.axis().view().begin;
  const int low = canvas_.viewport()->height() - 40;  // in the memory's row
  QTest::mousePress(canvas_.viewport(), Qt::LeftButton, {}, QPoint(500, low));
  QTest::mouseMove(canvas_.viewport(), QPoint(560, low));
  QTest::mouseMove(canvas_.viewport(), QPoint(420, low));
  QTest::mouseRelease(canvas_.viewport(), Qt::LeftButton, {}, QPoint(420, low));
  EXPECT_NE(canvas_.axis().view().begin, begin);
}

TEST_F(ScheduleCanvasTest, ExposedTimeIsHatchedAndWrongOrdersAreCrossed) {
  const Theme& theme = themeOf(canvas_);
  const auto count = [&](ColourRole role) {
    const QImage image = canvas_.viewport()->grab().toImage();
    const QRectF compute = canvas_.placed().rectOf(0, chart().eventOf(studied_.id("needs")));
    int pixels = 0;
    for (int y = static_cast<int>(compute.top()); y < static_cast<int>(compute.bottom()); ++y) {
      for (int x = 0; x < image.width(); ++x) pixels += image.pixelColor(x, y) == theme.colour(role);
    }
    return pixels;
  };
  const int exposed = count(ColourRole::kMarkRemoved);
  EXPECT_GT(exposed, 500);
  EXPECT_EQ(count(ColourRole::kError), 0);
  // One that ends before its done is reached.
  show({.preset = "original", .latenciesUs = {{"start", 0.5}}, .moves = {{"done", "needs"}}});
  EXPECT_LT(count(ColourRole::kMarkRemoved), exposed / 20);
  show({.order = "x\nw\ndone\nstart\nindependent\nneeds\nt\n"});
  canvas_.axis().set(ChartAxis::Slots);
  EXPECT_GT(count(ColourRole::kError), 50);
}

TEST_F(ScheduleCanvasTest, TwoChartsStandBelowEachOtherOnOneAxis) {
  canvas_.setCharts(
      {{studied_.run({.preset = "original"}), "A", false}, {studied_.run({.preset = "gpu"}), "B", true}},
      true);
  const uint32_t a = canvas_.placed().charts()[0].order->chart().eventOf(studied_.id("needs"));
  const uint32_t b = canvas_.placed().charts()[1].order->chart().eventOf(studied_.id("needs"));
  EXPECT_GT(canvas_.placed().rectOf(1, b).top(), canvas_.placed().rectOf(0, a).bottom());
  EXPECT_NEAR(canvas_.placed().rectOf(1, b).width(), canvas_.placed().rectOf(0, a).width(), 1);
  QSignalSpy activated(&canvas_, &ScheduleCanvas::chartActivated);
  QTest::mouseClick(canvas_.viewport(), Qt::LeftButton, {}, canvas_.placed().rectOf(0, a).center().toPoint());
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated.at(0).at(0).toInt(), 0);
}

}  // namespace
}  // namespace hilo
