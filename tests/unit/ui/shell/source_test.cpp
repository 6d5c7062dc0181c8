// Facts behind the text, and the user's own source beside it, joined by the selection.
#include <QAbstractItemModelTester>
#include <QMenu>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/search/search_view.h"
#include "ui/views/source/source_view.h"
#include "ui/views/text/text_pane.h"

namespace hilo {
namespace {

class SourceTest : public StudioTest {
 protected:
  // model.py as the small module names it: line 3 became the dot.
  void giveSources() {
    ASSERT_TRUE(QDir(folder_.path()).mkpath("program"));
    write("program/model.py", "import jax\n\nx = jax.dot(a, b)\ny = x\n");
    window_->files().setSourceRoots({folder_.filePath("program")});
  }
  QString shownText() { return QString::fromStdString(window_->view<SourceView>().text().lines().text()); }
};

TEST_F(SourceTest, SelectingAnInstructionShowsItsLine) {
  giveSources();
  openSmall();
  window_->showView("source");
  window_->goToName("dot.1");
  settle();
  SourceView& source = window_->view<SourceView>();
  EXPECT_EQ(shownText(), "import jax\n\nx = jax.dot(a, b)\ny = x\n");
  EXPECT_EQ(source.text().caret().place().line, 2u);
  ASSERT_EQ(source.model().rows().size(), 1u);
  EXPECT_EQ(source.model().rows()[0].line, 3);
  EXPECT_TRUE(source.head().contains("1 of 4 lines")) << source.head().toStdString();
  QAbstractItemModelTester tester(const_cast<TableModel<FrameRow>*>(&source.model()),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  window_->goToName("out");
  EXPECT_TRUE(source.model().rows().empty());
}

TEST_F(SourceTest, TheCaretOnALineSelectsAndEnterListsWhatCameFromIt) {
  giveSources();
  openSmall();
  window_->showView("source");
  window_->goToName("dot.1");
  settle();
  window_->goToName("spread");
  ASSERT_EQ(selectedName(), "spread");
  TextView& text = window_->view<SourceView>().text();
  text.setFocus();
  QTest::keyClick(&text, Qt::Key_Up);
  EXPECT_EQ(selectedName(), "spread") << "nothing came from this line";
  QTest::keyClick(&text, Qt::Key_Down);
  EXPECT_EQ(selectedName(), "dot.1") << "its line";
  QTest::keyClick(&text, Qt::Key_Return);
  settle();
  EXPECT_EQ(window_->view<SearchView>().box().text(), "source:\"model.py:3\"");
  ASSERT_EQ(window_->view<SearchView>().model().rows().size(), 1u);
  EXPECT_EQ(window_->view<SearchView>().model().rows()[0].name, "dot.1");
}

// Also of a line that nothing came from.
TEST_F(SourceTest, AnyLineOpensInTheEditor) {
  giveSources();
  openSmall();
  window_->showView("source");
  window_->goToName("dot.1");
  settle();
  SourceView& source = window_->view<SourceView>();
  source.text().goTo({3, 0});
  settings_->set("editor", "/bin/true {file}:{line}");
  std::vector<OpenSource> opened;
  QObject::connect(&window_->bus(), &SelectionBus::asked, window_.get(), [&](const ViewAsk& what) {
    if (const auto* at = std::get_if<OpenSource>(&what)) opened.push_back(*at);
  });
  QMenu menu;
  Q_EMIT source.text().menuAsked(&menu);
  for (QAction* action : menu.actions()) {
    if (action->text() == "Open in editor") action->trigger();
  }
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(opened[0].file, "model.py");
  EXPECT_EQ(opened[0].line, 4);
}

TEST_F(SourceTest, WithoutAFolderTheViewSaysHowToGiveOne) {
  openSmall();
  window_->showView("source");
  window_->goToName("dot.1");
  settle();
  EXPECT_TRUE(window_->view<SourceView>().head().contains("--source-root"))
      << window_->view<SourceView>().head().toStdString();
  EXPECT_EQ(window_->view<SourceView>().model().rows().size(), 1u) << "the stack is known all the same";
  giveSources();
  settle();
  EXPECT_EQ(window_->view<SourceView>().text().caret().place().line, 2u)
      << "and a folder given later is used at once";
}

TEST_F(SourceTest, FactsStandBehindInstructionsAndCanBeHidden) {
  openSmall();
  window_->showView("text");
  settle();
  TextPane& pane = window_->view<TextPane>();
  const auto factsOf = [&](const char* start) {
    for (uint32_t line = 0; line < pane.text().lines().count(); ++line) {
      if (pane.text().lines().lineText(line).trimmed().startsWith(start)) return pane.factsAt(line);
    }
    return QString("no such line");
  };
  // 4 x 4 floats; 2 * 4 * 4 * 8 flops; alive are x, y (128 bytes each) and the dot itself.
  EXPECT_EQ(factsOf("%dot.1 ="), "64 B  256 flops  live 320 B");
  EXPECT_EQ(factsOf("%a ="), "4 B") << "a parameter of what a reduction applies is in no buffer";
  EXPECT_EQ(factsOf("ENTRY"), "");
  QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);  // the text alone, so that there is room
  settle();
  const QImage shown = pane.text().grab().toImage();
  QTest::keyClick(window_.get(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_FALSE(pane.factsShown());
  EXPECT_NE(pane.text().grab().toImage(), shown);
  EXPECT_FALSE(settings_->get("facts", true).toBool());
}

TEST_F(SourceTest, TheTableOfFramesShowsStacks) {
  QByteArray module(kSmallModule);
  module.replace("\n\n%add_float", R"(

FileNames
1 "/job/model.py"
2 "/job/train.py"

FunctionNames
1 "layer"
2 "main"

FileLocations
1 {file_name_id=2 function_name_id=2 line=40 end_line=40 column=1 end_column=2}
2 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}


%add_float)");
  window_->files().open(write("frames.hlo", module));
  window_->showView("text");
  settle();
  TextPane& pane = window_->view<TextPane>();
  uint32_t head = 0;
  while (pane.text().lines().line(head) != "StackFrames") ++head;
  EXPECT_EQ(pane.factsAt(head + 1), "train.py:40 main");
  EXPECT_EQ(pane.factsAt(head + 2), "model.py:12 layer  <  train.py:40 main");
  EXPECT_EQ(pane.factsAt(head + 3), "");
}

}  // namespace
}  // namespace hilo
