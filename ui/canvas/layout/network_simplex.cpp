#include "ui/canvas/layout/network_simplex.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/base/check.h"
#include "ui/canvas/layout/adjacency.h"

namespace hilo {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class NetworkSimplex {
 public:
  NetworkSimplex(const std::vector<RankEdge>& edges, std::vector<int>& rank, uint64_t budget)
      : edges_(edges), rank_(rank), budget_(budget) {
    const size_t nodes = rank.size();
    const auto self = [](size_t edge) { return edge; };
    const auto from = [&](size_t edge) { return edges[edge].from; };
    const auto to = [&](size_t edge) { return edges[edge].to; };
    out_ = makeAdjacency(nodes, edges.size(), from, self);
    in_ = makeAdjacency(nodes, edges.size(), to, self);
    net_.assign(nodes, 0);
    for (const RankEdge& edge : edges) {
      net_[edge.from] += edge.weight;
      net_[edge.to] -= edge.weight;
    }
    tree_.resize(nodes);
    byNumber_.resize(nodes);
    sum_.assign(nodes + 1, 0);
    parent_.assign(nodes, kNone);
    low_.assign(nodes, 0);
    number_.assign(nodes, 0);
    isTree_.assign(edges.size(), 0);
    cut_.assign(edges.size(), 0);
  }

  void run() {
    growTightTree();
    numberFrom(0, kNone, 0);
    while (steps_ < budget_) {
      const uint32_t leaving = leavingEdge();
      if (leaving == kNone) break;
      exchange(leaving, enteringEdge(leaving));
    }
    const int lowest = *std::min_element(rank_.begin(), rank_.end());
    for (int& rank : rank_) rank -= lowest;
  }

 private:
  int slack(uint32_t edge) const { return rank_[edges_[edge].to] - rank_[edges_[edge].from] - 1; }

  // Takes in the node nearest to the tree and moves the tree to it, until all are in. Ranks of the tree are
  // kept less `moved`, so that moving it is one addition.
  void growTightTree() {
    using Near = std::pair<int, uint32_t>;  // slack but for `moved`, edge
    std::priority_queue<Near, std::vector<Near>, std::greater<>> below, above;
    std::vector<uint8_t> inTree(rank_.size(), 0);
    int moved = 0;
    auto take = [&](uint32_t node) {
      inTree[node] = 1;
      rank_[node] -= moved;
      for (uint32_t edge : out_.of(node)) {
        if (!inTree[edges_[edge].to]) below.emplace(rank_[edges_[edge].to] - rank_[node] - 1, edge);
      }
      for (uint32_t edge : in_.of(node)) {
        if (!inTree[edges_[edge].from]) above.emplace(rank_[node] - rank_[edges_[edge].from] - 1, edge);
      }
    };
    take(0);
    for (size_t count = 1; count < rank_.size(); ++count) {
      while (!below.empty() && inTree[edges_[below.top().second].to]) below.pop();
      while (!above.empty() && inTree[edges_[above.top().second].from]) above.pop();
      CHECK(!below.empty() || !above.empty(), "the graph is connected");
      const bool down =
          above.empty() || (!below.empty() && below.top().first - moved <= above.top().first + moved);
      const uint32_t edge = down ? below.top().second : above.top().second;
      moved = down ? below.top().first : -above.top().first;
      isTree_[edge] = 1;
      tree_[edges_[edge].from].push_back(edge);
      tree_[edges_[edge].to].push_back(edge);
      take(down ? edges_[edge].to : edges_[edge].from);
    }
    for (int& rank : rank_) rank += moved;
    steps_ += 4 * edges_.size();
  }

  uint32_t otherEnd(uint32_t edge, uint32_t node) const {
    return edges_[edge].from == node ? edges_[edge].to : edges_[edge].from;
  }

  // Numbers the subtree of `root` in postorder from `first` on, and finds the cut values of its edges: the
  // weight of edges from a tree edge's tail side to its head side, less that of edges the other way. Edges
  // within a side cancel out, so that is the sum over its nodes of what goes out less what comes in.
  void numberFrom(uint32_t root, uint32_t parentEdge, uint32_t first) {
    struct Frame {
      uint32_t node;
      size_t next;
    };
    parent_[root] = parentEdge;
    low_[root] = first;
    std::vector<Frame> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < tree_[node].size()) {
        const uint32_t edge = tree_[node][next++];
        if (edge == parent_[node]) continue;
        const uint32_t child = otherEnd(edge, node);
        parent_[child] = edge;
        low_[child] = first;
        stack.push_back({child, 0});
        continue;
      }
      number_[node] = first;
      byNumber_[first] = node;
      sum_[first + 1] = sum_[first] + net_[node];
      ++first;
      if (const uint32_t up = parent_[node]; up != kNone) {
        const int64_t leaves = sum_[first] - sum_[low_[node]];
        cut_[up] = edges_[up].from == node ? leaves : -leaves;
      }
      stack.pop_back();
      ++steps_;
    }
  }

  bool isBelow(uint32_t node, uint32_t ancestor) const {
    return low_[ancestor] <= number_[node] && number_[node] <= number_[ancestor];
  }

  // Of the next few dozen edges with a negative cut the worst.
  uint32_t leavingEdge() {
    constexpr int kLook = 30;
    uint32_t best = kNone;
    int found = 0;
    const auto count = static_cast<uint32_t>(edges_.size());
    for (uint32_t i = 0; i < count && found < kLook; ++i) {
      if (++search_ >= count) search_ = 0;
      ++steps_;
      if (!isTree_[search_] || cut_[search_] >= 0) continue;
      ++found;
      if (best == kNone || cut_[search_] < cut_[best]) best = search_;
    }
    return best;
  }

  uint32_t childOf(uint32_t treeEdge) const {
    return parent_[edges_[treeEdge].from] == treeEdge ? edges_[treeEdge].from : edges_[treeEdge].to;
  }

  // The edge of least slack that leads from the leaving edge's head side to its tail side.
  uint32_t enteringEdge(uint32_t leaving) {
    const uint32_t child = childOf(leaving);
    const bool childIsTail = edges_[leaving].from == child;
    uint32_t best = kNone;
    int least = std::numeric_limits<int>::max();
    for (uint32_t number = low_[child]; number <= number_[child] && least > 0; ++number) {
      const uint32_t node = byNumber_[number];
      for (uint32_t edge : childIsTail ? in_.of(node) : out_.of(node)) {
        ++steps_;
        if (isTree_[edge] || isBelow(otherEnd(edge, node), child)) continue;
        if (const int room = slack(edge); room < least) {
          least = room;
          best = edge;
        }
      }
    }
    CHECK(best != kNone, "a negative cut is crossed in both directions");
    return best;
  }

  void exchange(uint32_t leaving, uint32_t entering) {
    const uint32_t child = childOf(leaving);
    const int shift = edges_[leaving].from == child ? -slack(entering) : slack(entering);
    for (uint32_t number = low_[child]; number <= number_[child]; ++number) rank_[byNumber_[number]] += shift;
    uint32_t top = edges_[entering].from;
    while (!isBelow(edges_[entering].to, top)) top = otherEnd(parent_[top], top);
    isTree_[leaving] = 0;
    std::erase(tree_[edges_[leaving].from], leaving);
    std::erase(tree_[edges_[leaving].to], leaving);
    isTree_[entering] = 1;
    tree_[edges_[entering].from].push_back(entering);
    tree_[edges_[entering].to].push_back(entering);
    numberFrom(top, parent_[top], low_[top]);
  }

  const std::vector<RankEdge>& edges_;
  std::vector<int>& rank_;
  const uint64_t budget_;
  uint64_t steps_ = 0;
  uint32_t search_ = 0;
  Adjacency out_;
  Adjacency in_;
  std::vector<int64_t> net_;                 // per node: what goes out less what comes in
  std::vector<int64_t> sum_;                 // of net_ over the numbers below
  std::vector<std::vector<uint32_t>> tree_;  // per node: its tree edges
  std::vector<uint32_t> parent_;             // per node: the tree edge to its parent
  std::vector<uint32_t> low_;                // per node: the least number in its subtree
  std::vector<uint32_t> number_;             // per node: in postorder
  std::vector<uint32_t> byNumber_;
  std::vector<uint8_t> isTree_;
  std::vector<int64_t> cut_;
};

}  // namespace

void shortenEdges(const std::vector<RankEdge>& edges, std::vector<int>& rank, uint64_t budget) {
  if (rank.size() > 1) NetworkSimplex(edges, rank, budget).run();
}

}  // namespace hilo
