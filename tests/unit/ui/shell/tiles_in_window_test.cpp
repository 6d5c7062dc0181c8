// Tiles of a fusion in the window: sizes that answer, a tile moved by keys and mouse, the order of launch.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/tiles/tiles_view.h"

namespace hilo {
namespace {

constexpr const char* kFused = R"(HloModule fused
f { x = f32[48,64] parameter(0)
  n = f32[48,64] negate(x)
  ROOT r = f32[8,6,64] reshape(n) }
g { y = f32[48,64] parameter(0)
  ROOT m = f32[48,64] exponential(y) }
ENTRY e { p = f32[48,64] parameter(0)
  a = f32[48,64] fusion(p), kind=kLoop, calls=g
  ROOT b = f32[8,6,64] fusion(a), kind=kLoop, calls=f }
)";

class TilesInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("fused.hlo", kFused));
    settle();
    window_->showView("tiles");
    settle();
  }
  TilesView& view() { return window_->view<TilesView>(); }
};

TEST_F(TilesInWindowTest, OffersTheFusionsAndFollowsTheSelection) {
  EXPECT_EQ(view().fusions().count(), 2);
  EXPECT_TRUE(view().head().startsWith("%a: 3 independent tiles")) << view().head().toStdString();
  window_->goToName("b");
  window_->showView("tiles");
  settle();
  EXPECT_TRUE(view().head().startsWith("%b")) << view().head().toStdString();
  EXPECT_EQ(view().rows().rowCount(), 3);
}

TEST_F(TilesInWindowTest, RefusesSizesByNameAndFindsLegalOnes) {
  ASSERT_TRUE(view().goTo("b"));
  view().sizes().box(0).setValue(2);
  view().sizes().box(1).setValue(4);
  EXPECT_TRUE(view().isRefused());
  EXPECT_TRUE(view().message().contains("d0")) << view().message().toStdString();
  EXPECT_TRUE(view().sizes().isMarked(0));
  EXPECT_FALSE(view().sizes().isMarked(2));
  QTest::mouseClick(&view().nearest(), Qt::LeftButton);
  EXPECT_FALSE(view().isRefused());
  EXPECT_FALSE(view().sizes().isMarked(0));
}

TEST_F(TilesInWindowTest, MovesTheTileByKeysAndMouse) {
  view().sizes().setSizes({16, 16});
  view().sizes().box(1).setValue(32);
  ASSERT_FALSE(view().isRefused());
  EXPECT_EQ(view().tile(), (std::vector<int64_t>{0, 0}));
  QTest::keyClick(&view().picture(), Qt::Key_Right);
  QTest::keyClick(&view().picture(), Qt::Key_Right);  // there is none
  QTest::keyClick(&view().picture(), Qt::Key_Down);
  EXPECT_EQ(view().tile(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(view().rows().rows()[0].elements, "[16:32, 32:64]");
  EXPECT_EQ(view().program().value(), 3);
  QTest::keyClick(&view().picture(), Qt::Key_PageUp);
  EXPECT_EQ(view().tile(), (std::vector<int64_t>{1, 0}));
  const QRectF array = view().picture().arrayRect(0);
  QTest::mouseClick(&view().picture(), Qt::LeftButton, {}, (array.bottomRight() - QPointF(2, 2)).toPoint());
  EXPECT_EQ(view().tile(), (std::vector<int64_t>{2, 1}));
}

TEST_F(TilesInWindowTest, GoesAlongTheOrderOfLaunch) {
  view().sizes().setSizes({16, 16});
  view().sizes().box(1).setValue(32);
  view().order().setCurrentText("transposed");
  view().program().setValue(1);
  EXPECT_EQ(view().tile(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(view().picture().content().before.size(), 1u);
}

TEST_F(TilesInWindowTest, GivesItsCommand) {
  view().sizes().box(0).setValue(8);
  EXPECT_TRUE(view().commandLine({}).endsWith("--name a --sizes 8,64"))
      << view().commandLine({}).toStdString();
}

}  // namespace
}  // namespace hilo
