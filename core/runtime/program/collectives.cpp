#include "core/runtime/program/collectives.h"

#include "core/base/enum_table.h"

namespace hilo {

static_assert(enumCount<CollectiveKind>() == kCollectiveKindCount);
static_assert(enumCount<ReductionKind>() == kReductionKindCount);
static_assert(enumCount<DeviceGroupMode>() == kDeviceGroupModeCount);

const char* collectiveKindName(CollectiveKind kind) {
  static constexpr EnumTable<CollectiveKind, const char*> kNames(
      {"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "all-to-all", "ragged-all-to-all",
       "collective-broadcast", "collective-permute", "send-recv"});
  return kNames[kind];
}

const char* reductionKindName(ReductionKind kind) {
  static constexpr EnumTable<ReductionKind, const char*> kNames({"other", "sum", "prod", "min", "max"});
  return kNames[kind];
}

}  // namespace hilo
