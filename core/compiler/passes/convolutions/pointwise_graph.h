// The elementwise work behind a convolution that a graph of cuDNN's can do.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

class PointwiseGraph {
 public:
  // One operation of the graph. Those without a value are steps on the way to one.
  struct Node {
    std::string name;
    ElementType type = ElementType::F32;   // of what it gives
    std::vector<size_t> inputs;            // nodes before it
    Instruction* outside = nullptr;        // what it reads besides, null: nothing
    Instruction* value = nullptr;          // what it computes
    std::vector<Instruction*> inner = {};  // instructions in between, read by the value alone
  };

  // What the call computes: `nodes` in order, and what it gives.
  struct Choice {
    std::vector<size_t> nodes;
    size_t result = 0;
    std::vector<size_t> maxima;
  };

  struct Scale {
    Instruction* scalar;
    bool divides;
  };
  // `conv`: the result of the convolution. `scales`: what it is multiplied or divided by first.
  PointwiseGraph(Instruction& conv, std::span<const Scale> scales);

  // As much as possible of which nothing but the result, and maxima, is read outside.
  Choice choose() const;
  const Node& node(size_t n) const { return nodes_[n]; }
  // The text that the library reads.
  std::string text(const Choice& choice) const;
  // What the call takes besides input and filter.
  std::vector<Instruction*> outsides(const Choice& choice) const;

 private:
  void take(Instruction& i);
  bool takeScaled(Instruction& i);
  bool takeSum(Instruction& i);
  bool takeRelu6(Instruction& i);
  bool takeSelect(Instruction& i);
  bool takeMaximum(Instruction& i);
  bool takeCast(Instruction& i);
  const size_t* nodeOf(const Instruction* value) const;
  size_t add(Node node);
  void dropMaximaThatAreRead();
  std::vector<bool> leadingTo(size_t result) const;
  bool isClosed(const std::vector<bool>& taken, size_t result) const;

  std::vector<Node> nodes_;
  absl::flat_hash_map<const Instruction*, size_t> nodeOf_;  // by the value it computes
};

}  // namespace hilo
