// "It is wrong now and then" and "Where does each element lie?", from beginning to answer by what a person
// clicks and types. tests/e2e/walks_of_kernels_test.py asks them by commands, docs/walks.md is their page.
#include "tests/unit/ui/shell/walk_fixture.h"
#include "ui/views/file/file_view.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/kernel_layouts/kernel_layouts_view.h"
#include "ui/views/problems/problems_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/thunks/thunks_view.h"

namespace hilo {
namespace {

class WalkToARace : public WalkInWindow {
 protected:
  RunsView& runs() { return window_->view<RunsView>(); }
  ProblemsView& problems() { return window_->view<ProblemsView>(); }
  // On the simulated GPU, in check mode, beside the reference.
  void runChecked() {
    named<QComboBox>(runs(), "Engine").setCurrentText("cuda-sim");
    runs().form().against().setCurrentText("compare with reference");
    runs().form().repeat().setValue(1);
    if (!runs().form().checks().isChecked()) press(runs().form().checks());
    press(runs().form().runButton());
    ASSERT_TRUE(wait([&] { return runs().message().contains("Check mode"); }))
        << runs().message().toStdString();
    settle();
  }
};

// It is wrong now and then on the GPU: a race in one of the kernels that XLA wrote, at its line of PTX.
TEST_F(WalkToARace, FromADumpToTheLineOfPtx) {
  open("tests/e2e/walks/racing_dump");
  show("runs");
  named<QComboBox>(runs(), "Engine").setCurrentText("cuda-sim");
  press(runs().form().asCompiled());
  runChecked();
  EXPECT_TRUE(runs().message().contains("found 1 fault")) << runs().message().toStdString();
  EXPECT_TRUE(runs().commandLine({}).endsWith("walks/racing_dump")) << runs().commandLine({}).toStdString();
  ASSERT_TRUE(session_->runs().compared());
  const auto& [simulated, reference] = *session_->runs().compared();
  EXPECT_EQ(simulated.outputDigest, reference.outputDigest) << "right this time, and by luck";
  ASSERT_TRUE(problems().isVisible());
  ASSERT_GT(problems().model().rowCount(), 0);
  EXPECT_EQ(problems().model().rows()[0].kind, "race");
  problems().table().setFocus();
  QTest::keyClick(&problems().table(), Qt::Key_Home);
  EXPECT_EQ(selectedName(), "differences");
  QTest::keyClick(&problems().table(), Qt::Key_Return);
  settle();
  FileView& file = window_->view<FileView>();
  ASSERT_TRUE(file.isVisible());
  EXPECT_TRUE(file.path().endsWith(".ptx")) << file.path().toStdString();
  const auto line = static_cast<uint32_t>(file.text().caret().place().line);
  EXPECT_TRUE(file.text().lines().lineText(line).contains("ld.shared.f32"))
      << file.text().lines().lineText(line).toStdString();
  // The thunk of the same instruction, and its kernel.
  show("thunks");
  ThunksView& thunks = window_->view<ThunksView>();
  const ThunkTableRow* row = thunks.table().rows().rowAt(thunks.table().currentIndex());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->facts.name, "differences");
  pressTab(thunks.tabs(), "Kernel");
  EXPECT_TRUE(wait([&] { return thunks.kernel().formCount() > 1; }));
}

TEST_F(WalkToARace, OfHilosOwnKernelsNothingIsWrong) {
  open("tests/e2e/walks/fused_norms.hlo");
  show("runs");
  EXPECT_FALSE(runs().form().checks().isVisible()) << "the engine cpu does not check";
  runChecked();
  EXPECT_FALSE(runs().form().asCompiled().isVisible()) << "there is no PTX of XLA's";
  EXPECT_TRUE(runs().message().endsWith("Check mode found nothing wrong.")) << runs().message().toStdString();
}

class WalkToAnElement : public WalkInWindow {
 protected:
  KernelLayoutsView& view() { return window_->view<KernelLayoutsView>(); }
};

// Where does each element lie? From the payload of a custom call to what set a layout, conflicts and a run.
TEST_F(WalkToAnElement, FromThePayloadToARun) {
  open("tests/data/mosaic/payloads/matmul_f16_64x64x64_f32.hlo");
  window_->goToName("kernel");
  settle();
  EXPECT_TRUE(window_->view<InspectorView>().asText().contains("Open kernel"));
  show("kernel_layouts");
  KernelPanel& kernel = view().kernel();
  ASSERT_TRUE(kernel.kernel()) << view().message().toStdString();
  ASSERT_TRUE(kernel.goTo("of mosaic_gpu.wgmma"));
  const KernelArrayRow* array = kernel.arrayModel().rowAt(kernel.arrays().currentIndex());
  ASSERT_NE(array, nullptr);
  EXPECT_TRUE(array->cause.contains("wgmma")) << array->cause.toStdString();
  EXPECT_TRUE(view().head().startsWith("WGMMA")) << view().head().toStdString();
  EXPECT_TRUE(view().array().isVisible());

  pressTab(kernel, "Barriers");
  ASSERT_EQ(kernel.barriers().rows().rowCount(), 2);
  EXPECT_TRUE(kernel.barriers().verdict().endsWith("nothing is wrong."))
      << kernel.barriers().verdict().toStdString();
  pressTab(kernel, "Run");
  press(kernel.run().runButton());
  ASSERT_TRUE(wait([&] { return kernel.run().rows().rowCount() == 3; }))
      << kernel.run().message().toStdString();
  EXPECT_TRUE(kernel.run().message().endsWith("nothing is wrong.")) << kernel.run().message().toStdString();
  EXPECT_EQ(kernel.run().rows().rows()[0].after, "unchanged");
  EXPECT_NE(kernel.run().rows().rows()[2].after, "unchanged");
  // A barrier leads to its line in the kernel's text.
  pressTab(kernel, "Barriers");
  kernel.barriers().table().setFocus();
  QTest::keyClick(&kernel.barriers().table(), Qt::Key_Home);
  QTest::keyClick(&kernel.barriers().table(), Qt::Key_Return);
  settle();
  FileView& file = window_->view<FileView>();
  ASSERT_TRUE(file.isVisible());
  EXPECT_TRUE(file.text()
                  .lines()
                  .lineText(static_cast<uint32_t>(file.text().caret().place().line))
                  .contains("initialize_barrier"));
}

TEST_F(WalkToAnElement, FromACopyToItsBankConflicts) {
  open("tests/data/mosaic/payloads/pointwise_f16.hlo");
  show("kernel_layouts");
  KernelPanel& kernel = view().kernel();
  ASSERT_TRUE(kernel.kernel()) << view().message().toStdString();
  pressTab(kernel, "Copies");
  kernel.copies().setFocus();
  QTest::keyClick(&kernel.copies(), Qt::Key_End);
  QTest::keyClick(&kernel.copies(), Qt::Key_Home);
  const KernelCopyRow* copy = kernel.copyModel().rowAt(kernel.copies().currentIndex());
  ASSERT_NE(copy, nullptr);
  EXPECT_GE(copy->wavefronts, copy->least);
  view().facet().setCurrentIndex(static_cast<int>(LayoutFacet::kConflicts));
  EXPECT_TRUE(view().memory().isVisible());
  EXPECT_GT(view().accessModel().rowCount(), 0);
  EXPECT_TRUE(view().head().contains("wavefront")) << view().head().toStdString();
}

}  // namespace
}  // namespace hilo
