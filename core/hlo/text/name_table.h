// The instructions of one computation by name, while it is being parsed. Starting the next computation costs
// nothing: entries are numbered through all of them. Keys view the source text.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/text_hash.h"

namespace hilo {

class Instruction;

class NameTable {
 public:
  // `expected` names are held without growing.
  explicit NameTable(size_t expected = 0) : slots_(std::bit_ceil(std::max(kInitialSlots, 2 * expected))) {
    entries_.reserve(expected);
  }

  // Forgets every name.
  void clear() {
    firstEntry_ += static_cast<uint32_t>(entries_.size());
    entries_.clear();
  }

  Instruction* find(std::string_view name) const {
    const uint32_t hash = static_cast<uint32_t>(textHash(name));
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Slot slot = slots_[i];
      if (slot.entry < firstEntry_) return nullptr;
      const Entry& entry = entries_[slot.entry - firstEntry_];
      if (slot.hash == hash && sameText(entry.name, name)) return entry.instruction;
    }
  }

  // False, and nothing changed, when the name is taken.
  bool insert(std::string_view name, Instruction* instruction) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const uint32_t hash = static_cast<uint32_t>(textHash(name));
    size_t i = hash & mask();
    for (; slots_[i].entry >= firstEntry_; i = (i + 1) & mask()) {
      if (slots_[i].hash == hash && sameText(entries_[slots_[i].entry - firstEntry_].name, name))
        return false;
    }
    slots_[i] = {hash, firstEntry_ + static_cast<uint32_t>(entries_.size())};
    entries_.push_back({name, instruction});
    return true;
  }

  // Calls f(name) for every name there is, in the order met: for did-you-mean.
  template <typename F>
  void forEach(F&& f) const {
    for (const Entry& entry : entries_) f(entry.name);
  }

 private:
  // Slots are small so that the table of a large computation stays in the second-level cache: with names and
  // pointers in the slots, inserting was a seventh of the time of a parse.
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0;  // counted over all computations: one before firstEntry_ is of an earlier one
  };
  struct Entry {
    std::string_view name;
    Instruction* instruction;
  };
  static constexpr size_t kInitialSlots = 64;

  size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.entry < firstEntry_) continue;
      size_t i = slot.hash & mask();
      while (slots_[i].entry >= firstEntry_) i = (i + 1) & mask();
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  uint32_t firstEntry_ = 1;
};

}  // namespace hilo
