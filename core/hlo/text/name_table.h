// The instructions of one computation by name, while it is being parsed. Starting the next computation costs
// nothing: entries carry the number of the computation they belong to. Keys view the source text.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace hilo {

class Instruction;

class NameTable {
 public:
  // `expected` names are held without growing.
  explicit NameTable(size_t expected = 0) : slots_(std::bit_ceil(std::max(kInitialSlots, 2 * expected))) {}

  // Forgets every name.
  void clear() {
    ++generation_;
    count_ = 0;
  }

  Instruction* find(std::string_view name) const {
    const uint32_t hash = hashOf(name);
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Slot& slot = slots_[i];
      if (slot.generation != generation_) return nullptr;
      if (slot.hash == hash && slot.name == name) return slot.instruction;
    }
  }

  // False, and nothing changed, when the name is taken.
  bool insert(std::string_view name, Instruction* instruction) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const uint32_t hash = hashOf(name);
    size_t i = hash & mask();
    for (; slots_[i].generation == generation_; i = (i + 1) & mask()) {
      if (slots_[i].hash == hash && slots_[i].name == name) return false;
    }
    slots_[i] = {name, instruction, hash, generation_};
    ++count_;
    return true;
  }

  // Calls f(name) for every name there is, in no order: for did-you-mean.
  template <typename F>
  void forEach(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.generation == generation_) f(slot.name);
    }
  }

 private:
  struct Slot {
    std::string_view name;
    Instruction* instruction = nullptr;
    uint32_t hash = 0;
    uint32_t generation = 0;
  };
  static constexpr size_t kInitialSlots = 64;

  size_t mask() const { return slots_.size() - 1; }

  static uint32_t hashOf(std::string_view name) {
    constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ull;
    uint64_t hash = name.size() * kMultiplier;
    const char* p = name.data();
    size_t left = name.size();
    for (; left >= 8; left -= 8, p += 8) {
      uint64_t word;
      std::memcpy(&word, p, 8);
      hash = (hash ^ word) * kMultiplier;
      hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    std::memcpy(&rest, p, left);
    hash = (hash ^ rest) * kMultiplier;
    return static_cast<uint32_t>(hash >> 32);
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.generation != generation_) continue;
      size_t i = slot.hash & mask();
      while (slots_[i].generation == generation_) i = (i + 1) & mask();
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
  uint32_t generation_ = 1;
};

}  // namespace hilo
