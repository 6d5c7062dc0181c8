// views.def walked: each view is made, and drawn with nothing open and over a module.
#include "ui/shell/views.h"

#include <QDir>
#include <QImage>
#include <QSet>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/render.h"

namespace hilo {
namespace {

qsizetype colourCount(const QImage& image) {
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
  }
  return colours.size();
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const QString& name : viewNames()) all.push_back(name.toStdString());
  return all;
}

TEST(ViewTable, HasALineForEachFolderOfViews) {
  QStringList known;
  for (const ViewInfo& info : viewTable()) known << info.name;
  known.sort();
  EXPECT_EQ(known, QDir("ui/views").entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name));
}

class ViewOfTable : public StudioTest, public testing::WithParamInterface<std::string> {
 protected:
  QString name() const { return QString::fromStdString(GetParam()); }
};

TEST_P(ViewOfTable, IsMadeAndDrawnWithNothingOpen) {
  QWidget* drawn = window_->drawn(name());
  ASSERT_NE(drawn, nullptr);
  window_->showView(name());
  settle();
  EXPECT_FALSE(drawn->grab().isNull());
  const Status picture = renderView(*window_, {.view = name(), .output = folder_.filePath("empty.png")});
  if (!picture) EXPECT_EQ(picture.error().kind, "nothing-open") << toString(picture.error());
}

// Text and lines are on it, not one flat colour.
TEST_P(ViewOfTable, DrawsAModule) {
  window_->files().open(write("small.hlo", kSmallModule));
  const QString path = folder_.filePath("view.png");
  const Status drawn = renderView(*window_, {.view = name(), .output = path, .size = {900, 600}});
  ASSERT_TRUE(drawn) << toString(drawn.error());
  const QImage image(path);
  EXPECT_EQ(image.size(), QSize(900, 600));
  EXPECT_GT(colourCount(image), 20);
}

TEST_P(ViewOfTable, DrawsASampleInTheDarkTheme) {
  window_->setTheme(true);
  window_->files().open("resources/samples/transformer_step.hlo");
  const QString path = folder_.filePath("view.png");
  const Status drawn = renderView(*window_, {.view = name(), .output = path, .size = {900, 600}});
  ASSERT_TRUE(drawn) << toString(drawn.error());
  EXPECT_EQ(QImage(path).size(), QSize(900, 600));
}

TEST_P(ViewOfTable, CopiesACommandThatNamesTheFile) {
  openSmall();
  View* view = window_->view(name());
  const ShownState state{.view = name()};
  const QString line = view == nullptr ? pictureCommand(*session_, state) : view->commandLine(state);
  EXPECT_TRUE(line.contains(folder_.filePath("small.hlo"))) << line.toStdString();
}

INSTANTIATE_TEST_SUITE_P(Views, ViewOfTable, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hilo
