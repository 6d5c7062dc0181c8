#include "core/runtime/executor/execution_graph.h"

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

// Ancestors of each node as bit sets. Memory is quadratic: past kMostForReduction thunks edges are not
// reduced.
constexpr size_t kMostForReduction = 20'000;

// Keeps of each node's predecessors those not reached through another one. `predecessors` are sorted.
void reduceTransitively(std::vector<std::vector<uint32_t>>& predecessors) {
  const size_t words = (predecessors.size() + 63) / 64;
  std::vector<Bits> ancestors(predecessors.size());
  for (uint32_t node = 0; node < predecessors.size(); ++node) {
    Bits& mine = ancestors[node];
    mine.resize(words);
    std::vector<uint32_t> kept;
    // From the latest: an earlier one it implies is then already among the ancestors.
    for (auto p = predecessors[node].rbegin(); p != predecessors[node].rend(); ++p) {
      if (hasBit(mine, *p)) continue;
      kept.push_back(*p);
      mine[*p / 64] |= uint64_t{1} << (*p % 64);
      for (size_t w = 0; w <= *p / 64; ++w) mine[w] |= ancestors[*p][w];
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

ExecutionGraph makeExecutionGraph(const Program& program, uint32_t sequence) {
  const ThunkSequence& thunks = program.sequences[sequence];
  std::vector<std::vector<uint32_t>> predecessors(thunks.size());
  std::optional<uint32_t> lastInOrder;
  std::vector<std::pair<uint32_t, uint32_t>> scheduling;
  absl::flat_hash_map<uint32_t, UseHistory> histories;
  for (uint32_t i = 0; i < thunks.size(); ++i) {
    for (const BufferUse& use : allBufferUses(program, thunks[i])) {
      histories[use.slice.allocation].add(use, i,
                                          [&](uint32_t earlier) { predecessors[i].push_back(earlier); });
    }
    std::ranges::sort(predecessors[i]);
    const auto repeated = std::ranges::unique(predecessors[i]);
    predecessors[i].erase(repeated.begin(), repeated.end());
    if (!mustKeepOrder(program, thunks[i])) continue;
    if (lastInOrder && !std::ranges::binary_search(predecessors[i], *lastInOrder)) {
      scheduling.emplace_back(*lastInOrder, i);
      predecessors[i].insert(std::ranges::upper_bound(predecessors[i], *lastInOrder), *lastInOrder);
    }
    lastInOrder = i;
  }
  if (thunks.size() <= kMostForReduction) reduceTransitively(predecessors);
  std::erase_if(scheduling, [&](const auto& edge) {
    return !std::ranges::binary_search(predecessors[edge.second], edge.first);
  });
  ExecutionGraph graph;
  graph.schedulingEdges = std::move(scheduling);
  std::ranges::sort(graph.schedulingEdges);
  graph.nodes.resize(thunks.size());
  std::vector<uint32_t> depth(thunks.size()), atDepth(thunks.size() + 1);
  for (uint32_t i = 0; i < thunks.size(); ++i) {
    graph.nodes[i].predecessors = static_cast<uint32_t>(predecessors[i].size());
    for (const uint32_t earlier : predecessors[i]) {
      graph.nodes[earlier].successors.push_back(i);
      depth[i] = std::max(depth[i], depth[earlier] + 1);
    }
    graph.width = std::max(graph.width, ++atDepth[depth[i]]);
  }
  return graph;
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
        races.push_back(
            {Severity::kError, "data-race",
             fmt::format("{} and {} use the same bytes in no order", thunks[j].name, thunks[i].name)});
      }
    }
    for (const uint32_t next : graph.nodes[i].successors) {
      ancestors[next][i / 64] |= uint64_t{1} << (i % 64);
      for (size_t w = 0; w < words; ++w) ancestors[next][w] |= ancestors[i][w];
    }
  }
  return races;
}

namespace {

std::string dotText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void appendCluster(std::string& out, const Program& program, uint32_t sequence) {
  const ExecutionGraph graph = makeExecutionGraph(program, sequence);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Thunk& thunk = program.sequences[sequence][i];
    out += fmt::format("n{}_{} [label={}];\n", sequence, i,
                       dotText(fmt::format("{} {}", thunkKindName(thunk.kind()), thunk.name)));
    for (const uint32_t next : graph.nodes[i].successors) {
      const bool keepsOrder = std::ranges::binary_search(graph.schedulingEdges, std::pair(i, next));
      out += fmt::format("n{}_{} -> n{}_{}{};\n", sequence, i, sequence, next,
                         keepsOrder ? " [style=dashed]" : "");
    }
    for (const uint32_t nested : nestedSequences(thunk)) {
      out += fmt::format("subgraph cluster_{} {{ label={};\n", nested, dotText(thunk.name));
      appendCluster(out, program, nested);
      out += "}\n";
    }
  }
}

}  // namespace

std::string toDot(const Program& program) {
  std::string out = "digraph program {\n";
  appendCluster(out, program, 0);
  return out + "}\n";
}

}  // namespace hilo
