// Tiles of a fusion in the window: sizes that answer, a tile moved by keys and mouse, the order of launch.
#include <QAbstractItemModelTester>
#include <QTest>

#include "core/workspace/store/store.h"
#include "core/workspace/tune/kept_kernels.h"
#include "core/workspace/tune/trials.h"
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

TEST_F(TilesInWindowTest, RanksLegalSizesAndTakesTheOneThatIsClicked) {
  const QAbstractItemModelTester tester(view().ranking().table().model(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  view().ranking().rank();
  ASSERT_TRUE(QTest::qWaitFor([&] { return view().ranking().rows().rowCount() > 3; }))
      << view().ranking().message().toStdString();
  EXPECT_TRUE(view().ranking().message().endsWith("estimated, not measured"));
  const auto rows = view().ranking().rows().rows();
  EXPECT_TRUE(std::ranges::is_sorted(
      rows, {}, [](const RankedTiling& row) { return row.refusal.empty() ? row.estimate.ns : 1e300; }));
  view().ranking().table().setCurrentIndex(view().ranking().rows().index(2, 0));
  EXPECT_EQ(view().sizes().sizes(), rows[2].sizes);
  EXPECT_FALSE(view().isRefused());
  ASSERT_TRUE(view().goTo("b"));
  EXPECT_EQ(view().ranking().rows().rowCount(), 0);  // of another fusion
}

TEST_F(TilesInWindowTest, RanksLegalSizesOnACore) {
  TileRanking& ranking = view().ranking();
  ranking.rank();
  ASSERT_TRUE(QTest::qWaitFor([&] { return ranking.rows().rowCount() > 3; }));
  ranking.device().setCurrentIndex(ranking.device().findData("core"));  // ranks anew
  ASSERT_TRUE(QTest::qWaitFor([&] { return ranking.coreRows().rowCount() > 3; }))
      << ranking.message().toStdString();
  EXPECT_TRUE(ranking.coreTable().isVisible());
  EXPECT_FALSE(ranking.table().isVisible());
  EXPECT_EQ(ranking.rows().rowCount(), 0);
  const auto rows = ranking.coreRows().rows();
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const CoreRanking& row) { return row.estimate.ns; }));
  ranking.coreTable().setCurrentIndex(ranking.coreRows().index(2, 0));
  EXPECT_EQ(view().sizes().sizes(), rows[2].sizes);
}

TEST_F(TilesInWindowTest, ShowsTheCodeOfTheSizes) {
  using Form = TileCode::Form;
  view().sizes().setSizes({16, 16});
  view().sizes().box(1).setValue(32);
  const std::pair<Form, const char*> expected[] = {{Form::Program, "program of 3 x 2 tiles"},
                                                   {Form::Llvm, "define void @kernel"},
                                                   {Form::Ptx, ".target sm_90a"}};
  for (const auto& [form, text] : expected) {
    TileCode& code = view().code(form);
    view().details().setCurrentWidget(&code);
    const auto shows = [&] { return code.text().lines().text().contains(text); };
    EXPECT_TRUE(QTest::qWaitFor(shows, 20'000)) << text << code.message().toStdString();
  }
  TileCode& program = view().code(Form::Program);
  view().details().setCurrentWidget(&program);
  view().sizes().box(1).setValue(64);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return program.text().lines().text().contains("program of 3 x 1 tiles"); }));
  ASSERT_TRUE(view().goTo("b"));
  view().sizes().box(0).setValue(2);
  view().sizes().box(1).setValue(4);
  ASSERT_TRUE(view().isRefused());
  EXPECT_EQ(program.text().lines().text(), "");
}

TEST_F(TilesInWindowTest, ListsTheKernelsThatWereTried) {
  KeptTuning kept{.machine = "h100, sm_90a, cuda-sim",
                  .instructionHash = trialModuleOf(*session_->current()->module->findInstruction("a"))->hash,
                  .backend = "gpu-kernel, 8 tilings",
                  .compiler = "1",
                  .config = "tile program 16,64",
                  .bestNs = 2000};
  TunedKernel tuned{.instructions = {"a"}};
  tuned.tried = {
      {.choice = "elements", .failure = TrialFailure::WrongResults, .remark = "3 of 4 elements differ"},
      {.choice = "tile program 16,64", .estimatedNs = 2000, .sharedBytes = 1024, .registers = 40}};
  kept.tried = keptText(tuned);
  ASSERT_TRUE((*session_->file().store()->get())->keepTuning(kept));
  const QAbstractItemModelTester tester(view().tuned().table().model(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  view().details().setCurrentWidget(&view().tuned());
  const auto& rows = view().tuned().rows();
  ASSERT_TRUE(QTest::qWaitFor([&] { return rows.rowCount() == 2; }))
      << view().tuned().message().toStdString();
  const auto textAt = [&](int row, int column) { return rows.data(rows.index(row, column)).toString(); };
  EXPECT_EQ(textAt(0, 5), "wrong results: 3 of 4 elements differ");
  EXPECT_EQ(textAt(1, 1), "2.00 µs, estimated");
  EXPECT_EQ(textAt(1, 2), "40");
  EXPECT_EQ(textAt(1, 3), "1,024");
  EXPECT_EQ(textAt(1, 5), "chosen");
  view().tuned().table().setCurrentIndex(rows.index(1, 0));
  EXPECT_EQ(view().sizes().sizes(), (std::vector<int64_t>{16, 64}));
}

TEST_F(TilesInWindowTest, GivesItsCommand) {
  view().sizes().box(0).setValue(8);
  EXPECT_TRUE(view().commandLine({}).endsWith("--name a --sizes 8,64"))
      << view().commandLine({}).toStdString();
}

}  // namespace
}  // namespace hilo
