// From a custom call to the layouts of its kernel's arrays, and from one of these to its picture.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/kernel_layouts/kernel_layouts_view.h"

namespace hilo {
namespace {

class KernelLayoutsInWindowTest : public StudioTest {
 protected:
  void open(const char* name) {
    window_->files().open(QString("tests/data/mosaic/payloads/%1.hlo").arg(name));
    settle();
    window_->showView("kernel_layouts");
    settle();
  }
  KernelLayoutsView& view() { return window_->view<KernelLayoutsView>(); }
};

TEST_F(KernelLayoutsInWindowTest, TheKernelOfACustomCallIsShown) {
  open("matmul_f16_64x64x64_f32");
  KernelPanel& kernel = view().kernel();
  ASSERT_TRUE(kernel.kernel()) << view().message().toStdString();
  EXPECT_TRUE(kernel.isVisible());
  EXPECT_GT(kernel.stepModel().rowCount(), 0);
  ASSERT_TRUE(kernel.goTo("of mosaic_gpu.wgmma"));
  EXPECT_EQ(view().form().layoutBox().currentText(), "WGMMA");
  EXPECT_EQ(view().form().shape().text(), "64x64");
  EXPECT_TRUE(view().head().startsWith("WGMMA")) << view().head().toStdString();
}

TEST_F(KernelLayoutsInWindowTest, SharedMemoryThatTensorCoresReadIsDrawn) {
  open("matmul_f16_64x64x64_f32");
  ASSERT_TRUE(view().kernel().goTo("of mosaic_gpu.slice_smem")) << view().message().toStdString();
  EXPECT_TRUE(view().memory().isVisible());
  EXPECT_TRUE(view().head().contains("no thread holds it")) << view().head().toStdString();
}

// Two stages of two tiles of 64x64 halves, and two barriers of two slots.
TEST_F(KernelLayoutsInWindowTest, SharedMemoryIsDrawnOverTime) {
  open("matmul_f16_64x64x64_f32");
  KernelPanel& kernel = view().kernel();
  SharedMemoryStrip& strip = kernel.shared();
  kernel.setCurrentWidget(&strip);
  settle();
  ASSERT_EQ(strip.use().arrays.size(), 4u);
  EXPECT_EQ(strip.use().peakBytes, 2 * 2 * 8192 + 32);
  EXPECT_TRUE(strip.title().startsWith("32.0 KiB of 227 KiB at most")) << strip.title().toStdString();
  for (size_t i = 0; i < strip.use().arrays.size(); ++i) {
    const auto& one = strip.use().arrays[i];
    if (one.bytes < 8192) continue;
    EXPECT_EQ(strip.arrayAt(strip.boxOf(i).center()), static_cast<int>(i));
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.boxOf(i).center().toPoint());
    EXPECT_TRUE(view().head().contains("in shared memory")) << view().head().toStdString();
  }
}

TEST_F(KernelLayoutsInWindowTest, ACopyIsDrawnWithItsConflicts) {
  open("pointwise_f16");
  KernelPanel& kernel = view().kernel();
  ASSERT_GT(kernel.copyModel().rowCount(), 0);
  kernel.setCurrentWidget(&kernel.copies());
  kernel.copies().setCurrentIndex(kernel.copyModel().index(0, 0));
  view().facet().setCurrentIndex(static_cast<int>(LayoutFacet::kConflicts));
  EXPECT_EQ(view().message(), "");
  EXPECT_GT(view().accessModel().rowCount(), 0);
}

}  // namespace
}  // namespace hilo
