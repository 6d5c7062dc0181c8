// Depth first through whatever needs something else, without recursion: how deep it goes comes from outside.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/id_range.h"

namespace hilo {

// Nodes have an id(), among `ids`. A node that needs itself, over others or not, is visited once.
template <typename Node>
class PostOrderWalk {
 public:
  explicit PostOrderWalk(const IdRange& ids) : first_(ids.first), marks_(ids.size(), Mark::New) {}

  // Visits what `start` needs, then `start`; what was visited before is passed over. `needs(node, list)`
  // appends what a node needs, what is to be visited first in front.
  template <typename Needs>
  void visit(Node* start, const Needs& needs) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      Node* node = stack_.back();
      Mark& mark = markOf(node);
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
        if (markOf(needed_[i]) == Mark::New) stack_.push_back(needed_[i]);
      }
    }
  }

  // All that was visited, in order.
  std::vector<Node*> takeOrder() { return std::move(order_); }

 private:
  enum class Mark : uint8_t { New, Open, Closed };
  Mark& markOf(const Node* node) { return marks_[node->id().value - first_]; }

  const uint32_t first_;
  std::vector<Mark> marks_;
  std::vector<Node*> order_, stack_, needed_;
};

}  // namespace hilo
