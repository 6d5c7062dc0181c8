// "Which kernel is slow, and what would be faster?", from its beginning to its answer by what a person clicks
// and types. tests/e2e/walks_of_kernels_test.py asks it by commands, docs/walks.md is its page.
#include <QHeaderView>

#include "core/hlo/text/print.h"
#include "tests/unit/ui/shell/walk_fixture.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/views/tiles/tiles_view.h"
#include "ui/views/tune/tune_view.h"

namespace hilo {
namespace {

using WalkToAKernel = WalkInWindow;
constexpr const char* kNorms = "tests/e2e/walks/fused_norms.hlo";  // a dot, and rows over their sums

// Which kernel is slow? The slowest first, measured beside estimated; what a GPU's kernel takes of it.
TEST_F(WalkToAKernel, FromMeasuredTimesToTheSlowestKernelAndItsRegisters) {
  open(kNorms);
  show("thunks");
  ThunksView& thunks = window_->view<ThunksView>();
  ASSERT_TRUE(wait([&] { return thunks.nextButton().text() == "Profile"; })) << thunks.head().toStdString();
  press(thunks.nextButton());
  ASSERT_TRUE(wait([&] { return thunks.isMeasured(); })) << thunks.head().toStdString();
  settle();
  QHeaderView& head = *thunks.table().header();
  const int measured = static_cast<int>(ThunkColumn::Measured);
  QTest::mouseClick(
      head.viewport(), Qt::LeftButton, {},
      {head.sectionViewportPosition(measured) + head.sectionSize(measured) / 2, head.height() / 2});
  const auto& rows = thunks.table().rows().rows();
  EXPECT_TRUE(std::ranges::is_sorted(rows, std::ranges::greater(),
                                     [](const ThunkTableRow& row) { return row.facts.measuredNs; }));
  for (const ThunkTableRow& row : rows) EXPECT_GT(row.facts.estimatedNs, 0) << row.facts.name;
  thunks.table().setFocus();
  QTest::keyClick(&thunks.table(), Qt::Key_End);
  QTest::keyClick(&thunks.table(), Qt::Key_Home);
  EXPECT_EQ(selectedName().toStdString(), rows.front().facts.name);
  pressTab(thunks.tabs(), "Kernel");

  // The same module for a GPU: PTX, and what the kernel takes of it.
  window_->goToName("norms");
  window_->showView("thunks");
  thunks.targetBox().setCurrentText("sm_90a");
  ASSERT_TRUE(wait([&] { return thunks.head().contains("sm_90a"); })) << thunks.head().toStdString();
  ASSERT_TRUE(wait([&] { return thunks.kernel().formCount() == 5; }));
  settle();
  bool hasPtx = false;
  for (size_t form = 0; form < thunks.kernel().formCount(); ++form)
    hasPtx = hasPtx || thunks.kernel().form(form).text.contains(".visible .entry");
  EXPECT_TRUE(hasPtx);
  // Registers too, where the machine has an assembler.
  const auto& gauges = thunks.kernel().gauges().gauges();
  EXPECT_NE(std::ranges::find(gauges, "bank conflicts", &KernelGauge::name), gauges.end());
}

// What would be faster? Other tiles, by estimate; then every kernel of the GPU tried, and the best one kept.
TEST_F(WalkToAKernel, FromTheTilesOfAFusionToTheKernelThatIsKept) {
  open(kNorms);
  window_->goToName("norms");
  show("tiles");
  TilesView& tiles = window_->view<TilesView>();
  ASSERT_TRUE(tiles.head().startsWith("%norms")) << tiles.head().toStdString();
  press(named<QPushButton>(tiles, "Rank by estimate"));
  ASSERT_TRUE(wait([&] { return tiles.ranking().rows().rowCount() > 2; }));
  tiles.ranking().table().setFocus();
  QTest::keyClick(&tiles.ranking().table(), Qt::Key_Home);
  QTest::keyClick(&tiles.ranking().table(), Qt::Key_Down);
  EXPECT_EQ(tiles.sizes().sizes(), tiles.ranking().rows().rows()[1].sizes);
  pressTab(tiles.details(), "PTX");
  TileCode& ptx = tiles.code(TileCode::Form::Ptx);
  EXPECT_TRUE(wait([&] { return ptx.text().lines().text().contains(".visible .entry"); }))
      << ptx.message().toStdString();

  pressTab(tiles.details(), "Tuned kernels");
  TunedKernels& tuned = tiles.tuned();
  settle();
  EXPECT_FALSE(tuned.applyButton().isEnabled());
  press(tuned.tuneButton());
  ASSERT_TRUE(wait([&] { return tuned.rows().rowCount() > 2; })) << tuned.message().toStdString();
  settle();
  EXPECT_TRUE(tuned.message().contains(" was chosen of ")) << tuned.message().toStdString();
  const auto best = std::ranges::find(tuned.rows().rows(), true, &TunedKernelRow::isBest);
  ASSERT_NE(best, tuned.rows().rows().end());
  EXPECT_TRUE(best->tried.wasRun) << "held to the reference";
  EXPECT_GT(best->tried.registers, 0);
  EXPECT_EQ(tuned.rows().rowAt(tuned.table().currentIndex()), &*best) << "it is gone to";
  const std::string choice = best->tried.choice;
  press(tuned.applyButton());
  settle();
  const Instruction& fusion = *session_->current()->module->findInstruction("norms");
  const std::string said = printInstruction(fusion);
  EXPECT_EQ(said.contains(choice), choice != "default") << choice << " " << said;
}

// The same of this machine's processor, each way in a process of its own.
TEST_F(WalkToAKernel, FromAFusionToTheWayThatIsTheFastestHere) {
  open(kNorms);
  window_->goToName("norms");
  show("tune");
  TuneView& tune = window_->view<TuneView>();
  press(tune.passes());
  tune.repeat().setValue(6);
  tune.what().setFocus();
  QTest::keyClick(&tune.what(), Qt::Key_Down);
  EXPECT_EQ(tune.what().currentText(), "norms alone");
  press(tune.tuneButton());
  ASSERT_TRUE(wait([&] { return tune.applyButton().isEnabled(); })) << tune.message().toStdString();
  const auto& rows = tune.rows().rows();
  const auto best = std::ranges::find(rows, true, &TuneRow::isBest);
  ASSERT_NE(best, rows.end());
  EXPECT_GT(best->speedUp.median, 0) << "beside the default's time";
  const auto before = session_->current()->module;
  press(tune.applyButton());
  settle();
  EXPECT_NE(session_->current()->module, before);
}

}  // namespace
}  // namespace hilo
