// The graph on a screen with a device pixel ratio of 2; see CMakeLists.txt.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/hlo/text/parse.h"
#include "tests/support/qt/ui_jobs.h"
#include "ui/views/graph/graph_view.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> chain(int length) {
  std::string text = "HloModule m\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= length; ++i) text += fmt::format("  %v{} = f32[8] negate(%v{})\n", i, i - 1);
  return std::move(parseModule(text + fmt::format("  ROOT %out = f32[8] abs(%v{})\n}}\n", length)).module);
}

class GraphScaleTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(view.devicePixelRatioF(), 2) << "run with QT_SCALE_FACTOR=2";
    view.resize(900, 600);
    view.canvas()->setAnimated(false);
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  void show(int length) {
    view.setModule(chain(length));
    ASSERT_TRUE(QTest::qWaitFor([&] { return view.isSettled(); }, 20'000));
  }
  QRect screenOf(const char* title) {
    for (const SceneNode& node : view.canvas()->scene().nodes) {
      if (node.title == QLatin1String(title)) return view.canvas()->view().toScreen(node.rect).toRect();
    }
    return {};
  }
  // Whether anything in the area is finer than two by two pixels: it is not where a picture was blown up.
  static bool isCrisp(const QImage& image, QRect area) {
    for (int y = area.top(); y + 1 < area.bottom(); ++y) {
      for (int x = area.left(); x + 1 < area.right(); ++x) {
        const QRgb at = image.pixel(x, y);
        if (x % 2 == 0 && at != image.pixel(x + 1, y)) return true;
        if (y % 2 == 0 && at != image.pixel(x, y + 1)) return true;
      }
    }
    return false;
  }
  static QRect twice(QRect area) { return {area.topLeft() * 2, area.size() * 2}; }

  UiJobs jobs;
  GraphView view{jobs.queue()};
};

TEST_F(GraphScaleTest, whatIsUnderThePointerIsWhatIsHit) {
  show(5);
  QSignalSpy spy(view.canvas(), &CanvasWidget::nodeSelected);
  const QRect box = screenOf("v3");
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, box.bottomRight() - QPoint(2, 2));
  ASSERT_EQ(spy.count(), 1);
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, box.bottomRight() + QPoint(4, 4));
  ASSERT_EQ(spy.count(), 2);
  const SceneNodeId around = view.canvas()->scene().nodes[0].id;
  EXPECT_NE(spy[0][0].toULongLong(), around);
  EXPECT_EQ(spy[1][0].toULongLong(), around);
}

TEST_F(GraphScaleTest, textIsDrawnInThePixelsOfTheScreen) {
  show(5);
  const QImage image = view.canvas()->grab().toImage();
  EXPECT_EQ(image.size(), view.canvas()->size() * 2);
  EXPECT_TRUE(isCrisp(image, twice(screenOf("v3").adjusted(4, 4, -4, -4))));
}

// A chain as long as this is shown from its top, where it can be read, with a map beside it.
TEST_F(GraphScaleTest, theMinimapOfALongChainIsCrispAndLeadsThere) {
  show(95);
  const QRect first = screenOf("v1");
  EXPECT_GE(first.height(), 14);
  EXPECT_TRUE(view.canvas()->rect().contains(first));
  EXPECT_FALSE(view.canvas()->rect().contains(screenOf("v85")));
  const QSize size = view.canvas()->size();
  const QRect map(size.width() - 24, size.height() - 132, 12, 120);
  EXPECT_TRUE(isCrisp(view.canvas()->grab().toImage(), twice(map)));
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, map.center() + QPoint(0, map.height() / 2 - 12));
  EXPECT_TRUE(view.canvas()->rect().contains(screenOf("v85")));
}

}  // namespace
}  // namespace hilo
