#include "core/runtime/program/allocation_name.h"

#include "core/base/enum_table.h"

namespace hilo {

const char* allocationKindName(AllocationKind kind) {
  static constexpr EnumTable<AllocationKind, const char*> kNames(
      {"temporary", "parameter", "constant", "device ids", "sizes of arguments"});
  static_assert(enumCount<AllocationKind>() == kAllocationKindCount);
  return kNames[kind];
}

std::string allocationName(const Allocation& allocation) {
  const std::string name = allocationKindName(allocation.kind);
  return allocation.isOnHost() ? "host " + name : name;
}

}  // namespace hilo
