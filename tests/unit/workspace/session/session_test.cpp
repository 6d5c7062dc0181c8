#include "core/workspace/session/session.h"

#include <filesystem>

#include "core/analysis/cost_facts.h"
#include "core/workspace/session/comparable.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/values/first_divergence.h"
#include "tests/unit/workspace/session/session_fixture.h"

namespace hilo {
namespace {

constexpr const char* kDump = "resources/samples/dump";

TEST_F(SessionTest, TheFirstModuleOfADumpBecomesCurrentAtItsLastStage) {
  session_->open(std::string(kDump) + "/");
  EXPECT_TRUE(session_->busy());
  settle();
  EXPECT_FALSE(session_->busy());
  ASSERT_EQ(session_->documents().size(), 1u);
  const Document& dump = *session_->documents()[0];
  EXPECT_EQ(dump.path, kDump);
  EXPECT_EQ(dump.title, "dump");
  ASSERT_NE(session_->current(), nullptr);
  EXPECT_EQ(dump.stages[0].back(), session_->current()->id);
  EXPECT_EQ(session_->series().size(), 1u);
  EXPECT_EQ(all<CurrentChanged>().size(), 1u);
}

TEST_F(SessionTest, WhatCannotBeOpenedIsToldAndLeavesTheSessionIdle) {
  session_->open("nowhere.hlo");
  settle();
  ASSERT_EQ(all<Failed>().size(), 1u);
  EXPECT_EQ(all<Failed>()[0].what, "Could not open nowhere.hlo");
  EXPECT_EQ(all<Failed>()[0].why.kind, "file-not-found");
  EXPECT_FALSE(session_->busy());
}

TEST_F(SessionTest, OpeningTwiceAtOnceIsNotBusyForEver) {
  session_->open(kDump);
  session_->open(kDump);
  settle();
  EXPECT_FALSE(session_->busy());
  EXPECT_EQ(session_->documents().size(), 1u);
}

TEST_F(SessionTest, ClosingADocumentClosesItsSnapshotsAndSeries) {
  session_->open(kDump);
  settle();
  const SnapshotId shown = session_->current()->id;
  session_->close(session_->documents()[0]->id);
  EXPECT_EQ(session_->snapshot(shown), nullptr);
  EXPECT_EQ(session_->current(), nullptr);
  EXPECT_TRUE(session_->series().empty());
  EXPECT_EQ(all<SeriesClosed>().size(), 1u);
}

TEST_F(SessionTest, WhatIsShownIsToldOnceForEachModule) {
  session_->setCurrent(addModule());
  EXPECT_FALSE(session_->isShown());
  session_->noteShown();
  session_->noteShown();
  EXPECT_EQ(all<CurrentShown>().size(), 1u);
}

TEST_F(SessionTest, AllButTheCurrentModuleCanBeComparedWithIt) {
  session_->open(kDump);
  settle();
  const size_t stages = session_->documents()[0]->stages[0].size();
  const auto others = comparable(*session_);
  ASSERT_EQ(others.size(), stages - 1);
  compareWithCurrent(*session_, others[0].second);
  EXPECT_EQ(session_->series().size(), 2u);
  EXPECT_EQ(session_->series()[1].series->steps.size(), 2u);
}

TEST_F(SessionTest, ASavedSessionComesBackWithItsDocuments) {
  const std::string path = testing::TempDir() + "/session_test.hilo";
  std::filesystem::remove(path);
  session_->open(kDump);
  settle();
  session_->file().saveAs(path, {{"page", "1"}});
  settle();
  ASSERT_EQ(all<FileSaved>().size(), 1u);
  EXPECT_EQ(session_->file().path(), path);
  EXPECT_FALSE(session_->file().isModified());
  session_->open(path);
  settle();
  ASSERT_EQ(all<FileOpened>().size(), 1u);
  EXPECT_EQ(all<FileOpened>()[0].viewState.at("page"), "1");
  EXPECT_EQ(session_->documents()[0]->title, "dump");
  std::filesystem::remove(path);
}

TEST(SessionPaths, OnePathHasOneSpelling) {
  EXPECT_EQ(cleanPath("a/./b//c/../d/"), "a/b/d");
  EXPECT_EQ(cleanPath("/"), "/");
  EXPECT_EQ(cleanPath("-"), "-");
  EXPECT_EQ(titleOfPath("a/dump/"), "dump");
  EXPECT_EQ(titleOfPath("/"), "/");
}

}  // namespace
}  // namespace hilo
