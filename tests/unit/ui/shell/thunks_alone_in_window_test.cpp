// Thunks that come without their module: XLA's from a file of their own, and a study with a race in it.
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QTest>
#include <QUrl>

#include "core/workspace/thunks/thunk_study.h"
#include "tests/support/module_text.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/thunks/thunks_view.h"

namespace hilo {
namespace {

constexpr const char* kExecutable = R"(thunk_sequence {
  thunks { kind: "kernel" info { op_name: "neg.1" } kernel_thunk { kernel_name: "neg.1_kernel"
    arguments_buffers { slice { size: 16 } }
    results_buffers { slice { offset: 32 size: 16 buffer_allocation_index: 1 } } } }
  thunks { kind: "kernel" info { op_name: "abs.2" } kernel_thunk { kernel_name: "abs.2_kernel"
    arguments_buffers { slice { offset: 32 size: 16 buffer_allocation_index: 1 } }
    results_buffers { slice { size: 16 buffer_allocation_index: 1 } } } } }
)";

class ThunksAloneTest : public StudioTest {
 protected:
  ThunksView& thunks() { return window_->view<ThunksView>(); }
  QPoint placeOf(const char* name) {
    for (const SceneNode& node : thunks().canvas().scene().nodes) {
      if (node.title == name) return thunks().canvas().view().toScreen(node.rect.center()).toPoint();
    }
    ADD_FAILURE() << name;
    return {};
  }
};

TEST_F(ThunksAloneTest, aSequenceDroppedOnTheWindowSaysWhatIsNotKnown) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(write("f.thunk_sequence.txt", "kKernel\t, kernel = neg_1\nkCopy\t\n"))});
  QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window_.get(), &enter);
  QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window_.get(), &drop);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() == 2; }, 60'000));
  settle();
  EXPECT_TRUE(thunks().isVisible());
  EXPECT_FALSE(thunks().nextButton().isEnabled()) << "there is nothing to compile";
  EXPECT_TRUE(window_->windowTitle().contains("f.thunk_sequence.txt"));
  QTest::mouseClick(&thunks().canvas(), Qt::LeftButton, {}, placeOf("neg_1"));
  EXPECT_TRUE(thunks().dependencies().text().contains("the file has no module"))
      << thunks().dependencies().text().toStdString();
  window_->showView("runs");
  window_->view<RunsView>().run();
  EXPECT_TRUE(window_->view<RunsView>().message().contains("open their module"));
}

TEST_F(ThunksAloneTest, anExecutableWithoutItsModuleHasItsBytesAndHazards) {
  window_->files().open(write("f.txtpb", kExecutable));
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() == 2; }, 60'000));
  settle();
  ASSERT_TRUE(window_->goToName("abs.2_kernel"));
  EXPECT_EQ(thunks().dependencies().uses().rowCount(), 2);
  EXPECT_TRUE(thunks().dependencies().text().contains("after  neg.1_kernel: read after write"))
      << thunks().dependencies().text().toStdString();
  // A module beside it takes its place, and gives it back.
  openSmall();
  EXPECT_EQ(session_->shownCompiled(), nullptr);
  window_->showView("thunks");
  settle();
  session_->showCompiled(session_->documents()[0]->id);
  settle();
  EXPECT_EQ(thunks().table().rows().rowCount(), 2);
}

std::shared_ptr<Module> loopModule() {
  return moduleOf(countingLoop("f32[64]", 3, "made = f32[64] sine(v)\n  w = f32[64] cosine(made)") + R"(
ENTRY main { x = f32[64] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[64]) tuple(zero, x)
  loop = (s32[], f32[64]) while(start), condition=condition, body=body
  ROOT got = f32[64] get-tuple-element(loop), index=1 }
)");
}

// In the loop nothing says any more that "w" comes after "made".
class RaceInWindowTest : public ThunksAloneTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    auto study = compileThunks(loopModule(), {});
    ASSERT_TRUE(study) << study.error().message;
    study->program = nullptr;
    read_ = numberOf(*study, "w");
    made_ = numberOf(*study, "made");
    loop_ = study->thunks[read_].parent;
    std::erase_if(study->hazards, [&](const ThunkHazard& hazard) { return hazard.to == read_; });
    study->races = findRaces(*study);
    session_->addThunks("racy", std::move(*study));
    ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().races().rows().rowCount() > 0; }, 60'000));
    settle();
  }
  static uint32_t numberOf(const ThunkStudy& study, const char* name) {
    const auto found = std::ranges::find(study.thunks, name, &StudiedThunk::name);
    return static_cast<uint32_t>(found - study.thunks.begin());
  }
  SceneMark markOf(uint32_t thunk) {
    const uint32_t node = thunks().canvas().index().find(thunk);
    return node == kNoIndex ? SceneMark::kNone : thunks().canvas().scene().nodes[node].mark;
  }
  bool hasMissingEdge() {
    const Scene& scene = thunks().canvas().scene();
    return std::ranges::any_of(scene.edges, [&](const SceneEdge& edge) {
      return edge.kind == SceneEdgeKind::kMissing && scene.nodes[edge.from].id == made_ &&
             scene.nodes[edge.to].id == read_;
    });
  }
  bool isInSight(uint32_t thunk) {
    const CanvasWidget& canvas = thunks().canvas();
    const uint32_t node = canvas.index().find(thunk);
    return node != kNoIndex &&
           QRectF(canvas.rect()).contains(canvas.view().toScreen(canvas.scene().nodes[node].rect));
  }
  uint32_t made_ = 0, read_ = 0, loop_ = 0;
};

TEST_F(RaceInWindowTest, bothThunksAndTheMissingEdgeAreMarked) {
  EXPECT_EQ(markOf(made_), SceneMark::kFault);
  EXPECT_EQ(markOf(read_), SceneMark::kFault);
  EXPECT_EQ(markOf(loop_), SceneMark::kNone);
  EXPECT_TRUE(hasMissingEdge());
  EXPECT_TRUE(thunks().head().contains("race")) << thunks().head().toStdString();
  EXPECT_EQ(thunks().tabs().currentWidget(), &thunks().races());
}

TEST_F(RaceInWindowTest, choosingOneInTheListOpensTheLoopAndGoesToBoth) {
  CanvasWidget& canvas = thunks().canvas();
  canvas.setFocus();
  canvas.select({loop_});
  QTest::keyClick(&canvas, Qt::Key_Return);
  settle();
  EXPECT_EQ(markOf(loop_), SceneMark::kFault) << "for what it holds";
  EXPECT_FALSE(hasMissingEdge());
  TableView& table = thunks().races();
  const auto& rows = thunks().races().rows().rows();
  const auto wanted = std::ranges::find(rows, "made", &RaceRow::first) - rows.begin();
  const QRect place = table.visualRect(thunks().races().rows().index(static_cast<int>(wanted), 0));
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place.center());
  settle();
  EXPECT_TRUE(hasMissingEdge());
  EXPECT_TRUE(isInSight(made_) && isInSight(read_));
  EXPECT_EQ(canvas.selected(), made_);
  EXPECT_TRUE(thunks().dependencies().text().contains("race   made and w"))
      << thunks().dependencies().text().toStdString();
}

}  // namespace
}  // namespace hilo
