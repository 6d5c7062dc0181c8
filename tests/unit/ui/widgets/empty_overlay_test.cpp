// What a table without rows says stays inside of it, in whole lines.
#include "ui/widgets/empty_overlay.h"

#include <gtest/gtest.h>

#include <QStringListModel>
#include <QTest>
#include <QTreeView>

namespace hilo {
namespace {

// Lines of text that the label shows whole.
int linesShown(const EmptyOverlay& overlay) {
  return (overlay.height() - 2 * overlay.margin()) / overlay.fontMetrics().lineSpacing();
}

TEST(EmptyOverlay, GivesUpItsMarginBeforeItsLastLine) {
  QStringListModel model;
  QTreeView view;
  view.setHeaderHidden(true);
  view.setModel(&model);
  auto* overlay = new EmptyOverlay(&view, "one\ntwo\nthree");
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  for (int height = 300; height > 5 * overlay->fontMetrics().lineSpacing(); --height) {
    view.resize(400, height);
    EXPECT_GE(linesShown(*overlay), 3) << height;
  }
}

TEST(EmptyOverlay, HidesWhileThereAreRows) {
  QStringListModel model;
  QTreeView view;
  view.setModel(&model);
  auto* overlay = new EmptyOverlay(&view, "nothing");
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  EXPECT_TRUE(overlay->isVisible());
  model.setStringList({"a row"});
  EXPECT_FALSE(overlay->isVisible());
}

}  // namespace
}  // namespace hilo
