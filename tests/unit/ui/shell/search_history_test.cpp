// The search box remembers what was asked, and tables begin with the largest and show the columns one wants.
#include <QHeaderView>
#include <QMenu>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/search/search_view.h"
#include "ui/widgets/column_menu.h"

namespace hilo {
namespace {

class SearchHistoryTest : public StudioTest {
 protected:
  SearchView& search() { return window_->view<SearchView>(); }
  void ask(const QString& query) {
    search().search(query);
    settle();
  }
};

TEST_F(SearchHistoryTest, UpGoesThroughWhatWasAskedAndDownComesBack) {
  openSmall();
  ask("opcode:dot");
  window_->bus().ask(SearchFor{"opcode:reduce"});
  settle();
  QueryBox& box = search().box();
  QTest::keyClick(&box, Qt::Key_Up);
  EXPECT_EQ(box.text(), "opcode:dot");
  QTest::keyClick(&box, Qt::Key_Up);
  EXPECT_EQ(box.text(), "opcode:dot");
  QTest::keyClick(&box, Qt::Key_Down);
  EXPECT_EQ(box.text(), "opcode:reduce");
}

TEST_F(SearchHistoryTest, WhatIsTypedIsNotLost) {
  openSmall();
  ask("opcode:dot");
  QueryBox& box = search().box();
  box.setText("opcode:mul");
  box.hideCompletions();
  QTest::keyClick(&box, Qt::Key_Up);
  EXPECT_EQ(box.text(), "opcode:dot");
  QTest::keyClick(&box, Qt::Key_Down);
  EXPECT_EQ(box.text(), "opcode:mul");
}

TEST_F(SearchHistoryTest, HitsSayTheirSourceAndWhatTheyAccess) {
  openSmall();
  ask("opcode:dot");
  ASSERT_EQ(search().model().rows().size(), 1u);
  EXPECT_EQ(search().model().rows()[0].source, "model.py:3");
  EXPECT_EQ(search().model().rows()[0].accessed, (4 * 8 + 8 * 4 + 4 * 4) * 4);
  EXPECT_GT(search().model().rows()[0].timeNs, 0);
  ask("name:a");  // within the sum: it takes no time of its own
  ASSERT_EQ(search().model().rows().size(), 1u);
  EXPECT_EQ(search().model().rows()[0].timeNs, 0);
}

TEST_F(SearchHistoryTest, AColumnOfNumbersBeginsWithTheLargest) {
  openSmall();
  ask("type:f32");
  TableView& table = search().table();
  int bytes = 0;
  while (table.model()->headerData(bytes, Qt::Horizontal).toString() != "bytes") ++bytes;
  QTest::mouseClick(table.header()->viewport(), Qt::LeftButton, {},
                    QPoint(table.header()->sectionViewportPosition(bytes) + 20, 5));
  EXPECT_EQ(search().model().rows().front().bytes, 4 * 8 * 4);
}

TEST_F(SearchHistoryTest, ColumnsAreChosenAndOneStays) {
  openSmall();
  TableView& table = search().table();
  QMenu menu;
  addColumns(menu, table);
  ASSERT_EQ(menu.actions().size(), table.model()->columnCount());
  for (int column = 1; column < table.model()->columnCount(); ++column)
    menu.actions()[column]->setChecked(false);
  EXPECT_EQ(table.header()->hiddenSectionCount(), table.model()->columnCount() - 1);
  QMenu next;
  addColumns(next, table);
  EXPECT_FALSE(next.actions()[0]->isEnabled());
  EXPECT_TRUE(next.actions()[1]->isEnabled());
}

}  // namespace
}  // namespace hilo
