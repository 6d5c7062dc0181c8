#include "ui/shell/render.h"

#include <QImage>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/file/file_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"

namespace hilo {
namespace {

using RenderTest = StudioTest;

TEST_F(RenderTest, DrawsAFileOfADumpAndTwoModulesCompared) {
  const QString picture = folder_.filePath("view.png");
  window_->files().open("resources/samples/dump");
  const Status file = renderView(*window_, {.view = "file", .output = picture, .query = "buffer assignment"});
  ASSERT_TRUE(file) << toString(file.error());
  EXPECT_TRUE(window_->view<FileView>().path().endsWith("-buffer-assignment.txt"));
  EXPECT_EQ(renderView(*window_, {.view = "file", .output = picture, .query = "no such"}).error().kind,
            "no-such-file");
  session_->close(session_->documents().front()->id);
  const QStringList inputs = {write("a.hlo", kSmallModule),
                              write("b.hlo", QByteArray(kSmallModule).replace("negate", "cosine"))};
  for (const QString& input : inputs) window_->files().open(input);
  const Status compared = renderView(*window_, {.view = "passes", .output = picture, .inputs = inputs});
  ASSERT_TRUE(compared) << toString(compared.error());
  const auto& changes = window_->view<PassesView>().lists().changes().rows();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::Changed);
  EXPECT_EQ(changes[0].what, "opcode");
}

// A run of it would take minutes.
TEST_F(RenderTest, WhatIsTooLargeToRunIsSaidInBothViewsOfRuns) {
  window_->files().open("resources/samples/transformer_step.hlo");
  const Status drawn = renderView(*window_, {.view = "compare", .output = folder_.filePath("compare.png")});
  ASSERT_TRUE(drawn) << toString(drawn.error());
  for (const QString& text : {window_->view<RunsView>().message(), window_->view<CompareView>().verdict()})
    EXPECT_TRUE(text.startsWith("Not run for this picture")) << text.toStdString();
}

TEST_F(RenderTest, TheWindowHasTheSizeThatWasAskedFor) {
  window_->hide();
  makeWindow();
  openSmall();
  const QString picture = folder_.filePath("window.png");
  const Status drawn = renderView(*window_, {.view = "window", .output = picture, .size = {800, 600}});
  ASSERT_TRUE(drawn) << toString(drawn.error());
  EXPECT_EQ(QImage(picture).size(), QSize(800, 600));
}

TEST_F(RenderTest, SaysWhatIsWrong) {
  const auto kindOf = [&](const RenderRequest& request) {
    const Status drawn = renderView(*window_, request);
    return drawn ? std::string() : drawn.error().kind;
  };
  EXPECT_EQ(kindOf({.view = "nonsense"}), "unknown-view");
  EXPECT_EQ(kindOf({.view = "graph", .output = folder_.filePath("a.png")}), "nothing-open");
  EXPECT_EQ(kindOf({.view = "graph", .output = folder_.filePath("a.png"), .select = "nobody"}),
            "nothing-open");
  openSmall();
  EXPECT_EQ(kindOf({.view = "graph", .output = folder_.filePath("a.png"), .select = "nobody"}),
            "no-such-name");
  EXPECT_EQ(kindOf({.view = "tree", .output = folder_.filePath("no/such/folder/a.png")}), "file-not-written");
}

}  // namespace
}  // namespace hilo
