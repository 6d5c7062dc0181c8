#include "ui/canvas/layout/network_simplex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

int64_t lengthOf(const std::vector<RankEdge>& edges, const std::vector<int>& rank) {
  int64_t length = 0;
  for (const auto& [from, to, weight] : edges) length += int64_t{weight} * (rank[to] - rank[from]);
  return length;
}

bool keepsAll(const std::vector<RankEdge>& edges, const std::vector<int>& rank) {
  return std::ranges::all_of(edges, [&](const RankEdge& edge) { return rank[edge.to] > rank[edge.from]; });
}

// Nodes in topological order, each joined to one before it, and some more edges.
std::vector<RankEdge> randomDag(uint32_t nodes, uint64_t seed) {
  uint64_t state = seed;
  auto random = [&](uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % bound);
  };
  std::vector<RankEdge> edges;
  for (uint32_t node = 1; node < nodes; ++node) {
    edges.push_back({random(node), node, 1 + static_cast<int>(random(3))});
    if (random(2) == 0) edges.push_back({random(node), node, static_cast<int>(random(3))});
  }
  return edges;
}

std::vector<int> longestPaths(uint32_t nodes, const std::vector<RankEdge>& edges) {
  std::vector<int> rank(nodes, 0);
  for (const RankEdge& edge : edges) rank[edge.to] = std::max(rank[edge.to], rank[edge.from] + 1);
  return rank;
}

// The least length over all assignments of ranks below the number of nodes.
int64_t leastLength(uint32_t nodes, const std::vector<RankEdge>& edges) {
  std::vector<int> rank(nodes, 0);
  int64_t least = std::numeric_limits<int64_t>::max();
  while (true) {
    if (keepsAll(edges, rank)) least = std::min(least, lengthOf(edges, rank));
    size_t at = 0;
    while (at < nodes && ++rank[at] == static_cast<int>(nodes)) rank[at++] = 0;
    if (at == nodes) return least;
  }
}

TEST(NetworkSimplex, findsTheLeastLength) {
  constexpr uint32_t kNodes = 6;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<RankEdge> edges = randomDag(kNodes, seed);
    std::vector<int> rank = longestPaths(kNodes, edges);
    shortenEdges(edges, rank, 1'000'000);
    EXPECT_TRUE(keepsAll(edges, rank)) << seed;
    EXPECT_EQ(lengthOf(edges, rank), leastLength(kNodes, edges)) << seed;
    EXPECT_EQ(*std::ranges::min_element(rank), 0);
  }
}

// A long chain beside a short one: the short one's nodes go to where more of their edges are.
TEST(NetworkSimplex, aNodeGoesWhereItsWeightIs) {
  const std::vector<RankEdge> edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 4, 1}, {4, 3, 5}};
  std::vector<int> rank = {0, 1, 2, 3, 1};
  shortenEdges(edges, rank, 1'000);
  EXPECT_EQ(rank, (std::vector<int>{0, 1, 2, 3, 2}));
}

TEST(NetworkSimplex, whatItHasWhenStoppedKeepsAllEdges) {
  const std::vector<RankEdge> edges = randomDag(2'000, 7);
  const std::vector<int> start = longestPaths(2'000, edges);
  int64_t before = lengthOf(edges, start);
  for (uint64_t budget : {1'000u, 20'000u, 200'000u}) {
    std::vector<int> rank = start;
    shortenEdges(edges, rank, budget);
    EXPECT_TRUE(keepsAll(edges, rank));
    EXPECT_LE(lengthOf(edges, rank), before);
    before = lengthOf(edges, rank);
  }
}

}  // namespace
}  // namespace hilo
