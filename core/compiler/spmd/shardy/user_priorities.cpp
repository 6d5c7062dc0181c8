#include "core/compiler/spmd/shardy/user_priorities.h"

namespace hilo::sdy {

UserPriorities::UserPriorities(ValueGraph& graph) : all_{0} {
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    std::optional<TensorSharding>& sharding = graph.values[id].sharding;
    if (!sharding) continue;
    const TensorSharding stated = *sharding;
    for (DimensionSharding& dimension : sharding->dimensions) {
      if (dimension.priority == 0) continue;
      all_.push_back(dimension.priority);
      sharding->replicated.insert(sharding->replicated.end(), dimension.axes.begin(), dimension.axes.end());
      dimension = {.axes = {}, .isClosed = true, .priority = 0};
    }
    if (*sharding == stated) continue;
    sortAndMerge(sharding->replicated);
    held_.emplace_back(id, stated);
  }
  std::ranges::sort(all_);
  const auto rest = std::ranges::unique(all_);
  all_.erase(rest.begin(), rest.end());
}

void UserPriorities::open(ValueGraph& graph, int64_t priority) const {
  if (priority == 0) return;
  for (const auto& [id, stated] : held_) {
    TensorSharding& now = *graph.values[id].sharding;
    for (size_t d = 0; d < now.dimensions.size(); ++d) {
      if (stated.dimensions[d].priority != priority) continue;
      now.dimensions[d] = stated.dimensions[d];
      now.dimensions[d].priority = 0;
      now.replicated = without(now.replicated, stated.dimensions[d].axes);
    }
  }
}

}  // namespace hilo::sdy
