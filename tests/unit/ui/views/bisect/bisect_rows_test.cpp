#include "ui/views/bisect/bisect_rows.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "core/hlo/text/parse.h"
#include "ui/views/bisect/size_chart.h"

namespace hilo {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

Bisection twoLooks() {
  Bisection search;
  search.steps = {"input", "cse"};
  search.looks = {{0, "input", -1, {Sight::Good}}, {1, "cse", 3, {Sight::Unknown, "", "no engine"}}};
  return search;
}

TEST(BisectRows, ModelsKeepTheRulesOfQt) {
  TableModel<LookRow> looks(lookColumns());
  const QAbstractItemModelTester lookTester(&looks, Mode::Fatal);
  looks.setRows(lookRowsOf(twoLooks()));
  looks.sort(3, Qt::DescendingOrder);
  EXPECT_EQ(looks.index(0, 3).data().toString(), "all");
  EXPECT_EQ(looks.index(1, 4).data().toString(), "unknown");
  EXPECT_EQ(looks.index(1, 5).data().toString(), "no engine");
  looks.setRows({});
  EXPECT_EQ(looks.rowCount(), 0);

  const std::shared_ptr<const Module> module = *parseModuleStrictly(
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}");
  Reduction reduction;
  reduction.steps = {{"leave-out", 2, module, 1'500'000}};
  TableModel<ReducedRow> steps(reducedColumns());
  const QAbstractItemModelTester stepTester(&steps, Mode::Fatal);
  steps.setRows(reducedRowsOf(module, reduction));
  EXPECT_EQ(steps.rowCount(), 2);
  EXPECT_EQ(steps.index(1, 1).data().toString(), "leave-out");
  EXPECT_EQ(steps.index(1, 3).data().toString(), "2");
  TableModel<MoveTally> moves(moveColumns());
  const QAbstractItemModelTester moveTester(&moves, Mode::Fatal);
  moves.setRows({{"enter", 5, 3, 1}});
  EXPECT_EQ(moves.index(0, 3).data().toString(), "1");
}

TEST(BisectRows, TheAnswerNamesPassRewriteAndInstruction) {
  Bisection found = twoLooks();
  found.pass = "cse";
  found.end = {Sight::Bad, "differs", "4 of 8 elements differ"};
  found.rewrite = BadRewrite{.good = 2, .bad = 3, .instruction = NamedInstruction{{}, "add.5"}};
  EXPECT_EQ(answerOf(found).toStdString(),
            "cse broke it. Rewrite 3 of this run, of %add.5. differs: 4 of 8 elements differ");
  found.outcome = BisectOutcome::GoodAtEnd;
  EXPECT_TRUE(answerOf(found).startsWith("Good after the last pass"));
}

TEST(SizeChart, SmallerStandsLowerAndLaterFurtherRight) {
  const auto places = layOutSizes({{0, 20'000}, {500, 100}, {1000, 9}}, QRect(10, 10, 200, 100));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0], QPoint(10, 10));
  EXPECT_GT(places[1].y(), places[0].y());
  EXPECT_GT(places[2].y(), places[1].y());
  EXPECT_EQ(places[2].x(), 209);
  EXPECT_TRUE(layOutSizes({}, QRect(0, 0, 5, 5)).empty());
}

}  // namespace
}  // namespace hilo
