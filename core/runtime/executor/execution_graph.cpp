#include "core/runtime/executor/execution_graph.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/base/check.h"

namespace hilo {
namespace {

// Who last wrote and who has since read each byte of one allocation, as disjoint pieces by their start.
class UseHistory {
 public:
  // Adds a use by `thunk` and calls `after` with every thunk it must come after.
  template <typename F>
  void add(const BufferUse& use, uint32_t thunk, F&& after) {
    if (use.slice.sizeBytes == 0) return;
    const int64_t begin = use.slice.offsetBytes, end = use.slice.endBytes();
    split(begin);
    split(end);
    int64_t at = begin;
    auto piece = pieces_.lower_bound(begin);
    while (at < end) {
      if (piece == pieces_.end() || piece->first > at) {
        const int64_t gapEnd = piece == pieces_.end() ? end : std::min(end, piece->first);
        piece = pieces_.emplace_hint(piece, at, Piece{gapEnd});
      }
      note(piece->second, use.writes, thunk, after);
      at = piece->second.end;
      ++piece;
    }
  }

 private:
  static constexpr uint32_t kNobody = 0xffffffff;
  struct Piece {
    int64_t end;
    uint32_t writer = kNobody;
    std::vector<uint32_t> readers = {};
  };

  void split(int64_t at) {
    auto piece = pieces_.upper_bound(at);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->first == at || piece->second.end <= at) return;
    Piece rest = piece->second;
    piece->second.end = at;
    pieces_.emplace(at, std::move(rest));
  }
  template <typename F>
  void note(Piece& piece, bool writes, uint32_t thunk, F&& after) {
    if (piece.writer != kNobody && piece.writer != thunk) after(piece.writer);
    if (!writes) {
      if (piece.readers.empty() || piece.readers.back() != thunk) piece.readers.push_back(thunk);
      return;
    }
    for (const uint32_t reader : piece.readers) {
      if (reader != thunk) after(reader);
    }
    piece.readers.clear();
    piece.writer = thunk;
  }

  std::map<int64_t, Piece> pieces_;
};

using Bits = std::vector<uint64_t>;
bool hasBit(const Bits& bits, uint32_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

// Ancestors of each node as bit sets. Memory is quadratic: past kMostForReduction thunks edges
// are not reduced.
constexpr size_t kMostForReduction = 20'000;

void add(Bits& to, const Bits& ancestors, uint32_t node) {
  for (size_t w = 0; w <= node / 64; ++w) to[w] |= ancestors[w];
  to[node / 64] |= uint64_t{1} << (node % 64);
}

// Keeps of each node's predecessors those that no chain through another one implies. A chain with a
// scheduling edge in it says what has begun, not what has ended: it implies scheduling edges alone.
void reduceTransitively(std::vector<std::vector<uint32_t>>& predecessors,
                        const absl::flat_hash_set<std::pair<uint32_t, uint32_t>>& scheduling) {
  const size_t words = (predecessors.size() + 63) / 64;
  std::vector<Bits> begun(predecessors.size()), ended(scheduling.empty() ? 0 : predecessors.size());
  for (uint32_t node = 0; node < predecessors.size(); ++node) {
    begun[node].resize(words);
    if (!ended.empty()) ended[node].resize(words);
    std::vector<uint32_t> kept;
    // From the latest: an earlier one it implies is then already among the ancestors.
    for (auto p = predecessors[node].rbegin(); p != predecessors[node].rend(); ++p) {
      const bool onlyBegun = scheduling.contains({*p, node});
      const bool isImplied = hasBit(ended.empty() || onlyBegun ? begun[node] : ended[node], *p);
      if (!isImplied) kept.push_back(*p);
      if (isImplied && !onlyBegun) continue;
      add(begun[node], begun[*p], *p);
      if (!ended.empty() && !onlyBegun) add(ended[node], ended[*p], *p);
    }
    std::ranges::reverse(kept);
    predecessors[node] = std::move(kept);
  }
}

}  // namespace

int64_t ExecutionGraph::edgeCount() const {
  int64_t count = 0;
  for (const Node& node : nodes) count += node.predecessors;
  return count;
}

ExecutionGraph makeExecutionGraph(std::span<const std::vector<BufferUse>> uses,
                                  std::span<const std::vector<uint32_t>> communicators) {
  CHECK(communicators.size() == uses.size());
  std::vector<std::vector<uint32_t>> predecessors(uses.size());
  absl::flat_hash_map<uint32_t, uint32_t> lastOf;  // by communicator
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> scheduling;
  absl::flat_hash_map<uint32_t, UseHistory> histories;
  for (uint32_t i = 0; i < uses.size(); ++i) {
    for (const BufferUse& use : uses[i]) {
      histories[use.slice.allocation].add(use, i,
                                          [&](uint32_t earlier) { predecessors[i].push_back(earlier); });
    }
    std::ranges::sort(predecessors[i]);
    const auto repeated = std::ranges::unique(predecessors[i]);
    predecessors[i].erase(repeated.begin(), repeated.end());
    for (const uint32_t communicator : communicators[i]) {
      const auto [last, isFirst] = lastOf.try_emplace(communicator, i);
      const uint32_t earlier = std::exchange(last->second, i);
      if (isFirst || earlier == i || std::ranges::binary_search(predecessors[i], earlier)) continue;
      scheduling.insert({earlier, i});
      predecessors[i].insert(std::ranges::upper_bound(predecessors[i], earlier), earlier);
    }
  }
  if (uses.size() <= kMostForReduction) reduceTransitively(predecessors, scheduling);
  ExecutionGraph graph;
  std::ranges::copy_if(scheduling, std::back_inserter(graph.schedulingEdges), [&](const auto& edge) {
    return std::ranges::binary_search(predecessors[edge.second], edge.first);
  });
  std::ranges::sort(graph.schedulingEdges);
  graph.nodes.resize(uses.size());
  std::vector<uint32_t> depth(uses.size()), atDepth(uses.size() + 1);
  for (uint32_t i = 0; i < uses.size(); ++i) {
    graph.nodes[i].predecessors = static_cast<uint32_t>(predecessors[i].size());
    for (const uint32_t earlier : predecessors[i]) {
      graph.nodes[earlier].successors.push_back(i);
      depth[i] = std::max(depth[i], depth[earlier] + 1);
    }
    graph.width = std::max(graph.width, ++atDepth[depth[i]]);
  }
  return graph;
}

ExecutionGraph makeExecutionGraph(const Program& program, uint32_t sequence) {
  std::vector<std::vector<BufferUse>> uses;
  std::vector<std::vector<uint32_t>> communicators;
  for (const Thunk& thunk : program.sequences[sequence]) {
    uses.push_back(allBufferUses(program, thunk));
    // A thread waits in a collective: with an order between all of them no two devices wait for each other.
    communicators.push_back(mustKeepOrder(program, thunk) ? std::vector<uint32_t>{0}
                                                          : std::vector<uint32_t>());
  }
  return makeExecutionGraph(uses, communicators);
}

Diagnostics findRaces(const Program& program, uint32_t sequence, const ExecutionGraph& graph) {
  const ThunkSequence& thunks = program.sequences[sequence];
  CHECK(graph.nodes.size() == thunks.size());
  const size_t words = (thunks.size() + 63) / 64;
  std::vector<Bits> ancestors(thunks.size(), Bits(words));
  std::vector<std::vector<BufferUse>> uses;
  Diagnostics races;
  for (uint32_t i = 0; i < thunks.size(); ++i) {
    uses.push_back(allBufferUses(program, thunks[i]));
    for (uint32_t j = 0; j < i; ++j) {
      if (hasBit(ancestors[i], j)) continue;
      const bool conflict = std::ranges::any_of(uses[i], [&](const BufferUse& mine) {
        return std::ranges::any_of(uses[j], [&](const BufferUse& theirs) {
          return (mine.writes || theirs.writes) && mine.slice.overlaps(theirs.slice);
        });
      });
      if (conflict) {
        races.push_back({Severity::kError, "data-race",
                         fmt::format("{} and {} have a data race", thunks[j].name, thunks[i].name)});
      }
    }
    for (const uint32_t next : graph.nodes[i].successors) {
      ancestors[next][i / 64] |= uint64_t{1} << (i % 64);
      for (size_t w = 0; w < words; ++w) ancestors[next][w] |= ancestors[i][w];
    }
  }
  return races;
}

}  // namespace hilo
