#include "ui/shell/navigation_history.h"

namespace hilo {

void NavigationHistory::visit(const Selection& place) {
  if (!places_.empty() && places_[at_] == place) return;
  if (!places_.empty()) places_.resize(at_ + 1);
  places_.push_back(place);
  if (places_.size() > kLimit) places_.erase(places_.begin());
  at_ = places_.size() - 1;
}

}  // namespace hilo
