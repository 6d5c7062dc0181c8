// The memory view among the others: what is selected elsewhere shows in it, and what is clicked
// in it elsewhere.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/memory/memory_view.h"

namespace hilo {
namespace {

class MemoryInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    openSmall();
    window_->showView("memory");
    settle();
  }
  MemoryView& memory() { return window_->view<MemoryView>(); }
  size_t valueNamed(std::string_view name) {
    const auto& values = memory().map(1).scene().plan()->profile.values;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].name == name) return i;
    ADD_FAILURE() << name << " is not in the plan";
    return 0;
  }
};

TEST_F(MemoryInWindowTest, ShowsThePlanOfTheModuleThatIsShown) {
  ASSERT_NE(memory().map(1).scene().plan(), nullptr);
  EXPECT_FALSE(memory().map(0).isVisible());  // there is no plan of XLA's
  EXPECT_EQ(memory().cursor(), memory().map(1).scene().plan()->profile.peakStep);
  EXPECT_TRUE(memory().head().contains("small")) << memory().head().toStdString();
  window_->files().open(write("other.hlo", R"(HloModule other
ENTRY %main (x: f32[1024]) -> f32[1024] {
  %x = f32[1024]{0} parameter(0)
  %e = f32[1024]{0} exponential(f32[1024]{0} %x)
  ROOT %out = f32[1024]{0} reverse(f32[1024]{0} %e), dimensions={0}
})"));
  settle();
  window_->showView("memory");
  settle();
  EXPECT_TRUE(memory().head().contains("other")) << memory().head().toStdString();
  EXPECT_EQ(memory().map(1).scene().plan()->profile.totals.temporaries, 4096);
}

TEST_F(MemoryInWindowTest, FollowsWhatIsSelectedElsewhere) {
  const MemoryPlan& plan = *memory().map(1).scene().plan();
  for (const char* name : {"dot.1", "out", "reduced"}) {
    window_->goToName(name);
    window_->showView("memory");
    settle();
    const LiveRange& range = plan.profile.values[valueNamed(name)].range;
    EXPECT_GE(memory().cursor(), range.start) << name;
    EXPECT_LE(memory().cursor(), range.end) << name;
  }
}

TEST_F(MemoryInWindowTest, AClickSelectsForAllViews) {
  window_->goToName("out");
  window_->showView("memory");
  settle();
  memory().content().setCurrentIndex(static_cast<int>(MapContent::kAll));
  MemoryMap& map = memory().map(1);
  const size_t dot = valueNamed("dot.1");
  const QRect place = map.rectOfValue(dot);
  ASSERT_FALSE(place.isEmpty());
  QTest::mouseClick(&map, Qt::LeftButton, {}, place.center());
  settle();
  EXPECT_EQ(selectedName(), "dot.1");
  const auto& live = memory().live().rows();
  EXPECT_TRUE(std::ranges::any_of(live, [&](const LiveRow& row) { return row.value == dot; }));
}

TEST_F(MemoryInWindowTest, GroupsAreByScopeSourceLineOrOpcode) {
  window_->goToName("dot.1");
  window_->showView("memory");
  settle();
  const auto names = [&] {
    QStringList names;
    for (const GroupRow& row : memory().groups().rows()) names << row.name;
    return names;
  };
  memory().grouping().setCurrentIndex(1);
  EXPECT_TRUE(names().contains("model.py:3")) << names().join(", ").toStdString();
  memory().grouping().setCurrentIndex(2);
  EXPECT_TRUE(names().contains("dot")) << names().join(", ").toStdString();
}

TEST_F(MemoryInWindowTest, RunsAlongStepsOrEstimatedTime) {
  const MapWindow steps = memory().map(1).scene().drawn().window;
  memory().axis().setCurrentIndex(1);
  settle();
  EXPECT_TRUE(memory().map(1).scene().drawn().axis.isTime());
  EXPECT_GT(memory().map(1).scene().drawn().window.steps, steps.steps) << "nanoseconds";
  memory().axis().setCurrentIndex(0);
  EXPECT_EQ(memory().map(1).scene().drawn().window, steps);
}

TEST_F(MemoryInWindowTest, ThePeakIsComparedWithThatOfAnotherModule) {
  EXPECT_FALSE(memory().peaks().other().isEnabled()) << "no other module is open";
  QByteArray larger(kSmallModule);
  larger.replace("HloModule small", "HloModule larger");
  larger.replace(
      "ROOT %out = f32[4,4]{1,0} multiply(f32[4,4]{1,0} %dot.1, f32[4,4]{1,0} %spread)",
      "%held = f32[64,4]{1,0} concatenate(%dot.1, %spread, %dot.1, %dot.1, %dot.1, %dot.1, %dot.1, "
      "%dot.1, %dot.1, %dot.1, %dot.1, %dot.1, %dot.1, %dot.1, %dot.1, %dot.1), dimensions={0}\n"
      "  ROOT %out = f32[4,4]{1,0} slice(%held), slice={[0:4],[0:4]}");
  window_->files().open(write("larger.hlo", larger));
  settle();
  window_->showView("memory");
  settle();
  ASSERT_TRUE(memory().showTable("compare"));
  settle();
  QComboBox& other = memory().peaks().other();
  ASSERT_EQ(other.count(), 2) << "the small one, which is open too";
  other.setCurrentIndex(1);
  Q_EMIT other.activated(1);
  settle();
  const auto& lines = memory().peaks().lines().rows();
  const auto held = std::ranges::find_if(lines, [](const PeakLine& line) { return line.row.name == "held"; });
  ASSERT_NE(held, lines.end()) << memory().peaks().summary().toStdString();
  EXPECT_EQ(held->row.bytesA, 1024);
  EXPECT_EQ(held->row.why, "not in the other module");
  int64_t difference = 0;
  for (const PeakLine& line : lines) difference += line.difference();
  EXPECT_GT(difference, 0);
  EXPECT_TRUE(memory().peaks().summary().contains("Hilo's plans"))
      << memory().peaks().summary().toStdString();
  Q_EMIT memory().peaks().table().activated(
      memory().peaks().table().model()->index(static_cast<int>(held - lines.begin()), 0));
  settle();
  EXPECT_EQ(selectedName(), "held");
}

TEST_F(MemoryInWindowTest, TablesAreFoundByTheirNames) {
  EXPECT_TRUE(memory().showTable("fragmentation"));
  EXPECT_TRUE(memory().tables().tabText(memory().tables().currentIndex()).startsWith("Fragmentation"));
  const Status none = memory().showTable("nothing");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "no-such-table");
}

}  // namespace
}  // namespace hilo
