// The line above the pages that says why numbers mean less than they seem to, where the selection lies, and
// the device that times are estimated for.
#include <QLabel>
#include <QStatusBar>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/breadcrumb.h"
#include "ui/style/colours.h"
#include "ui/views/schedule/schedule_view.h"

namespace hilo {
namespace {

constexpr const char* kElided = R"(HloModule m, num_partitions=2
ENTRY e {
  c = f32[4096] constant({...})
  x = f32[4096] parameter(0), sharding={devices=[2]0,1}
  ROOT s = f32[4096] add(x, c)
}
)";

constexpr const char* kNested = R"(HloModule nested
inner {
  p = f32[] parameter(0)
  ROOT deep = f32[] negate(p)
}
middle {
  q = f32[] parameter(0)
  ROOT call = f32[] call(q), to_apply=inner
}
ENTRY e {
  x = f32[] parameter(0)
  ROOT c = f32[] call(x), to_apply=middle
}
)";

class CaveatsInWindowTest : public StudioTest {
 protected:
  void open(const char* text) {
    window_->files().open(write("m.hlo", text));
    settle();
  }
  QLabel& label(const char* name) { return *window_->findChild<QLabel*>(name); }
};

TEST_F(CaveatsInWindowTest, SaysWhatConcernsTheViewInSight) {
  open(kElided);
  window_->showView("values");
  settle();
  EXPECT_TRUE(label("caveats").text().contains("1 constant is elided"))
      << label("caveats").text().toStdString();
  EXPECT_TRUE(window_->view("values")->isVisible() && !window_->view("values")->visibleRegion().isEmpty());
  EXPECT_FALSE(label("caveats").text().contains("Not partitioned")) << "graph and text say nothing of time";
  window_->showView("schedule");
  settle();
  EXPECT_TRUE(label("caveats").text().contains("Not partitioned"));
}

TEST_F(CaveatsInWindowTest, ThatNothingIsExposedIsNoSuccessBeforePartitioning) {
  open(kElided);
  window_->showView("schedule");
  settle();
  const QString figures = window_->view<ScheduleView>().head().figures();
  EXPECT_TRUE(figures.contains("exposed")) << figures.toStdString();
  const QString success = themeOf(*window_).colour(ColourRole::kSuccess).name();
  EXPECT_FALSE(figures.contains(success)) << figures.toStdString();
}

TEST_F(CaveatsInWindowTest, AWholeModuleHasNone) {
  openSmall();
  window_->showView("schedule");
  settle();
  EXPECT_FALSE(label("caveats").isVisible());
}

TEST_F(CaveatsInWindowTest, ATextWithoutItsEntrySaysWhatStandsInItsPlace) {
  open(
      "HloModule cut\ninner {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\nlast {\n  q = "
      "f32[] ");
  EXPECT_TRUE(label("caveats").text().contains("its entry was not read, "))
      << label("caveats").text().toStdString();
  open("HloModule bad\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(nothing)\n}\n");
  EXPECT_FALSE(label("caveats").text().contains("its entry")) << label("caveats").text().toStdString();
}

TEST_F(CaveatsInWindowTest, ABrokenTextSaysSoEverywhere) {
  open("HloModule broken\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(nothing)\n}\n");
  EXPECT_TRUE(label("caveats").isVisible());
  EXPECT_TRUE(label("caveats").text().contains("line 4")) << label("caveats").text().toStdString();
}

TEST_F(CaveatsInWindowTest, ThePathToTheSelectionAndBack) {
  open(kNested);
  window_->goToName("deep");
  const QString path = label("breadcrumb").text();
  for (const char* part : {">nested<", ">e<", ">middle<", ">inner<", ">deep<"})
    EXPECT_TRUE(path.contains(part)) << part << " in " << path.toStdString();
  const Computation* middle =
      findByName(*session_, "middle").computation.valid()
          ? session_->current()->module->computation(findByName(*session_, "middle").computation)
          : nullptr;
  ASSERT_NE(middle, nullptr);
  Q_EMIT label("breadcrumb").linkActivated(QString::number(middle->id().value));
  EXPECT_EQ(window_->bus().selected().computation, middle->id());
}

TEST_F(CaveatsInWindowTest, TheStatusBarNamesTheDevice) {
  openSmall();
  bool isThere = false;
  for (const QLabel* each : window_->statusBar()->findChildren<QLabel*>())
    isThere |= each->text() == "h200, assumed";
  EXPECT_TRUE(isThere);
}

}  // namespace
}  // namespace hilo
