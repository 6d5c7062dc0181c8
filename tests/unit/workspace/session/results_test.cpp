#include <condition_variable>

#include "core/analysis/cost_facts.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/value_study.h"
#include "tests/unit/workspace/session/session_fixture.h"

namespace hilo {
namespace {

using Cost = std::shared_ptr<const ModuleCost>;

class ResultsTest : public SessionTest {
 protected:
  // Keeps the only worker busy until it is cancelled, so that what is asked for next stays queued.
  JobId block() {
    return jobs_.submit(
        "block", "Block",
        [](JobContext& job) -> Result<int> {
          while (!job.cancelled()) std::this_thread::yield();
          return 0;
        },
        [](Result<int>) {});
  }
  ResultTable table_{jobs_, [this](const SessionEvent& event) { events_.push_back(event); }};
};

TEST_F(ResultsTest, ARequestIsAnsweredOnceItIsMade) {
  const SnapshotId id = addModule();
  session_->request(id, ResultKind::Cost);
  EXPECT_EQ(session_->result<ResultKind::Cost>(id), nullptr);
  settle();
  ASSERT_NE(session_->result<ResultKind::Cost>(id), nullptr);
  EXPECT_EQ(session_->result<ResultKind::Cost>(id)->total().flops, 0);
  ASSERT_EQ(all<ResultReady>().size(), 1u);
  EXPECT_EQ(all<ResultReady>()[0].snapshot, id);
  EXPECT_EQ(all<ResultReady>()[0].kind, ResultKind::Cost);
}

TEST_F(ResultsTest, WhatIsAskedForTwiceIsCountedOnce) {
  const SnapshotId id = addModule();
  session_->request(id, ResultKind::Cost);
  session_->request(id, ResultKind::Cost);
  settle();
  const Cost first = session_->result<ResultKind::Cost>(id);
  session_->request(id, ResultKind::Cost);
  EXPECT_EQ(all<ResultReady>().size(), 2u) << "at once, when it is there";
  settle();
  EXPECT_EQ(session_->result<ResultKind::Cost>(id), first);
  EXPECT_EQ(jobsCalled("Count costs of m"), 1u);
}

TEST_F(ResultsTest, OfTheResultsOfOneKindTheNewestIsKept) {
  ResultWork<ResultKind::Values> older = [](JobContext& job) -> Result<std::shared_ptr<ValueStudy>> {
    while (!job.cancelled()) std::this_thread::yield();
    return cancelledError();
  };
  ResultWork<ResultKind::Values> newer = [](JobContext&) -> Result<std::shared_ptr<ValueStudy>> {
    return fail("of-the-newer", "there are none");
  };
  table_.make<ResultKind::Values>(SnapshotId{0}, "a", std::move(older));
  table_.make<ResultKind::Values>(SnapshotId{1}, "b", std::move(newer));
  settle();
  ASSERT_EQ(all<Failed>().size(), 1u);
  EXPECT_EQ(all<Failed>()[0].why.kind, "of-the-newer");
  EXPECT_TRUE(all<ResultReady>().empty());
}

TEST_F(ResultsTest, CountingGoesOnForEachSnapshot) {
  const SnapshotId a = addModule(), b = addModule();
  session_->request(a, ResultKind::Cost);
  session_->request(b, ResultKind::Cost);
  settle();
  EXPECT_NE(session_->result<ResultKind::Cost>(a), nullptr);
  EXPECT_NE(session_->result<ResultKind::Cost>(b), nullptr);
}

TEST_F(ResultsTest, ClosingADocumentCancelsWhatIsMadeOfIt) {
  session_->open("resources/samples/dump");
  settle();
  const SnapshotId id = session_->current()->id;
  const std::string title = session_->current()->title;
  const JobId blocking = block();
  session_->request(id, ResultKind::Buffers);
  session_->close(session_->documents()[0]->id);
  jobs_.cancel(blocking);
  settle();
  const std::vector<JobInfo> jobs = jobs_.jobs();
  const auto job = std::ranges::find(jobs, "Read the buffers of " + title, &JobInfo::title);
  ASSERT_NE(job, jobs.end());
  EXPECT_EQ(job->state, JobState::Cancelled);
  EXPECT_TRUE(all<ResultReady>().empty());
  EXPECT_TRUE(all<Failed>().empty());
}

TEST_F(ResultsTest, ResultsGoWithTheirSnapshot) {
  session_->open("resources/samples/dump");
  settle();
  const SnapshotId id = session_->current()->id;
  session_->request(id, ResultKind::Buffers);
  settle();
  std::weak_ptr<const ModuleBuffers> buffers = session_->result<ResultKind::Buffers>(id);
  EXPECT_FALSE(buffers.expired());
  session_->close(session_->documents()[0]->id);
  EXPECT_TRUE(buffers.expired());
  EXPECT_EQ(session_->result<ResultKind::Buffers>(id), nullptr);
}

TEST_F(ResultsTest, AJobTheUserCancelsCanBeAskedForAgain) {
  const SnapshotId id = addModule();
  const JobId blocking = block();
  session_->request(id, ResultKind::Cost);
  jobs_.cancel(jobs_.jobs().back().id);
  drain();
  session_->request(id, ResultKind::Cost);
  jobs_.cancel(blocking);
  settle();
  EXPECT_NE(session_->result<ResultKind::Cost>(id), nullptr);
}

TEST_F(ResultsTest, NothingIsMadeWhereThereIsNothingToMakeItOf) {
  const SnapshotId id = addModule();
  session_->request(id, ResultKind::Buffers);
  session_->request(id, ResultKind::Divergence);
  session_->request(SnapshotId{7}, ResultKind::Cost);
  settle();
  EXPECT_TRUE(jobs_.jobs().empty());
  EXPECT_TRUE(all<ResultReady>().empty());
}

TEST_F(ResultsTest, WhatIsFoundElsewhereIsKeptForOpenSnapshotsAlone) {
  const SnapshotId id = addModule();
  session_->setResult<ResultKind::Divergence>(id, std::make_shared<const Divergence>());
  session_->setResult<ResultKind::Divergence>(SnapshotId{7}, std::make_shared<const Divergence>());
  EXPECT_NE(session_->result<ResultKind::Divergence>(id), nullptr);
  EXPECT_EQ(session_->result<ResultKind::Divergence>(SnapshotId{7}), nullptr);
  EXPECT_EQ(all<ResultReady>().size(), 1u);
}

}  // namespace
}  // namespace hilo
