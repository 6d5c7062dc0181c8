// The second step: the order within each layer. Barycentre sweeps from two starts, each polished by swapping
// neighbours; the best order seen is kept.
#include <algorithm>
#include <numeric>

#include "ui/canvas/layout/layer_graph.h"

namespace hilo {
namespace {

constexpr size_t kShakeRounds = 60;
constexpr size_t kShakeBudget = 60'000;  // vertices over all rounds: some tens of milliseconds

class Orderer {
 public:
  Orderer(LayerGraph& graph, bool thorough, const CancelToken& cancel)
      : graph_(graph), thorough_(thorough), cancel_(cancel) {
    position_.resize(graph.vertexCount());
    key_.resize(graph.vertexCount());
  }

  Status run() {
    const size_t vertices = graph_.vertexCount();
    const int sweeps = vertices < 2'000 ? 24 : vertices < 20'000 ? 12 : 6;
    const bool twoStarts = vertices < 20'000;
    for (int start = 0; start < (twoStarts ? 2 : 1); ++start) {
      depthFirstOrder(start == 1);
      keepIfBetter();
      int idle = 0;
      for (int sweep = 0; sweep < sweeps && idle < 6; ++sweep) {
        if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
        sweepOnce(sweep % 2 == 0);
        if (vertices < 60'000) transpose(2);
        idle = keepIfBetter() ? 0 : idle + 1;
      }
    }
    restoreBest();
    if (vertices < 60'000) {
      transpose(8);
      keepIfBetter();
      restoreBest();
    }
    return thorough_ ? shakeOut() : Status();
  }

 private:
  // Small graphs are worth more time: from the best order some vertices are moved to other places of their
  // layers, and sweeps lead from there to another local optimum, which often is a better one.
  Status shakeOut() {
    const size_t vertices = graph_.vertexCount();
    if (vertices == 0) return {};
    const size_t rounds = std::min<size_t>(kShakeRounds, kShakeBudget / vertices);
    for (size_t round = 0; round < rounds && best_ > 0; ++round) {
      if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
      restoreBest();
      shake(1 + vertices / 16);
      for (int sweep = 0; sweep < 6; ++sweep) {
        sweepOnce((sweep + round) % 2 == 0);
        transpose(4);
        keepIfBetter();
      }
    }
    restoreBest();
    return {};
  }

  void shake(size_t moves) {
    for (size_t i = 0; i < moves; ++i) {
      auto& layer = graph_.layers[random(graph_.layers.size())];
      if (layer.size() < 2) continue;
      const size_t from = random(layer.size()), to = random(layer.size());
      const uint32_t vertex = layer[from];
      layer.erase(layer.begin() + static_cast<ptrdiff_t>(from));
      layer.insert(layer.begin() + static_cast<ptrdiff_t>(to), vertex);
      number(layer);
    }
  }

  // Equal inputs give equal drawings.
  size_t random(size_t bound) {
    randomState_ = randomState_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(randomState_ >> 33) % bound;
  }

  // Places vertices in the order a depth-first walk from the sources (or back from the sinks) meets them.
  void depthFirstOrder(bool fromBelow) {
    std::vector<uint32_t> filled(graph_.layers.size(), 0);
    std::vector<uint8_t> seen(graph_.vertexCount(), 0);
    std::vector<uint32_t> stack;
    auto startFrom = [&](uint32_t root) {
      stack.push_back(root);
      while (!stack.empty()) {
        const uint32_t vertex = stack.back();
        stack.pop_back();
        if (seen[vertex]) continue;
        seen[vertex] = 1;
        const uint32_t layer = graph_.layerOf[vertex];
        graph_.layers[layer][filled[layer]++] = vertex;
        for (const Adjacency* lists :
             {fromBelow ? &graph_.down : &graph_.up, fromBelow ? &graph_.up : &graph_.down}) {
          const auto list = lists->of(vertex);
          for (size_t i = list.size(); i-- > 0;) {
            if (!seen[list[i]]) stack.push_back(list[i]);
          }
        }
      }
    };
    const Adjacency& before = fromBelow ? graph_.down : graph_.up;
    for (uint32_t vertex = 0; vertex < graph_.vertexCount(); ++vertex) {
      if (before.of(vertex).empty() && !seen[vertex]) startFrom(vertex);
    }
    for (const auto& layer : graph_.layers) number(layer);
  }

  void number(const std::vector<uint32_t>& layer) {
    for (uint32_t i = 0; i < layer.size(); ++i) position_[layer[i]] = i;
  }

  void sweepOnce(bool down) {
    const auto count = static_cast<int>(graph_.layers.size());
    const Adjacency& fixed = down ? graph_.up : graph_.down;
    for (int step = 1; step < count; ++step) {
      auto& layer = graph_.layers[down ? step : count - 1 - step];
      for (uint32_t vertex : layer) {
        const auto list = fixed.of(vertex);
        if (list.empty()) {
          key_[vertex] = static_cast<float>(position_[vertex]);
          continue;
        }
        float sum = 0;
        for (uint32_t other : list) sum += static_cast<float>(position_[other]);
        key_[vertex] = sum / static_cast<float>(list.size());
      }
      std::sort(layer.begin(), layer.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(key_[a], position_[a]) < std::pair(key_[b], position_[b]);
      });
      number(layer);
    }
  }

  // How many crossings the pair's segments on one side have when a stands left of b. Lists are sorted.
  static int64_t pairCrossings(std::span<const uint32_t> a, std::span<const uint32_t> b) {
    int64_t crossings = 0;
    size_t j = 0;
    for (uint32_t x : a) {
      while (j < b.size() && b[j] < x) ++j;
      crossings += static_cast<int64_t>(j);
    }
    return crossings;
  }

  void fillSorted(const Adjacency& lists, const std::vector<uint32_t>& layer, Adjacency& sorted) {
    sorted.start.assign(1, 0);
    sorted.items.clear();
    for (uint32_t vertex : layer) {
      const size_t begin = sorted.items.size();
      for (uint32_t other : lists.of(vertex)) sorted.items.push_back(position_[other]);
      std::sort(sorted.items.begin() + static_cast<ptrdiff_t>(begin), sorted.items.end());
      sorted.start.push_back(static_cast<uint32_t>(sorted.items.size()));
    }
  }

  bool transposeLayer(std::vector<uint32_t>& layer) {
    fillSorted(graph_.up, layer, above_);
    fillSorted(graph_.down, layer, below_);
    slot_.resize(layer.size());
    std::iota(slot_.begin(), slot_.end(), 0u);
    bool changed = false;
    for (size_t i = 0; i + 1 < layer.size(); ++i) {
      const uint32_t a = slot_[i];
      const uint32_t b = slot_[i + 1];
      const int64_t now =
          pairCrossings(above_.of(a), above_.of(b)) + pairCrossings(below_.of(a), below_.of(b));
      if (now == 0) continue;
      const int64_t swapped =
          pairCrossings(above_.of(b), above_.of(a)) + pairCrossings(below_.of(b), below_.of(a));
      if (swapped >= now) continue;
      std::swap(layer[i], layer[i + 1]);
      std::swap(slot_[i], slot_[i + 1]);
      changed = true;
    }
    if (changed) number(layer);
    return changed;
  }

  void transpose(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      bool changed = false;
      for (auto& layer : graph_.layers) changed |= transposeLayer(layer);
      if (!changed) return;
    }
  }

  bool keepIfBetter() {
    const uint64_t crossings = countCrossings(graph_);
    if (crossings > best_) return false;
    // Of equals the later one is kept: its vertices have moved nearer to their neighbours.
    const bool better = crossings < best_;
    best_ = crossings;
    bestLayers_ = graph_.layers;
    return better;
  }

  void restoreBest() {
    graph_.layers = bestLayers_;
    for (const auto& layer : graph_.layers) number(layer);
  }

  LayerGraph& graph_;
  const bool thorough_;
  const CancelToken& cancel_;
  std::vector<uint32_t> position_;
  std::vector<float> key_;
  std::vector<uint32_t> slot_;
  Adjacency above_;
  Adjacency below_;
  uint64_t randomState_ = 1;
  uint64_t best_ = std::numeric_limits<uint64_t>::max();
  std::vector<std::vector<uint32_t>> bestLayers_;
};

}  // namespace

uint64_t countCrossings(const LayerGraph& graph) {
  std::vector<uint32_t> position(graph.vertexCount());
  for (const auto& layer : graph.layers) {
    for (uint32_t i = 0; i < layer.size(); ++i) position[layer[i]] = i;
  }
  uint64_t crossings = 0;
  std::vector<uint32_t> tree;
  std::vector<uint32_t> ends;
  for (size_t layer = 0; layer + 1 < graph.layers.size(); ++layer) {
    const size_t width = graph.layers[layer + 1].size();
    tree.assign(width + 1, 0);
    uint64_t inserted = 0;
    for (uint32_t vertex : graph.layers[layer]) {
      ends.clear();
      for (uint32_t other : graph.down.of(vertex)) ends.push_back(position[other]);
      // Each earlier segment that ends further right crosses this one.
      for (uint32_t end : ends) {
        uint64_t notRight = 0;
        for (uint32_t i = end + 1; i > 0; i &= i - 1) notRight += tree[i];
        crossings += inserted - notRight;
      }
      for (uint32_t end : ends) {
        for (uint32_t i = end + 1; i <= width; i += i & (~i + 1)) ++tree[i];
      }
      inserted += ends.size();
    }
  }
  return crossings;
}

Status orderLayers(LayerGraph& graph, bool thorough, const CancelToken& cancel) {
  return Orderer(graph, thorough, cancel).run();
}

}  // namespace hilo
