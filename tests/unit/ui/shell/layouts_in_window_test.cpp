// From a module to the transposes its layouts cost, who wants them, a layout tried and taken back.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/layouts/layouts_view.h"

namespace hilo {
namespace {

constexpr const char* kTransposed =
    R"(HloModule t, entry_computation_layout={(f32[512,256]{1,0})->f32[256,512]{1,0}}
ENTRY e {
  p = f32[512,256]{1,0} parameter(0)
  x = f32[512,256]{1,0} exponential(p)
  ROOT t = f32[256,512]{1,0} transpose(x), dimensions={1,0}
}
)";

class LayoutsInWindowTest : public StudioTest {
 protected:
  void open(const char* text) {
    window_->files().open(write("layouts.hlo", text));
    settle();
    window_->showView("layouts");
    settle();
  }
  LayoutsView& view() { return window_->view<LayoutsView>(); }
};

TEST_F(LayoutsInWindowTest, ShowsWhoWantsWhichOrder) {
  open(kTransposed);
  ASSERT_GE(view().moves().rowCount(), 1);
  ASSERT_TRUE(view().panel().shown());
  EXPECT_TRUE(view().panel().toPlainText().contains("entry parameter"))
      << view().panel().toPlainText().toStdString();
  ASSERT_GE(view().stripes().chain().size(), 3u);
  ASSERT_TRUE(view().drawing().picture());
}

TEST_F(LayoutsInWindowTest, AClickInTheChainDrawsThatArray) {
  open(kTransposed);
  view().stripes().setCurrent(0);
  ASSERT_TRUE(view().drawing().picture());
  EXPECT_EQ(view().drawing().picture()->addresses().shape.dimension(0), 512);
  const ArrayPicture& picture = *view().drawing().picture();
  QTest::mouseClick(&view().drawing(), Qt::LeftButton, {}, picture.indexCell(1, 2).center());
  ASSERT_TRUE(view().drawing().marked());
  EXPECT_EQ(view().drawing().marked()->element, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(view().drawing().note().startsWith("(1, 2) at byte 1032"))
      << view().drawing().note().toStdString();
  EXPECT_TRUE(view().drawing().markByte(1032));
  EXPECT_EQ(view().drawing().marked()->element, (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(view().drawing().markByte(512 * 256 * 4));
}

TEST_F(LayoutsInWindowTest, ALayoutIsTriedAndTakenBack) {
  open(kTransposed);
  const int before = view().moves().rowCount();
  const auto& advice = view().panel().advice();
  const auto first =
      std::ranges::find_if(advice, [](const LayoutAdvice& a) { return a.constraint.has_value(); });
  ASSERT_NE(first, advice.end());
  view().tryConstraint(*first->constraint);
  settle();
  EXPECT_EQ(view().study()->request.constraints.size(), 1u);
  EXPECT_LT(view().moves().rowCount(), before);
  EXPECT_TRUE(view().head().contains("with ")) << view().head().toStdString();
  EXPECT_TRUE(view().commandLine({}).contains("hilo layouts")) << view().commandLine({}).toStdString();
  EXPECT_TRUE(view().commandLine({}).contains("--try"));
  QTest::mouseClick(&view().undoButton(), Qt::LeftButton);
  settle();
  EXPECT_EQ(view().moves().rowCount(), before);
}

TEST_F(LayoutsInWindowTest, AModuleWithoutMovesSaysSo) {
  open("HloModule n\nENTRY e {\n  p = f32[4]{0} parameter(0)\n  ROOT n = f32[4]{0} negate(p)\n}\n");
  EXPECT_EQ(view().moves().rowCount(), 0);
  EXPECT_TRUE(view().head().contains("0 copies and transposes")) << view().head().toStdString();
}

}  // namespace
}  // namespace hilo
