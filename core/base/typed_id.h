// Ids as distinct types: TypedId<struct InstructionTag> does not convert to another id or to an int.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace hilo {

template <typename Tag>
struct TypedId {
  static constexpr uint32_t kNone = 0xffffffff;
  uint32_t value = kNone;

  constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(TypedId, TypedId) = default;
  template <typename H>
  friend H AbslHashValue(H h, TypedId id) {
    return H::combine(std::move(h), id.value);
  }
};

}  // namespace hilo

template <typename Tag>
struct std::hash<hilo::TypedId<Tag>> {
  size_t operator()(hilo::TypedId<Tag> id) const { return std::hash<uint32_t>()(id.value); }
};
