#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "ui/shell/startup_timing.h"
#include "ui/shell/studio_settings.h"

namespace hilo {
namespace {

TEST(StudioSettings, KeepsRecentFilesNewestFirst) {
  QTemporaryDir folder;
  const QString path = folder.filePath("studio.ini");
  {
    StudioSettings settings(path);
    for (int i = 0; i < StudioSettings::kRecentLimit + 3; ++i)
      settings.addRecent(QString("/tmp/%1.hlo").arg(i));
    settings.addRecent("/tmp/9.hlo");
    settings.setLastSelection("/tmp/9.hlo", "dot.1");
  }
  StudioSettings again(path);
  EXPECT_EQ(again.recent().size(), StudioSettings::kRecentLimit);
  EXPECT_EQ(again.recent().front(), "/tmp/9.hlo");
  EXPECT_EQ(again.recent().count("/tmp/9.hlo"), 1);
  EXPECT_EQ(again.lastSelection("/tmp/9.hlo"), "dot.1");
}

TEST(StudioSettings, WithoutAFileRemembersNothing) {
  StudioSettings settings{QString()};
  settings.addRecent("/tmp/a.hlo");
  settings.set("dark", true);
  EXPECT_TRUE(settings.recent().isEmpty());
  EXPECT_FALSE(settings.get("dark", false).toBool());
}

TEST(StartupTiming, KeepsTheFirstTimeOfEach) {
  StartupTiming timing;
  timing.reached("a");
  timing.reached("b");
  const std::string before = timing.report();
  timing.reached("a");
  EXPECT_EQ(timing.report(), before);
  EXPECT_TRUE(timing.has("b"));
  EXPECT_FALSE(timing.has("c"));
}

}  // namespace
}  // namespace hilo
