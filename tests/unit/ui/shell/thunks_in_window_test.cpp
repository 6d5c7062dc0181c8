// The thunks of a module in the window: compiled when they are looked at and measured when that is asked for,
// or as XLA wrote them into a dump.
#include <QAbstractItemModelTester>
#include <QDir>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/time_cursor.h"
#include "ui/views/thunks/thunks_view.h"

namespace hilo {
namespace {

class ThunksInWindowTest : public StudioTest {
 protected:
  ThunksView& thunks() { return window_->view<ThunksView>(); }
  void compileSmall() {
    openSmall();
    EXPECT_EQ(thunks().table().rows().rowCount(), 0);
    window_->showView("thunks");
    ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() > 0; }, 60'000))
        << thunks().head().toStdString();
    settle();
  }
  void measureSmall() {
    compileSmall();
    ASSERT_EQ(thunks().nextButton().text(), "Profile");
    QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().isMeasured(); }, 60'000))
        << thunks().head().toStdString();
    settle();
  }
  // Placed by another view along time, on the lane of what is made of this instruction.
  void showsTheMoment(const char* name, double part) {
    const Snapshot& snapshot = *session_->current();
    const InstructionId id = snapshot.module->findInstruction(name)->id();
    window_->bus().time().place({snapshot.id, id, part});
    const ThunkLanes& lanes = thunks().lanes();
    ASSERT_TRUE(lanes.timeline().thunkOf.contains(id) && lanes.cursorAt());
    const QRectF drawn = lanes.rectOf(lanes.timeline().thunkOf.at(id));
    const double first = lanes.view().toX(0), at = lanes.view().toX(*lanes.cursorAt());
    EXPECT_GE(at, first);
    EXPECT_LE(at - first, drawn.right());
  }
  QPoint placeOf(const char* title) {
    for (const SceneNode& node : thunks().canvas().scene().nodes) {
      if (node.title == QLatin1String(title))
        return thunks().canvas().view().toScreen(node.rect.center()).toPoint();
    }
    ADD_FAILURE() << title << " is no thunk";
    return {};
  }
};

// Nothing could run here.
TEST_F(ThunksInWindowTest, allThatIsKnownWithoutARunIsShownFirst) {
  session_->runs().setWorker({.command = {"/bin/false"}});
  compileSmall();
  EXPECT_FALSE(thunks().isMeasured());
  EXPECT_TRUE(thunks().head().contains("no data races")) << thunks().head().toStdString();
  for (const ThunkTableRow& row : thunks().table().rows().rows()) EXPECT_EQ(row.facts.measuredNs, -1);
  EXPECT_EQ(thunks().lanes().laneCount(), 0u);
  EXPECT_TRUE(thunks().legend().text().startsWith("estimated time"))
      << thunks().legend().text().toStdString();
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("out"));
  EXPECT_GT(thunks().dependencies().uses().rowCount(), 1);
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  EXPECT_TRUE(QTest::qWaitFor([&] { return thunks().kernel().formCount() == 4; }, 60'000));
}

TEST_F(ThunksInWindowTest, ofAGpuThereAreStreamsAsPlannedAndGauges) {
  compileSmall();
  thunks().targetBox().setCurrentText("sm_90a");
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().head().contains("sm_90a"); }, 60'000))
      << thunks().head().toStdString();
  settle();
  EXPECT_FALSE(thunks().isMeasured());
  EXPECT_FALSE(thunks().nextButton().isEnabled()) << "nothing is measured";
  EXPECT_GT(thunks().lanes().laneCount(), 0u);
  EXPECT_TRUE(thunks().head().contains("estimated for H100")) << thunks().head().toStdString();
  const auto& rows = thunks().table().rows().rows();
  const auto dot =
      std::ranges::find_if(rows, [](const ThunkTableRow& row) { return row.facts.name == "dot.1"; });
  ASSERT_NE(dot, rows.end());
  EXPECT_TRUE(dot->launch.endsWith(" threads")) << dot->launch.toStdString();
  EXPECT_EQ(dot->source, "model.py:3");
  double shares = 0;
  for (const ThunkTableRow& row : rows) shares += std::max(0.0, row.share);
  EXPECT_NEAR(shares, 1, 1e-9);
  showsTheMoment("dot.1", 0.5);
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("dot.1"));
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().kernel().formCount() == 5; }, 60'000));
  EXPECT_FALSE(thunks().kernel().gauges().gauges().empty());
  thunks().targetBox().setCurrentIndex(0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !thunks().head().contains("sm_90a"); }, 60'000));
  EXPECT_TRUE(thunks().nextButton().isEnabled() ||
              QTest::qWaitFor([&] { return thunks().nextButton().isEnabled(); }, 60'000));
}

TEST_F(ThunksInWindowTest, aModuleForAGpuIsCompiledForOne) {
  window_->files().open(write("for_a_gpu.hlo", R"(HloModule for_a_gpu
ENTRY e {
  p = f32[64,64] parameter(0)
  n = f32[64,64] negate(p), backend_config={"wait_on_operation_queues":[]}
  ROOT t = f32[64,64] transpose(n), dimensions={1,0}
})"));
  settle();
  window_->showView("thunks");
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().head().contains("sm_90a"); }, 60'000))
      << thunks().head().toStdString();
  EXPECT_EQ(thunks().targetBox().currentText(), "sm_90a");
  settle();
  openSmall();
  window_->showView("thunks");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !thunks().head().contains("sm_90a"); }, 60'000));
  EXPECT_EQ(thunks().targetBox().currentIndex(), 0) << "nothing says that this one is for a GPU";
}

TEST_F(ThunksInWindowTest, measuringKeepsWhatIsSelectedAndShown) {
  compileSmall();
  window_->goToName("dot.1");
  window_->showView("thunks");
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  const int before = thunks().table().rows().rowCount();
  QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().isMeasured(); }, 60'000));
  settle();
  EXPECT_EQ(thunks().table().rows().rowCount(), before);
  EXPECT_TRUE(thunks().legend().isVisible());
  EXPECT_TRUE(thunks().legend().text().startsWith("measured time")) << thunks().legend().text().toStdString();
  EXPECT_EQ(selectedName(), "dot.1");
  const ThunkTableRow* row = thunks().table().rows().rowAt(thunks().table().currentIndex());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->facts.name, "dot.1");
  EXPECT_GE(row->facts.measuredNs, 0);
}

TEST_F(ThunksInWindowTest, whatCannotBeCompiledSaysWhyAndIsNoProblem) {
  window_->files().open(write("stranger.hlo", R"(HloModule m
ENTRY e { p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="nobody_knows" })"));
  settle();
  int failures = 0;
  QObject::connect(&window_->context().changes, &SessionChanges::failed, window_.get(), [&] { ++failures; });
  window_->showView("thunks");
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().head().contains("nobody_knows"); }, 60'000))
      << thunks().head().toStdString();
  settle();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(thunks().nextButton().text(), "Compile");
  EXPECT_EQ(thunks().table().rows().rowCount(), 0);
}

TEST_F(ThunksInWindowTest, compiledThunksAreTimedAndJoinedToTheRest) {
  measureSmall();
  const QAbstractItemModelTester tester(thunks().table().model(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_TRUE(thunks().head().contains("no data races")) << thunks().head().toStdString();
  for (const ThunkTableRow& row : thunks().table().rows().rows())
    EXPECT_GE(row.facts.measuredNs, 0) << row.facts.name;
  // The sums wait for the product; that the last one does too is implied, and not drawn.
  bool joined = false;
  const Scene& scene = thunks().canvas().scene();
  for (const SceneEdge& edge : scene.edges)
    joined |= scene.nodes[edge.from].title == "dot.1" && scene.nodes[edge.to].title == "reduced";
  EXPECT_TRUE(joined);
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("out"));
  EXPECT_EQ(selectedName(), "out");
  EXPECT_TRUE(thunks().dependencies().text().contains("read after write"))
      << thunks().dependencies().text().toStdString();
  EXPECT_GT(thunks().dependencies().uses().rowCount(), 1);
  // Up the graph by key: what it waits for.
  QTest::keyClick(&thunks().canvas(), Qt::Key_K);
  EXPECT_NE(selectedName(), "out");
}

TEST_F(ThunksInWindowTest, followsTheSelectionAndTheTable) {
  compileSmall();
  window_->goToName("dot.1");
  const ThunkTableRow* row = thunks().table().rows().rowAt(thunks().table().currentIndex());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->facts.name, "dot.1");
  thunks().table().setFocus();
  QTest::keyClick(&thunks().table(), Qt::Key_Home);
  QTest::keyClick(&thunks().table(), Qt::Key_Down);
  row = thunks().table().rows().rowAt(thunks().table().currentIndex());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(selectedName().toStdString(), row->facts.name);
}

TEST_F(ThunksInWindowTest, theTimelineSelectsAndFollows) {
  measureSmall();
  ThunkLanes& lanes = thunks().lanes();
  ASSERT_GE(lanes.laneCount(), 1u);
  const auto thunkNamed = [&](const char* name) {
    const auto& rows = thunks().table().rows().rows();
    return std::ranges::find(rows, name, [](const ThunkTableRow& row) { return row.facts.name; })->thunk;
  };
  const QRectF box = lanes.rectOf(thunkNamed("reduced"));
  ASSERT_FALSE(box.isEmpty());
  QTest::mouseClick(&lanes, Qt::LeftButton, {}, box.center().toPoint());
  EXPECT_EQ(selectedName(), "reduced");
  // Near: what is selected elsewhere comes into sight.
  const double before = lanes.view().perPixel;
  for (int i = 0; i < 6; ++i) QTest::keyClick(&lanes, Qt::Key_Plus);
  EXPECT_LT(lanes.view().perPixel, before);
  window_->goToName("out");
  EXPECT_FALSE(lanes.rectOf(thunkNamed("out")).isEmpty());
  QTest::keyClick(&lanes, Qt::Key_Left);
  EXPECT_NE(selectedName(), "out");
  QTest::keyClick(&lanes, Qt::Key_F);
  EXPECT_NEAR(lanes.view().perPixel, before, before / 1000);
}

TEST_F(ThunksInWindowTest, aLineOfTheKernelLightsUpTheOthers) {
  compileSmall();
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  window_->goToName("out");
  KernelPane& kernel = thunks().kernel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return kernel.formCount() == 4; }, 60'000));
  const InstructionId out = window_->bus().selected().instruction;
  EXPECT_EQ(kernel.selected(), out);
  for (size_t form = 0; form < 3; ++form) EXPECT_FALSE(kernel.litLines(form).empty()) << form;
  // From the parameter's line in the HLO by key to the root's: the caret's instruction is lit.
  kernel.select({});
  EXPECT_TRUE(kernel.litLines(1).empty());
  kernel.text(1).goTo({0, 0});
  kernel.text(1).setFocus();
  for (int i = 0; i < 200 && kernel.selected() != out; ++i) QTest::keyClick(&kernel.text(1), Qt::Key_Down);
  EXPECT_EQ(kernel.selected(), out);
  EXPECT_FALSE(kernel.litLines(2).empty());
}

// One tint an instruction, in every form; another for another one, none for what came of none.
TEST_F(ThunksInWindowTest, linesOfOneInstructionHaveOneTint) {
  compileSmall();
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  window_->goToName("out");
  KernelPane& kernel = thunks().kernel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return kernel.formCount() == 4; }, 60'000));
  std::map<uint32_t, std::set<size_t>> bandsOf;
  for (size_t form = 0; form < 3; ++form) {
    for (uint32_t line = 0; line < kernel.form(form).instructions.size(); ++line) {
      const InstructionId of = kernel.form(form).at(line);
      const auto band = kernel.decorationOf(form, line).band;
      EXPECT_EQ(band.has_value(), of.valid()) << form << " " << line;
      if (band) bandsOf[of.value].insert(*band);
    }
  }
  ASSERT_GT(bandsOf.size(), 1u);
  std::set<size_t> all;
  for (const auto& [instruction, bands] : bandsOf) {
    EXPECT_EQ(bands.size(), 1u) << instruction;
    all.insert(*bands.begin());
  }
  EXPECT_EQ(all.size(), bandsOf.size());
}

TEST_F(ThunksInWindowTest, aKernelCompiledOtherwise) {
  compileSmall();
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  window_->goToName("out");
  KernelPane& kernel = thunks().kernel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return kernel.formCount() == 4; }, 60'000));
  const auto boxes = kernel.findChildren<QCheckBox*>();
  ASSERT_EQ(boxes.size(), 3);
  EXPECT_TRUE(boxes[0]->isChecked()) << "no vectors of straight code, unless they are asked for";
  EXPECT_FALSE(boxes[2]->isChecked());
  const std::string assembly = kernel.form(3).text;
  const auto clickForSize = [&] {
    QTest::mouseClick(boxes[2], Qt::LeftButton, {}, {5, boxes[2]->height() / 2});
    return QTest::qWaitFor([&] { return window_->idle(); }, 60'000);
  };
  ASSERT_TRUE(clickForSize());
  EXPECT_TRUE(boxes[2]->isChecked());
  EXPECT_NE(kernel.form(3).marks.find('+'), std::string::npos) << kernel.form(3).text;
  EXPECT_EQ(kernel.form(2).text.find("x float>"), std::string::npos);
  ASSERT_TRUE(clickForSize());
  EXPECT_EQ(kernel.form(3).marks.find_first_of("+-"), std::string::npos);
  EXPECT_EQ(std::ranges::count(kernel.form(3).text, '\n'), std::ranges::count(assembly, '\n'));
}

TEST_F(ThunksInWindowTest, aWorkerThatCrashesLeavesTheWindow) {
  session_->runs().setWorker({.command = {"/bin/false"}});
  compileSmall();
  const int before = thunks().table().rows().rowCount();
  QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().head().contains("worker"); }, 60'000))
      << thunks().head().toStdString();
  EXPECT_EQ(thunks().table().rows().rowCount(), before);
  EXPECT_FALSE(thunks().stopButton().isVisible());
}

// A worker that never answers.
TEST_F(ThunksInWindowTest, stopEndsARun) {
  session_->runs().setWorker({.command = {"/bin/sleep", "1000"}});
  compileSmall();
  QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
  EXPECT_TRUE(thunks().stopButton().isVisible());
  QTest::qWait(300);
  QTest::mouseClick(&thunks().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !thunks().stopButton().isVisible(); }, 60'000));
  EXPECT_TRUE(window_->idle());
  EXPECT_TRUE(thunks().head().contains("stopped")) << thunks().head().toStdString();
  EXPECT_GT(thunks().table().rows().rowCount(), 0);
}

TEST_F(ThunksInWindowTest, aDumpHasXlasOwn) {
  QDir(folder_.path()).mkdir("dump");
  write("dump/module_0001.jit_f.sm_8.0_gpu_after_optimizations.txt", kSmallModule);
  write(
      "dump/module_0001.jit_f.thunk_sequence.txt",
      "kGemm\t\nkKernel\t, kernel = dot_1, launch dimensions = blocks: {1, 1, 1}\nkKernel\t, kernel = out\n");
  window_->files().open(folder_.filePath("dump"));
  settle();
  window_->showView("thunks");
  settle();
  ASSERT_EQ(thunks().table().rows().rowCount(), 3) << thunks().head().toStdString();
  EXPECT_EQ(thunks().canvas().scene().edges.size(), 2u);  // one after the other
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("dot_1"));
  EXPECT_EQ(selectedName(), "dot.1");
  EXPECT_TRUE(thunks().dependencies().text().contains("launch dimensions"));
}

// XLA prints the command buffer alone; each member of its computation has a thunk.
TEST_F(ThunksInWindowTest, aMemberOfACommandBufferReachesItsThunkAndBack) {
  QDir(folder_.path()).mkdir("dump");
  write("dump/module_0001.jit_g.sm_8.0_gpu_after_optimizations.txt", R"(HloModule jit_g, is_scheduled=true

%fused (q: f32[8]) -> f32[8] {
  %q = f32[8]{0} parameter(0)
  ROOT %negate.1 = f32[8]{0} negate(%q)
}

%command_buffer (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %loop_fusion = f32[8]{0} fusion(%p), kind=kLoop, calls=%fused
  ROOT %copy.2 = f32[8]{0} copy(%loop_fusion)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %call.2 = f32[8]{0} call(%x), to_apply=%command_buffer
  ROOT %copy.1 = f32[8]{0} copy(%call.2)
}
)");
  write("dump/module_0001.jit_g.thunk_sequence.txt", "kCommandBuffer\t\nkCopy\t\n");
  window_->files().open(folder_.filePath("dump"));
  settle();
  window_->showView("thunks");
  settle();
  ASSERT_EQ(thunks().table().rows().rowCount(), 4) << thunks().head().toStdString();
  const auto shownThunk = [&] {
    const ThunkTableRow* row = thunks().table().rows().rowAt(thunks().table().currentIndex());
    return row == nullptr ? std::string() : row->facts.name;
  };
  for (const auto& [instruction, thunk] :
       {std::pair("negate.1", "loop_fusion"), std::pair("copy.2", "copy.2"), std::pair("call.2", "call.2")}) {
    window_->goToName(instruction);
    EXPECT_EQ(shownThunk(), thunk) << instruction;
  }
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("loop_fusion"));
  EXPECT_EQ(selectedName(), "loop_fusion");
  EXPECT_TRUE(thunks().dependencies().text().contains("not printed by XLA"));
}

}  // namespace
}  // namespace hilo
