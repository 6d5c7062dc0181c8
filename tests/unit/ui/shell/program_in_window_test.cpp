// A saved program in the window: its thunks, bytes and machine code, measured and run; and files
// that are none.
#include <QAbstractItemModel>
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QTest>
#include <QUrl>

#include "core/runtime/program/program_file.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/thunks/compile_report.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/problems/problems_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/views/tree/tree_view.h"

namespace hilo {
namespace {

class ProgramInWindowTest : public StudioTest {
 protected:
  ThunksView& thunks() { return window_->view<ThunksView>(); }
  // small.hlo, compiled and saved.
  QString save() {
    const auto file = openFile(toStdString(write("small.hlo", kSmallModule)));
    const auto& module = (*file)->module;
    const QString path = folder_.filePath("small.program");
    EXPECT_TRUE(compileAndReport({.module = module, .savePath = toStdString(path)}));
    return path;
  }
  static std::string toStdString(const QString& text) { return text.toStdString(); }
  void open(const QString& path) {
    window_->files().open(path);
    ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() > 0; }, 60'000))
        << thunks().head().toStdString();
    settle();
  }
  QString failure() {
    QString said;
    const auto saying = QObject::connect(
        &window_->context().changes, &SessionChanges::failed, window_.get(),
        [&](const QString&, const Diagnostic& why) { said = QString::fromStdString(toString(why)); });
    window_->files().open(folder_.filePath("small.program"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return !said.isEmpty(); }, 60'000));
    QObject::disconnect(saying);
    return said;
  }
};

TEST_F(ProgramInWindowTest, droppedItShowsItsThunksBytesAndMachineCode) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(save())});
  QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window_.get(), &enter);
  QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window_.get(), &drop);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() > 0; }, 60'000));
  settle();
  EXPECT_TRUE(thunks().isVisible());
  EXPECT_TRUE(thunks().head().contains("no data races")) << thunks().head().toStdString();
  EXPECT_TRUE(window_->windowTitle().contains("small.program")) << window_->windowTitle().toStdString();
  thunks().table().setFocus();
  QTest::keyClick(&thunks().table(), Qt::Key_Home);
  EXPECT_GT(thunks().dependencies().uses().rowCount(), 1);
  thunks().tabs().setCurrentWidget(&thunks().kernel());
  const auto& rows = thunks().table().rows().rows();
  for (int row = 0; row < thunks().table().rows().rowCount(); ++row) {
    if (rows[static_cast<size_t>(row)].facts.kind == "kernel")
      thunks().table().setCurrentIndex(thunks().table().rows().index(row, 0));
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().kernel().formCount() == 1; }, 60'000));
  const std::string code = thunks().kernel().form(0).text;
  EXPECT_TRUE(code.contains("kernel:\n") && code.contains("ret")) << code;
  EXPECT_TRUE(code.contains(".L")) << "where loops jump to\n" << code;
}

TEST_F(ProgramInWindowTest, aThunkIsFoundByItsName) {
  open(save());
  const auto& rows = thunks().table().rows().rows();
  const QString last = QString::fromStdString(rows.back().facts.name);
  ASSERT_TRUE(window_->goToName(last));
  EXPECT_EQ(thunks().table().rows().rowAt(thunks().table().currentIndex())->facts.name, last.toStdString());
  EXPECT_FALSE(window_->goToName("no such thunk"));
}

TEST_F(ProgramInWindowTest, itIsMeasuredAndRunWithoutItsModule) {
  open(save());
  QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().isMeasured(); }, 60'000))
      << thunks().head().toStdString();
  for (const ThunkTableRow& row : thunks().table().rows().rows()) EXPECT_GE(row.facts.measuredNs, 0);
  window_->showView("runs");
  QTest::mouseClick(&window_->view<RunsView>().form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return window_->view<RunsView>().list().model().rowCount() == 1; }, 60'000))
      << window_->view<RunsView>().message().toStdString();
  EXPECT_EQ(window_->view<RunsView>().list().model().rows()[0].engine, "program");
  EXPECT_FALSE(window_->view<RunsView>().form().against().isEnabled())
      << "it runs alone, on no engine of choice";
}

TEST_F(ProgramInWindowTest, besideAModuleEachIsAClickAway) {
  const QString path = save();
  openSmall();
  open(path);
  const int ofProgram = thunks().table().rows().rowCount();
  ASSERT_EQ(session_->documents().size(), 2u);
  EXPECT_NE(session_->shownCompiled(), nullptr);
  // The module's own thunks, as it stands: none of the fusions that the passes before saving made.
  window_->goToName("dot.1");
  window_->showView("thunks");
  settle();
  EXPECT_EQ(session_->shownCompiled(), nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().table().rows().rowCount() > ofProgram; }, 60'000))
      << thunks().head().toStdString();
  session_->showCompiled(session_->documents()[1]->id);
  settle();
  EXPECT_EQ(thunks().table().rows().rowCount(), ofProgram);
  session_->close(session_->documents()[1]->id);
  settle();
  EXPECT_GT(thunks().table().rows().rowCount(), ofProgram);
}

TEST_F(ProgramInWindowTest, aDamagedFileIsAProblemWithItsReason) {
  QFile file(save());
  ASSERT_TRUE(file.open(QFile::ReadWrite));
  const QByteArray whole = file.readAll();
  QByteArray damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write("small.program", damaged);
  EXPECT_TRUE(failure().contains("damaged-file"));
  write("small.program", whole.left(whole.size() / 2));
  const QString cut = failure();
  EXPECT_TRUE(cut.contains("truncated-file") || cut.contains("damaged-file")) << cut.toStdString();
  EXPECT_TRUE(session_->documents().empty());
}

TEST_F(ProgramInWindowTest, forAnotherMachineItIsShownAndSaysWhatThisOneLacks) {
  const QString path = save();
  auto program = loadProgram(toStdString(path));
  ASSERT_TRUE(program);
  program->target.features.emplace_back("avx1024");
  ASSERT_TRUE(saveProgram(*program, toStdString(path)));
  open(path);
  EXPECT_TRUE(thunks().head().contains("avx1024")) << thunks().head().toStdString();
  QTest::mouseClick(&thunks().nextButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks().head().contains("Profile: "); }, 60'000));
  EXPECT_FALSE(thunks().isMeasured());
}

}  // namespace
}  // namespace hilo
