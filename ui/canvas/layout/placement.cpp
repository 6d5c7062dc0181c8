// The third step: x. Each layer in turn takes the positions nearest to where its neighbours want it, kept
// apart and in order: an isotonic regression, solved exactly by pooling adjacent violators.
#include <algorithm>

#include "ui/canvas/layout/layer_graph.h"

namespace hilo {
namespace {

class Placer {
 public:
  Placer(const LayerGraph& graph, float gap) : graph_(graph), gap_(gap), x_(graph.vertexCount(), 0.0f) {}

  std::vector<float> run() {
    packLayers();
    const int rounds = graph_.vertexCount() < 20'000 ? 8 : 4;
    for (int round = 0; round < rounds; ++round) {
      const bool down = round % 2 == 0;
      sweep(down, down, !down);
    }
    // At last both sides at once, so that neither ends up favoured.
    sweep(true, true, true);
    sweep(false, true, true);
    alignToZero();
    return std::move(x_);
  }

 private:
  float separation(uint32_t left, uint32_t right) const {
    // Two edges that only pass by may run closer than nodes stand, and those of one node as one cable.
    if (graph_.areOfOneNode(left, right)) return gap_ * 0.15f;
    const bool lines = graph_.isDummy(left) && graph_.isDummy(right);
    return (graph_.width[left] + graph_.width[right]) / 2 + (lines ? gap_ * 0.4f : gap_);
  }

  void packLayers() {
    for (const auto& layer : graph_.layers) {
      float x = 0;
      for (size_t i = 0; i < layer.size(); ++i) {
        if (i > 0) x += separation(layer[i - 1], layer[i]);
        x_[layer[i]] = x;
      }
      for (uint32_t vertex : layer) x_[vertex] -= x / 2;
    }
  }

  void sweep(bool down, bool useUp, bool useDown) {
    const size_t count = graph_.layers.size();
    for (size_t step = 0; step < count; ++step) {
      placeLayer(graph_.layers[down ? step : count - 1 - step], useUp, useDown);
    }
  }

  // The parts of a long edge hold together however many edges join it on the way.
  float linkWeight(uint32_t vertex, uint32_t other, size_t links) const {
    const int dummies = graph_.isDummy(vertex) + graph_.isDummy(other);
    return dummies == 2 ? 32.0f : (dummies == 1 ? 2.0f : 1.0f) / static_cast<float>(links);
  }

  void placeLayer(const std::vector<uint32_t>& layer, bool useUp, bool useDown) {
    blocks_.clear();
    float offset = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const uint32_t vertex = layer[i];
      if (i > 0) offset += separation(layer[i - 1], vertex);
      float weight = 0;
      float sum = 0;
      auto add = [&](std::span<const uint32_t> list) {
        for (uint32_t other : list) {
          const float link = linkWeight(vertex, other, list.size());
          weight += link;
          sum += link * x_[other];
        }
      };
      if (useUp) add(graph_.up.of(vertex));
      if (useDown) add(graph_.down.of(vertex));
      if (weight == 0) {
        weight = 0.05f;
        sum = weight * x_[vertex];
      }
      blocks_.push_back({sum / weight - offset, weight, 1});
      pool();
    }
    offset = 0;
    size_t i = 0;
    for (const Block& block : blocks_) {
      for (uint32_t k = 0; k < block.count; ++k, ++i) {
        if (i > 0) offset += separation(layer[i - 1], layer[i]);
        x_[layer[i]] = block.value + offset;
      }
    }
  }

  // Merges the last blocks while their values are out of order.
  void pool() {
    while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].value >= blocks_.back().value) {
      const Block last = blocks_.back();
      blocks_.pop_back();
      Block& before = blocks_.back();
      const float weight = before.weight + last.weight;
      before.value = (before.value * before.weight + last.value * last.weight) / weight;
      before.weight = weight;
      before.count += last.count;
    }
  }

  void alignToZero() {
    float left = std::numeric_limits<float>::max();
    for (uint32_t vertex = 0; vertex < x_.size(); ++vertex) {
      left = std::min(left, x_[vertex] - graph_.width[vertex] / 2);
    }
    for (float& x : x_) x -= left;
  }

  struct Block {
    float value;
    float weight;
    uint32_t count;
  };

  const LayerGraph& graph_;
  const float gap_;
  std::vector<float> x_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<float> placeVertices(const LayerGraph& graph, float gap) { return Placer(graph, gap).run(); }

}  // namespace hilo
