// The map under keys and mouse, and the rows of the tables.
#include "ui/views/memory/memory_map.h"

#include <QAbstractItemModelTester>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/unit/ui/views/memory/planned_module.h"
#include "ui/style/colours.h"
#include "ui/views/memory/memory_rows.h"

namespace hilo {
namespace {

class MemoryMapTest : public testing::Test {
 protected:
  void SetUp() override {
    plans_ = plannedModule();
    map_.resize(700, 500);
    map_.scene().setPlan(plans_, &*plans_->hilo, "Hilo's plan");
    QObject::connect(&map_, &MemoryMap::cursorAsked, &map_.scene(), &MapScene::setCursor);
    map_.show();
  }
  std::shared_ptr<const MemoryPlans> plans_;
  MemoryMap map_;
};

TEST_F(MemoryMapTest, KeysMoveTheCursor) {
  EXPECT_EQ(map_.scene().drawn().cursor, plans_->hilo->profile.peakStep);
  QTest::keyClick(&map_, Qt::Key_Home);
  EXPECT_EQ(map_.scene().drawn().cursor, 0);
  QTest::keyClick(&map_, Qt::Key_Left);
  EXPECT_EQ(map_.scene().drawn().cursor, 0);
  QTest::keyClick(&map_, Qt::Key_Right);
  EXPECT_EQ(map_.scene().drawn().cursor, 1);
  QTest::keyClick(&map_, Qt::Key_End);
  EXPECT_EQ(map_.scene().drawn().cursor, 6);  // the end of six instructions
  QTest::keyClick(&map_, Qt::Key_P);
  EXPECT_EQ(map_.scene().drawn().cursor, plans_->hilo->profile.peakStep);
}

TEST_F(MemoryMapTest, AClickSelectsAValueAndItsStep) {
  QSignalSpy clicked(&map_, &MemoryMap::valueClicked), activated(&map_, &MemoryMap::valueActivated);
  const size_t b = valueNamed(*plans_->hilo, "b");
  const QPoint centre = map_.rectOfValue(b).center();
  QTest::mouseClick(&map_, Qt::LeftButton, {}, centre);
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked[0][0].toInt(), static_cast<int>(b));
  const LiveRange range = plans_->hilo->profile.values[b].range;
  EXPECT_GE(map_.scene().drawn().cursor, range.start);
  EXPECT_LE(map_.scene().drawn().cursor, range.end);
  QTest::mouseDClick(&map_, Qt::LeftButton, {}, centre);
  EXPECT_EQ(activated.count(), 1);
  QTest::mouseClick(&map_, Qt::LeftButton, {}, QPoint(4, 4));
  EXPECT_EQ(clicked.last()[0].toInt(), -1);
}

TEST_F(MemoryMapTest, TheWheelZoomsTimeAndWithControlAddresses) {
  const MapWindow before = map_.scene().drawn().window;
  const auto turn = [&](Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(QPointF(300, 200), map_.mapToGlobal(QPointF(300, 200)), {}, QPoint(0, 120),
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&map_, &event);
  };
  turn({});
  EXPECT_LT(map_.scene().drawn().window.steps, before.steps);
  EXPECT_EQ(map_.scene().drawn().window.height, before.height);
  turn(Qt::ControlModifier);
  EXPECT_LT(map_.scene().drawn().window.height, before.height);
  QTest::keyClick(&map_, Qt::Key_0);
  EXPECT_EQ(map_.scene().drawn().window, before);
  // A cursor that leaves what is seen takes the window along.
  map_.scene().setTimeWindow(0, 3);
  QTest::keyClick(&map_, Qt::Key_End);
  EXPECT_GE(map_.scene().drawn().window.step + map_.scene().drawn().window.steps, 6);
}

// Each step as wide as its instruction is long: what is made in half of the time takes half of the width.
TEST_F(MemoryMapTest, StepsAreAsWideAsTheirTimes) {
  map_.scene().setAxis(MapAxis::ofTimes(std::vector<double>{0, 50, 10, 10, 20, 10}));
  const LiveRange b = plans_->hilo->profile.values[valueNamed(*plans_->hilo, "b")].range;
  ASSERT_EQ(b.start, 2);
  ASSERT_EQ(b.end, 3);
  const MapWindow& window = map_.scene().drawn().window;
  EXPECT_DOUBLE_EQ(window.steps, 101);  // 100 ns, and the end
  const QRectF box = map_.scene().rectOfValue(valueNamed(*plans_->hilo, "b"), QSizeF(1010, 100));
  EXPECT_DOUBLE_EQ(box.left(), 500);
  EXPECT_DOUBLE_EQ(box.width(), 200);
  const QPoint place = map_.rectOfValue(valueNamed(*plans_->hilo, "b")).center();
  QTest::mouseClick(&map_, Qt::LeftButton, {}, place + QPoint(8, 0));
  EXPECT_EQ(map_.scene().drawn().cursor, 3);
}

TEST_F(MemoryMapTest, DrawsItsBoxes) {
  map_.scene().setCategories(std::vector<size_t>(plans_->hilo->profile.values.size(), 1));
  const QImage picture = map_.grab().toImage();
  const QRect box = map_.rectOfValue(valueNamed(*plans_->hilo, "b"));
  ASSERT_TRUE(box.isValid());
  EXPECT_EQ(picture.pixelColor(box.left() + 2, box.top() + 2), categoryColours(1, false).fill);
  map_.scene().setPlan(nullptr, nullptr, {});
  EXPECT_FALSE(map_.grab().isNull());
}

TEST(MemoryRows, ListWhatIsLiveAndGroupIt) {
  const auto plans = plannedModule();
  const MemoryPlan& plan = *plans->hilo;
  const auto rows = liveRows(*plans, plan, plan.profile.peakStep, false, 100);
  ASSERT_FALSE(rows.empty());
  int64_t sum = 0;
  for (const LiveRow& row : rows) sum += row.bytes;
  const auto fixed = liveRows(*plans, plan, plan.profile.peakStep, true, 100);
  EXPECT_EQ(fixed.size(), rows.size() + 1);  // the parameter
  EXPECT_EQ(sum + 4096, plan.profile.peakBytes);
  EXPECT_EQ(liveRows(*plans, plan, plan.profile.peakStep, true, 1).size(), 1u);
  const RankedGroups groups = rankGroups(plan.profile, *plans->module, MemoryGrouping::Scope);
  int64_t grouped = 0;
  for (const GroupRow& row : groupRows(plan, groups, plan.profile.peakStep, false)) {
    grouped += row.bytes;
    EXPECT_EQ(row.bytes, row.peakBytes);
  }
  EXPECT_EQ(grouped, sum);
}

TEST(MemoryRows, ModelsHoldTheirPromises) {
  const auto plans = plannedModule();
  const MemoryPlan& plan = *plans->hilo;
  const auto check = [](auto columns, auto rows) {
    using Row = typename decltype(rows)::value_type;
    TableModel<Row> model(std::move(columns));
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRows(std::move(rows));
    for (int column = 0; column < model.columnCount(); ++column) model.sort(column, Qt::DescendingOrder);
    EXPECT_FALSE(model.rowCount() > 0 && model.index(0, 0).data().toString().isEmpty());
  };
  check(liveColumns(), liveRows(*plans, plan, plan.profile.peakStep, true, 100));
  check(groupColumns(),
        groupRows(plan, rankGroups(plan.profile, *plans->module, MemoryGrouping::Opcode), 3, true));
  check(endColumns(), endRows(*plans));
  check(aliasColumns(), plans->aliases);
  check(copyColumns(), std::vector<CopyVerdict>{{"%copy.1", InstructionId{1}, "kept", "it changes layout"}});
  check(differenceColumns(),
        std::vector<PlacementDifference>{{.name = "a", .sizeBytes = 5, .b = PlaceKind::Output}});
}

}  // namespace
}  // namespace hilo
