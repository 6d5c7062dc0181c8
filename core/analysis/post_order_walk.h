// Depth first through whatever needs something else, without recursion: how deep it goes comes from outside.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hilo {

// Nodes have an id(), below `idLimit`. A node that needs itself, over others or not, is visited once.
template <typename Node>
class PostOrderWalk {
 public:
  explicit PostOrderWalk(size_t idLimit) : marks_(idLimit, Mark::New) {}

  // Visits what `start` needs, then `start`; what was visited before is passed over. `needs(node, list)`
  // appends what a node needs, what is to be visited first in front.
  template <typename Needs>
  void visit(Node* start, const Needs& needs) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      Node* node = stack_.back();
      Mark& mark = marks_[node->id().value];
      if (mark != Mark::New) {
        stack_.pop_back();
        if (mark == Mark::Open) order_.push_back(node);
        mark = Mark::Closed;
        continue;
      }
      mark = Mark::Open;
      needed_.clear();
      needs(node, needed_);
      for (size_t i = needed_.size(); i-- > 0;) {
        if (marks_[needed_[i]->id().value] == Mark::New) stack_.push_back(needed_[i]);
      }
    }
  }

  // All that was visited, in order.
  std::vector<Node*> takeOrder() { return std::move(order_); }

 private:
  enum class Mark : uint8_t { New, Open, Closed };
  std::vector<Mark> marks_;
  std::vector<Node*> order_, stack_, needed_;
};

}  // namespace hilo
