// Where the user has been, as a browser keeps it: back, forward, and a new place forgets what was forward.
#pragma once

#include <vector>

#include "ui/models/selection.h"

namespace hilo {

class NavigationHistory {
 public:
  static constexpr size_t kLimit = 200;
  // The place where the user is now; the same place again is not kept twice.
  void visit(const Selection& place);
  bool canGoBack() const { return at_ > 0; }
  bool canGoForward() const { return at_ + 1 < places_.size(); }
  // The place to go to; must be possible.
  const Selection& back() { return places_[--at_]; }
  const Selection& forward() { return places_[++at_]; }
  size_t size() const { return places_.size(); }

 private:
  std::vector<Selection> places_;
  size_t at_ = 0;
};

}  // namespace hilo
