#include "core/runtime/program/collectives.h"

namespace hilo {

const char* collectiveKindName(CollectiveKind kind) {
  static constexpr const char* kNames[kCollectiveKindCount] = {
      "all-reduce",        "reduce-scatter",       "all-gather",         "all-to-all", "all-to-all",
      "ragged-all-to-all", "collective-broadcast", "collective-permute", "send-recv"};
  return kNames[static_cast<size_t>(kind)];
}

const char* reductionKindName(ReductionKind kind) {
  static constexpr const char* kNames[kReductionKindCount] = {"other", "sum", "prod", "min", "max"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace hilo
