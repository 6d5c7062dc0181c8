#include "ui/views/thunks/thunk_lanes.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

namespace hilo {
namespace {

// One thread: a loop whose body runs twice, then what comes after it.
class ThunkLanesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto study = std::make_shared<ThunkStudy>();
    for (const char* name : {"loop", "body", "after"}) {
      StudiedThunk& thunk = study->thunks.emplace_back();
      thunk.name = name;
      thunk.instructions = {InstructionId{static_cast<uint32_t>(10 * study->thunks.size())}};
    }
    study->thunks[1].parent = 0;
    study->timeline = {{.thunk = 0, .startNs = 100, .durationNs = 400},
                       {.thunk = 1, .startNs = 110, .durationNs = 100},
                       {.thunk = 1, .startNs = 310, .durationNs = 100},
                       {.thunk = 2, .startNs = 500, .durationNs = 600}};
    lanes_.resize(800, 120);
    lanes_.setStudy(study, std::make_shared<const ThunkTimeline>(makeTimeline(*study)));
    QObject::connect(&lanes_, &ThunkLanes::pointed, [this](const auto& moment) { pointed_ = moment; });
    QObject::connect(&lanes_, &ThunkLanes::placed, [this](const auto& moment) { placed_ = moment; });
  }
  // In the plot, at nanoseconds from the first start.
  QPoint at(double ns) {
    const QRectF after = lanes_.rectOf(2);
    const double perPixel = lanes_.view().perPixel;
    return {static_cast<int>(after.left() + (ns - 400) / perPixel), static_cast<int>(after.center().y())};
  }

  // Where the offscreen platform moves no pointer.
  void pointTo(QPoint place) {
    QMouseEvent move(QEvent::MouseMove, place, lanes_.mapToGlobal(place), Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(&lanes_, &move);
  }

  ThunkLanes lanes_;
  std::optional<ThunkMoment> pointed_, placed_;
};

TEST_F(ThunkLanesTest, ThePointerIsAtWhatBeganLast) {
  pointTo(at(700));
  ASSERT_TRUE(pointed_);
  EXPECT_EQ(pointed_->thunk, 2u);
  EXPECT_NEAR(pointed_->part, 0.5, 0.01);
  EXPECT_NEAR(*lanes_.lineAt(), 700, 2);
  pointTo(at(60));
  EXPECT_EQ(pointed_->thunk, 1u);
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(&lanes_, &leave);
  EXPECT_FALSE(pointed_);
  EXPECT_FALSE(lanes_.lineAt());
}

TEST_F(ThunkLanesTest, OfAThunkThatRanTwiceTheExecutionNearestToTheClickIsMeant) {
  lanes_.showMoments({}, ThunkMoment{1, 0.5});
  EXPECT_EQ(lanes_.cursorAt(), 60) << "nothing was clicked: the first";
  QTest::mouseClick(&lanes_, Qt::LeftButton, {}, at(260));
  ASSERT_TRUE(placed_);
  EXPECT_EQ(placed_->thunk, 1u);
  lanes_.showMoments({}, placed_);
  EXPECT_NEAR(*lanes_.cursorAt(), 260, 2);
}

TEST_F(ThunkLanesTest, ThunksThatRanAreFoundByTheirInstructions) {
  EXPECT_EQ(lanes_.timeline().thunkOf.at(InstructionId{20}), 1u);
  EXPECT_FALSE(lanes_.timeline().thunkOf.contains(InstructionId{21}));
}

}  // namespace
}  // namespace hilo
