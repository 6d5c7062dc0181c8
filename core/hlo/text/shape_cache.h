// Shapes by their text: the same few hundred spellings make up nearly all shapes of a module, so most are one
// look-up instead of a parse and a trip to the shared shape table. Keys view the source text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstring>
#include <string_view>

#include "core/hlo/ir/shape.h"

namespace hilo {

class ShapeCache {
 public:
  const Shape* find(std::string_view text) {
    Slot& slot = recent_[slotOf(text)];
    if (slot.text == text) return &slot.shape;
    const auto found = all_.find(text);
    if (found == all_.end()) return nullptr;
    slot = {found->first, found->second};
    return &slot.shape;
  }
  void insert(std::string_view text, Shape shape) { all_.emplace(text, shape); }

 private:
  struct Slot {
    std::string_view text;
    Shape shape;
  };
  static constexpr size_t kSlots = 256;

  static size_t slotOf(std::string_view text) {
    // Shape text is at least "x[]": three bytes. The ends tell spellings apart best.
    uint32_t head = 0, tail = 0;
    if (text.size() >= 8) {
      uint64_t first, last;
      std::memcpy(&first, text.data(), 8);
      std::memcpy(&last, text.data() + text.size() - 8, 8);
      const uint64_t mixed = (first ^ (last * 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull + text.size();
      return (mixed >> 40) % kSlots;
    }
    std::memcpy(&head, text.data(), text.size() >= 4 ? 4 : text.size());
    if (text.size() >= 4) std::memcpy(&tail, text.data() + text.size() - 4, 4);
    return ((head * 0x9e3779b1u) ^ (tail * 0x85ebca6bu)) >> 24;
  }

  std::array<Slot, kSlots> recent_;
  absl::flat_hash_map<std::string_view, Shape> all_;
};

}  // namespace hilo
