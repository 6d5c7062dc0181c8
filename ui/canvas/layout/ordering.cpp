// The second step: the order within each layer. Barycentre sweeps from two starts, polished by moving each
// vertex to the best place of its layer (sifting); the best order seen is kept. What counts is pairs of edges
// that cross, so a segment that many edges share counts as many.
#include <algorithm>
#include <numeric>

#include "ui/canvas/layout/layer_graph.h"

namespace hilo {
namespace {

// Comparisons of two vertices; a million take some ten milliseconds.
constexpr uint64_t kThoroughWork = 6'000'000;
constexpr uint64_t kWorkAVertex = 40;
constexpr size_t kSmallGraph = 20'000;     // vertices; with more there are fewer sweeps, from one start
constexpr size_t kPolishedGraph = 60'000;  // with more, sweeps alone
constexpr size_t kReach = 60;              // how far a vertex is moved along its layer at once
constexpr int kIdleShakes = 100;
constexpr int kFewSweeps = 6;
constexpr int kManySweeps = 24;

class Orderer {
 public:
  Orderer(LayerGraph& graph, bool thorough, const CancelToken& cancel)
      : graph_(graph), cancel_(cancel), thorough_(thorough) {
    position_.resize(graph.vertexCount());
    key_.resize(graph.vertexCount());
    work_ = kWorkAVertex * graph.vertexCount() + (thorough ? kThoroughWork : 0);
  }

  Status run() {
    const bool small = graph_.vertexCount() < kSmallGraph;
    for (int start = 0; start < (small ? 2 : 1); ++start) {
      depthFirstOrder(start == 1);
      keepIfBetter();
      TRY_STATUS(sweepFromHere(small ? kManySweeps : kFewSweeps));
    }
    restoreBest();
    if (graph_.vertexCount() < kPolishedGraph) TRY_STATUS(settle());
    return thorough_ ? shakeOut() : Status();
  }

 private:
  Status sweepFromHere(int sweeps) {
    int idle = 0;
    for (int sweep = 0; sweep < sweeps && idle < 6; ++sweep) {
      if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
      sweepOnce(sweep % 2 == 0, sweep % 4 >= 2);
      if (graph_.vertexCount() < kPolishedGraph) {
        for (auto& layer : graph_.layers) transposeLayer(layer);
      }
      idle = keepIfBetter() ? 0 : idle + 1;
    }
    return {};
  }

  // Sifts until nothing moves any more, or the work is used up.
  Status settle() {
    for (bool down = true; hasWork(); down = !down) {
      if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
      bool moved = false;
      const size_t count = graph_.layers.size();
      for (size_t step = 0; step < count && hasWork(); ++step)
        moved |= siftLayer(graph_.layers[down ? step : count - 1 - step]);
      if (!keepIfBetter() || !moved) break;
    }
    restoreBest();
    return {};
  }

  // From the best order some vertices are moved to other places of their layers; sweeps and sifting lead from
  // there to another local optimum, which often is a better one.
  Status shakeOut() {
    const size_t vertices = graph_.vertexCount();
    if (vertices >= kPolishedGraph) return {};
    for (int idle = 0; best_ > 0 && idle < kIdleShakes && hasWork(); ++idle) {
      if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
      const uint64_t before = best_;
      restoreBest();
      shake(1 + vertices / 16);
      TRY_STATUS(sweepFromHere(4));
      TRY_STATUS(settle());
      if (best_ < before) idle = 0;
    }
    restoreBest();
    return {};
  }

  bool hasWork() const { return used_ < work_; }

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
    used_ += moves;
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

  // The middle one of the neighbours' places, or between the two in the middle.
  float medianOf(std::span<const uint32_t> list) {
    places_.clear();
    for (uint32_t other : list) places_.push_back(position_[other]);
    std::ranges::sort(places_);
    const size_t half = places_.size() / 2;
    if (places_.size() % 2 == 1) return static_cast<float>(places_[half]);
    return static_cast<float>(places_[half - 1] + places_[half]) / 2;
  }

  float meanOf(std::span<const uint32_t> list, std::span<const uint32_t> weights) const {
    float sum = 0, weight = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      sum += static_cast<float>(position_[list[i]]) * static_cast<float>(weights[i]);
      weight += static_cast<float>(weights[i]);
    }
    return sum / weight;
  }

  void sweepOnce(bool down, bool median) {
    used_ += 4 * graph_.vertexCount();
    const auto count = static_cast<int>(graph_.layers.size());
    const Adjacency& fixed = down ? graph_.up : graph_.down;
    const std::vector<uint32_t>& weights = down ? graph_.upWeight : graph_.downWeight;
    for (int step = 1; step < count; ++step) {
      auto& layer = graph_.layers[down ? step : count - 1 - step];
      for (uint32_t vertex : layer) {
        const auto list = fixed.of(vertex);
        if (list.empty()) {
          key_[vertex] = static_cast<float>(position_[vertex]);
        } else {
          key_[vertex] = median ? medianOf(list)
                                : meanOf(list, std::span(weights).subspan(fixed.start[vertex], list.size()));
        }
      }
      std::sort(layer.begin(), layer.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(key_[a], position_[a]) < std::pair(key_[b], position_[b]);
      });
      number(layer);
    }
  }

  // The neighbours of a vertex on one side, by place.
  struct Ends {
    std::span<const uint32_t> places;
    std::span<const uint32_t> weights;
  };

  // How many pairs of edges cross on one side when a stands left of b.
  static int64_t pairCrossings(Ends a, Ends b) {
    int64_t crossings = 0, passed = 0;
    size_t j = 0;
    for (size_t i = 0; i < a.places.size(); ++i) {
      while (j < b.places.size() && b.places[j] < a.places[i]) passed += b.weights[j++];
      crossings += passed * a.weights[i];
    }
    return crossings;
  }

  // What is gained when a, left of b, changes places with it.
  int64_t gain(uint32_t a, uint32_t b) {
    ++used_;
    const Ends aboveA = above_.of(a), aboveB = above_.of(b), belowA = below_.of(a), belowB = below_.of(b);
    return pairCrossings(aboveA, aboveB) - pairCrossings(aboveB, aboveA) + pairCrossings(belowA, belowB) -
           pairCrossings(belowB, belowA);
  }

  // The places of the neighbours of a layer's vertices, in order.
  struct SideLists {
    std::vector<uint32_t> start;
    std::vector<uint32_t> places;
    std::vector<uint32_t> weights;
    Ends of(uint32_t slot) const {
      const size_t begin = start[slot], count = start[slot + 1] - begin;
      return {std::span(places).subspan(begin, count), std::span(weights).subspan(begin, count)};
    }
  };

  void fillSorted(const Adjacency& lists, const std::vector<uint32_t>& weights,
                  const std::vector<uint32_t>& layer, SideLists& sorted) {
    sorted.start.assign(1, 0);
    sorted.places.clear();
    sorted.weights.clear();
    for (uint32_t vertex : layer) {
      const auto list = lists.of(vertex);
      pairs_.clear();
      for (size_t i = 0; i < list.size(); ++i)
        pairs_.emplace_back(position_[list[i]], weights[lists.start[vertex] + i]);
      if (pairs_.size() > 1) std::ranges::sort(pairs_);
      for (const auto& [place, weight] : pairs_) {
        sorted.places.push_back(place);
        sorted.weights.push_back(weight);
      }
      sorted.start.push_back(static_cast<uint32_t>(sorted.places.size()));
    }
  }

  void startLayer(const std::vector<uint32_t>& layer) {
    fillSorted(graph_.up, graph_.upWeight, layer, above_);
    fillSorted(graph_.down, graph_.downWeight, layer, below_);
    slot_.resize(layer.size());
    std::iota(slot_.begin(), slot_.end(), 0u);
    used_ += layer.size();
  }

  void finishLayer(std::vector<uint32_t>& layer) {
    before_ = layer;
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = before_[slot_[i]];
    number(layer);
  }

  // Swaps neighbours that cross less the other way round.
  void transposeLayer(std::vector<uint32_t>& layer) {
    if (layer.size() < 2) return;
    startLayer(layer);
    for (int round = 0; round < 4; ++round) {
      bool changed = false;
      for (size_t i = 0; i + 1 < slot_.size(); ++i) {
        if (gain(slot_[i], slot_[i + 1]) <= 0) continue;
        std::swap(slot_[i], slot_[i + 1]);
        changed = true;
      }
      if (!changed) break;
    }
    finishLayer(layer);
  }

  // Moves each vertex of a layer to where it crosses least.
  bool siftLayer(std::vector<uint32_t>& layer) {
    if (layer.size() < 2) return false;
    startLayer(layer);
    bool moved = false;
    for (uint32_t vertex = 0; vertex < layer.size(); ++vertex) moved |= sift(vertex);
    finishLayer(layer);
    return moved;
  }

  bool sift(uint32_t vertex) {
    const auto at = static_cast<size_t>(std::ranges::find(slot_, vertex) - slot_.begin());
    size_t best = at;
    int64_t bestGain = 0, sum = 0;
    for (size_t i = at + 1; i < slot_.size() && i <= at + kReach; ++i) {
      sum += gain(vertex, slot_[i]);
      if (sum > bestGain) {
        bestGain = sum;
        best = i;
      }
    }
    sum = 0;
    for (size_t i = at; i-- > 0 && i + kReach >= at;) {
      sum += gain(slot_[i], vertex);
      if (sum > bestGain) {
        bestGain = sum;
        best = i;
      }
    }
    if (best == at) return false;
    const auto first = slot_.begin() + static_cast<ptrdiff_t>(std::min(at, best));
    const auto last = slot_.begin() + static_cast<ptrdiff_t>(std::max(at, best)) + 1;
    std::rotate(first, best > at ? first + 1 : last - 1, last);
    return true;
  }

  bool keepIfBetter() {
    used_ += 2 * graph_.segments.size();
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
  const CancelToken& cancel_;
  const bool thorough_;
  std::vector<uint32_t> position_;
  std::vector<float> key_;
  std::vector<uint32_t> slot_;  // of the layer in work: its old indices in their new order
  std::vector<uint32_t> before_;
  std::vector<uint32_t> places_;
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;
  SideLists above_;
  SideLists below_;
  uint64_t work_ = 0;
  uint64_t used_ = 0;
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
  std::vector<uint64_t> tree;
  for (size_t layer = 0; layer + 1 < graph.layers.size(); ++layer) {
    const size_t width = graph.layers[layer + 1].size();
    tree.assign(width + 1, 0);
    uint64_t inserted = 0;
    for (uint32_t vertex : graph.layers[layer]) {
      const auto ends = graph.down.of(vertex);
      const uint32_t* weights = graph.downWeight.data() + graph.down.start[vertex];
      // Each earlier segment that ends further right crosses this one.
      for (size_t k = 0; k < ends.size(); ++k) {
        uint64_t notRight = 0;
        for (uint32_t i = position[ends[k]] + 1; i > 0; i &= i - 1) notRight += tree[i];
        crossings += (inserted - notRight) * weights[k];
      }
      for (size_t k = 0; k < ends.size(); ++k) {
        for (uint32_t i = position[ends[k]] + 1; i <= width; i += i & (~i + 1)) tree[i] += weights[k];
        inserted += weights[k];
      }
    }
  }
  return crossings;
}

Status orderLayers(LayerGraph& graph, bool thorough, const CancelToken& cancel) {
  return Orderer(graph, thorough, cancel).run();
}

}  // namespace hilo
