#include "ui/views/graph/graph_worker.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/hlo/text/parse.h"
#include "tests/support/qt/ui_jobs.h"

namespace hilo {
namespace {

// A chain of `count` instructions under one scope.
std::shared_ptr<const Module> chain(int count) {
  std::string text = "HloModule m\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %x = f32[8] parameter(0)\n";
  for (int i = 1; i <= count; ++i) {
    text += fmt::format("  {}%n{} = f32[8] negate(%{}), metadata={{op_name=\"f/s/neg\"}}\n",
                        i == count ? "ROOT " : "", i, i == 1 ? "x" : fmt::format("n{}", i - 1));
  }
  return std::move(parseModule(text + "}\n").module);
}

// Each of eight values is used by each of eight sums: no drawing is without crossings.
std::shared_ptr<const Module> tangle() {
  std::string text = "HloModule m\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %x = f32[8] parameter(0)\n";
  for (int i = 0; i < 8; ++i) text += fmt::format("  %a{} = f32[8] negate(%x)\n", i);
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 8; ++k) {
      text += fmt::format("  %s{}_{} = f32[8] add(%a{}, %{})\n", i, k, k,
                          k == 0 ? fmt::format("a{}", (i + 1) % 8) : fmt::format("s{}_{}", i, k - 1));
    }
  }
  text += "  ROOT %r = f32[8] add(%s0_7, %s1_7)\n}\n";
  return std::move(parseModule(text).module);
}

GraphOrder orderOf(int count) {
  GraphOrder order;
  order.module = chain(count);
  order.start = true;
  return order;
}

TEST(GraphWorker, answersOnTheUiThread) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  QThread* thread = nullptr;
  size_t nodes = 0;
  QObject::connect(&worker, &GraphWorker::made, &worker, [&](std::shared_ptr<const GraphPicture> picture) {
    thread = QThread::currentThread();
    nodes = picture->scene->scene.nodes.size();
  });
  worker.submit(orderOf(6));
  EXPECT_TRUE(worker.busy());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !worker.busy(); }, 20'000));
  EXPECT_EQ(thread, QThread::currentThread());
  EXPECT_EQ(nodes, 9u);  // main, its parameter and root, the scope and five in it
}

TEST(GraphWorker, theNewestOrderWins) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  std::vector<size_t> answers;
  QObject::connect(&worker, &GraphWorker::made, &worker, [&](std::shared_ptr<const GraphPicture> picture) {
    if (picture->refined) answers.push_back(picture->scene->scene.nodes.size());
  });
  for (int i = 0; i < 20; ++i) worker.submit(orderOf(10 + i));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !worker.busy(); }, 20'000));
  EXPECT_EQ(answers, std::vector<size_t>{32});
}

// Where lines cross, looking longer may help: a hasty picture comes first.
TEST(GraphWorker, aQuickPictureIsRefined) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  std::vector<bool> refined;
  QObject::connect(&worker, &GraphWorker::made, &worker,
                   [&](std::shared_ptr<const GraphPicture> picture) { refined.push_back(picture->refined); });
  GraphOrder order;
  order.module = tangle();
  order.start = true;
  worker.submit(order);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !worker.busy(); }, 20'000));
  EXPECT_EQ(refined, (std::vector<bool>{false, true}));
}

TEST(GraphWorker, droppedOrdersAreNotAnswered) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  QSignalSpy made(&worker, &GraphWorker::made), failed(&worker, &GraphWorker::failed);
  worker.submit(orderOf(3'000));
  worker.drop();
  QTest::qWait(50);
  EXPECT_EQ(made.count(), 0);
  EXPECT_EQ(failed.count(), 0);
}

TEST(GraphWorker, forgetsWhatIsDropped) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  GraphOrder order = orderOf(4);
  std::weak_ptr<const Module> module = order.module;
  worker.submit(std::move(order));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !worker.busy(); }, 20'000));
  worker.drop();
  EXPECT_TRUE(QTest::qWaitFor([&] { return module.expired(); }, 20'000));
}

TEST(GraphWorker, isAmongTheJobsAndEndsWhenTheUserCancelsIt) {
  UiJobs jobs;
  GraphWorker worker(jobs.queue());
  QSignalSpy made(&worker, &GraphWorker::made), failed(&worker, &GraphWorker::failed);
  worker.submit(orderOf(20'000));
  const JobInfo job = jobs.queue().jobs().back();
  EXPECT_EQ(job.title, "Draw the graph of m");
  jobs.queue().cancel(job.id);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !worker.busy(); }, 20'000));
  EXPECT_EQ(made.count(), 0);
  EXPECT_EQ(failed.count(), 1);
}

TEST(GraphWorker, canBeDestroyedWhileItWorks) {
  UiJobs jobs;
  auto worker = std::make_unique<GraphWorker>(jobs.queue());
  worker->submit(orderOf(20'000));
  QTest::qWait(5);
  worker.reset();
}

}  // namespace
}  // namespace hilo
