// The schedule view in the window: what is asked of it, what it tells the others, what-if and back.
#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/scenario_shelf.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_files.h"
#include "ui/views/schedule/schedule_view.h"

namespace hilo {
namespace {

class ScheduleViewTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("overlap.hlo", kOverlapModule));
    settle();
    window_->showView("schedule");
    settle();
    ASSERT_NE(view().experiment().shown(ScheduleSide::A), nullptr);
  }
  ScheduleView& view() { return window_->view<ScheduleView>(); }
  const ScheduleMetrics& metrics(ScheduleSide side = ScheduleSide::A) {
    return view().experiment().shown(side)->outcome.metrics;
  }
  std::vector<std::string> order(ScheduleSide side = ScheduleSide::A) {
    std::vector<std::string> names;
    for (const Instruction* i : view().experiment().shown(side)->module().entry()->instructions())
      names.emplace_back(i->name());
    return names;
  }
};

TEST_F(ScheduleViewTest, TheFirstPictureAnswersWhyNothingHidesTheWorst) {
  EXPECT_TRUE(view().head().figures().contains("the module's own order"));
  EXPECT_TRUE(view().head().worst().contains("start"));
  EXPECT_TRUE(view().head().worst().contains("B: gpu"));
  ASSERT_TRUE(view().panels().answers().answer());
  EXPECT_EQ(view().panels().answers().answer()->name, "start");
  EXPECT_TRUE(view().panels().answers().toPlainText().contains("Why not overlapped?"));
  QAbstractItemModelTester overlaps(&view().panels().overlaps()), moved(&view().panels().moved());
  ASSERT_EQ(view().panels().overlaps().rowCount(), 1);
  EXPECT_GT(view().panels().overlaps().rows()[0].row.exposedNs,
            view().panels().overlaps().rows()[0].otherExposedNs);
}

TEST_F(ScheduleViewTest, SelectionGoesBothWays) {
  window_->goToName("needs");
  settle();
  EXPECT_EQ(view().canvas().selected(), session_->current()->module->findInstruction("needs")->id());
  EXPECT_EQ(view().panels().answers().answer()->name, "needs");
  window_->showView("schedule");
  view().canvas().setFocus();
  QTest::keyClick(&view().canvas(), Qt::Key_Up);
  settle();
  EXPECT_EQ(selectedName(), "done");
}

TEST_F(ScheduleViewTest, ASuggestionIsTriedUndoneAndMadeAgain) {
  const double before = metrics().exposedNs;
  ASSERT_FALSE(view().panels().answers().answer()->suggestions.empty());
  Q_EMIT view().panels().answers().suggestionTaken(view().panels().answers().answer()->suggestions[0].move);
  settle();
  const double after = metrics().exposedNs;
  EXPECT_LT(after, before);
  EXPECT_TRUE(view().status().contains("exposed −"));
  EXPECT_TRUE(view().head().figures().contains("1 edit"));
  QTest::keyClick(&view().canvas(), Qt::Key_Z, Qt::ControlModifier);
  settle();
  EXPECT_EQ(metrics().exposedNs, before);
  QTest::keyClick(&view().canvas(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  settle();
  EXPECT_EQ(metrics().exposedNs, after);
}

TEST_F(ScheduleViewTest, SettingsLatenciesAndDevicesAreWhatIfs) {
  view().showSides(ScheduleSides::B);
  view().edited().setLatency("start", 500);
  settle();
  EXPECT_GT(metrics(ScheduleSide::B).exposedNs, 400'000);
  view().edited().undo();
  settle();
  view().edited().setOption("memory_limit", "1KB");
  settle();
  EXPECT_EQ(view().experiment().shown(ScheduleSide::B)->outcome.settings.back().second, "1KB");
  // What cannot be is told and taken back.
  view().edited().setOption("memory_limit", "much");
  settle();
  EXPECT_TRUE(view().status().contains("memory_limit"));
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::B).settings.back().second, "1KB");
  view().edited().setDevice("uniform");
  settle();
  EXPECT_TRUE(view().head().figures().contains("units"));
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::A).device, "uniform");
}

TEST_F(ScheduleViewTest, APinHoldsWhileSettingsChange) {
  view().canvas().select(session_->current()->module->findInstruction("done")->id());
  const InstructionId independent = session_->current()->module->findInstruction("independent")->id();
  const uint32_t event = view().experiment().shown(ScheduleSide::A)->chart().eventOf(independent);
  QTest::mouseClick(view().canvas().viewport(), Qt::LeftButton, {},
                    view().canvas().placed().rectOf(0, event).center().toPoint());
  QTest::keyClick(&view().canvas(), Qt::Key_P);
  settle();
  ASSERT_EQ(view().experiment().scenario(ScheduleSide::A).pins.size(), 1u);
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::A).pins[0].after, "done");
  view().edited().setPreset("gpu");
  settle();
  const auto names = order();
  EXPECT_LT(std::ranges::find(names, "done"), std::ranges::find(names, "independent"));
}

TEST_F(ScheduleViewTest, TwoOrdersAreCompared) {
  view().showSides(ScheduleSides::Both);
  settle();
  EXPECT_EQ(view().canvas().placed().charts().size(), 2u);
  EXPECT_GE(view().panels().moved().rowCount(), 1);
  EXPECT_FALSE(view().panels().moved().rows()[0].why.empty());
}

TEST_F(ScheduleViewTest, AWrongOrderIsToldAndMarked) {
  view().files().takeOrder(write("order.txt", "x\nw\ndone\nstart\nindependent\nneeds\nt\n"));
  settle();
  EXPECT_TRUE(view().head().figures().contains("Instruction done is not scheduled after its operand start"));
  EXPECT_EQ(view().experiment().shown(ScheduleSide::A)->faulty.size(), 1u);
  view().files().exportTo(folder_.filePath("no.hlo"), ScheduleExport::Module);
  settle();
  EXPECT_FALSE(QFile::exists(folder_.filePath("no.hlo")));
  view().edited().undo();
  settle();
  EXPECT_FALSE(view().head().figures().contains("no order."));
}

TEST_F(ScheduleViewTest, ScenariosAreKeptSavedAndTakenBack) {
  view().edited().move({"done", "needs"});
  settle();
  const ScheduleScenario moved = view().experiment().scenario(ScheduleSide::A);
  ScheduleScenario named = moved;
  named.name = "later";
  view().files().shelf().keep(named);
  view().files().saveScenario(folder_.filePath("s.json"));
  settle();
  ASSERT_EQ(view().files().shelf().scenarios().size(), 1u);
  EXPECT_EQ(view().files().shelf().scenarios()[0], named);
  view().edited().undo();
  settle();
  view().files().loadScenario(folder_.filePath("s.json"));
  settle();
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::A), moved);
}

TEST_F(ScheduleViewTest, AnOrderIsExportedInEachForm) {
  view().edited().move({"done", "needs"});
  settle();
  QString said;
  QObject::connect(&view().files(), &ScheduleFiles::said, [&](const QString& text) { said = text; });
  const auto exported = [&](ScheduleExport form) {
    view().files().exportTo(folder_.filePath("order.hlo"), form);
    settle();
    QFile written(folder_.filePath("order.hlo"));
    EXPECT_TRUE(written.open(QFile::ReadOnly));
    return written.readAll();
  };
  EXPECT_TRUE(exported(ScheduleExport::Module).contains("is_scheduled=true"));
  EXPECT_TRUE(exported(ScheduleExport::Control).contains("control-predecessors={"));
  EXPECT_TRUE(said.contains("control dependenc")) << said.toStdString();
  EXPECT_TRUE(exported(ScheduleExport::Annotations).contains("ENTRY"));
  EXPECT_TRUE(said.contains(" group")) << said.toStdString();
}

TEST_F(ScheduleViewTest, ADumpForACpuIsTakenForOneAndSaysThatItIsAssumed) {
  EXPECT_TRUE(view().head().target().startsWith("Times are estimated for h200, a device that is assumed"))
      << view().head().target().toStdString();
  window_->files().open(write("module_0001.jit_f.cpu_after_optimizations.txt", kOverlapModule));
  settle();
  window_->showView("schedule");
  settle();
  ASSERT_NE(view().experiment().shown(ScheduleSide::B), nullptr);
  EXPECT_EQ(view().bar().deviceBox().currentText(), "xeon_8480");
  for (const ScheduleSide side : {ScheduleSide::A, ScheduleSide::B})
    EXPECT_EQ(view().experiment().scenario(side).device, "xeon_8480");
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::B).preset, "memory");
  EXPECT_TRUE(view().head().target().contains("it was compiled for a CPU"))
      << view().head().target().toStdString();
  const double onCpu = metrics().makespanNs;
  view().bar().deviceBox().setFocus();
  view().bar().deviceBox().setCurrentText("h100");
  Q_EMIT view().bar().deviceBox().activated(view().bar().deviceBox().currentIndex());
  settle();
  EXPECT_LT(metrics().makespanNs, onCpu);
  EXPECT_EQ(view().head().target(), "") << "it is chosen now";
}

}  // namespace
}  // namespace hilo
