#include "ui/canvas/layout_queue.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/support/random_graph.h"

namespace hilo {
namespace {

NestedInput flat(uint32_t nodeCount, uint64_t seed) {
  NestedInput input;
  input.engine = LayoutEngine::kLayered;
  const LayoutInput graph = randomGraph(nodeCount, 0.02, seed);
  for (const LayoutNode& node : graph.nodes) input.nodes.push_back({kNoNode, node.width, node.height});
  for (const LayoutEdge& edge : graph.edges) input.edges.push_back({edge.from, edge.to});
  return input;
}

TEST(LayoutQueue, answersOnTheUiThread) {
  LayoutQueue queue;
  QThread* thread = nullptr;
  size_t visible = 0;
  QObject::connect(&queue, &LayoutQueue::finished, &queue,
                   [&](quint64, std::shared_ptr<const NestedResult> result) {
                     thread = QThread::currentThread();
                     visible = result->visible.size();
                   });
  queue.submit(1, flat(50, 1));
  EXPECT_TRUE(queue.busy());
  ASSERT_TRUE(QTest::qWaitFor([&] { return thread != nullptr; }));
  EXPECT_EQ(thread, QThread::currentThread());
  EXPECT_EQ(visible, 50u);
  EXPECT_FALSE(queue.busy());
}

TEST(LayoutQueue, newestRequestOfAKeyWins) {
  LayoutQueue queue;
  std::vector<std::pair<quint64, size_t>> answers;
  QObject::connect(&queue, &LayoutQueue::finished, &queue,
                   [&](quint64 key, std::shared_ptr<const NestedResult> result) {
                     answers.emplace_back(key, result->visible.size());
                   });
  for (uint32_t i = 0; i < 20; ++i) queue.submit(1, flat(2'000 + i, i));
  queue.submit(2, flat(30, 1));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !queue.busy(); }, 20'000));
  const std::vector<std::pair<quint64, size_t>> expected = {{1, 2'019}, {2, 30}};
  EXPECT_EQ(answers, expected);
}

TEST(LayoutQueue, droppedRequestsAreNotAnswered) {
  LayoutQueue queue;
  QSignalSpy finished(&queue, &LayoutQueue::finished), failed(&queue, &LayoutQueue::failed);
  queue.submit(1, flat(3'000, 1));
  queue.drop(1);
  queue.submit(2, flat(10, 1));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !queue.busy(); }, 20'000));
  EXPECT_EQ(finished.count(), 1);
  EXPECT_EQ(failed.count(), 0);
}

TEST(LayoutQueue, canBeDestroyedWhileItWorks) {
  auto queue = std::make_unique<LayoutQueue>();
  queue->submit(1, flat(30'000, 1));
  QTest::qWait(5);
  queue.reset();
}

}  // namespace
}  // namespace hilo
