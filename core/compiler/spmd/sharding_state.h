// The shardings of a module while they spread, and why each is what it is.
#pragma once

#include "core/compiler/spmd/tiling.h"

namespace hilo {

// Who gave an instruction its sharding. The same instruction may get several, each better than the last.
struct ShardingDecision {
  InstructionId instruction;
  std::string name;
  std::string sharding;   // XLA's text of what it got
  std::string neighbour;  // the instruction it came from; "" where the module itself says it
  std::string rule;       // "dot", "elementwise", "while", "shard-as", ...
  enum class Direction : uint8_t { FromOperand, FromUser, Linked } direction = Direction::FromOperand;
  int level = 0;  // aggressiveness, 0 to 3
  int round = 0;  // over the module, counted through all levels
};

class ShardingState {
 public:
  ShardingState(Module& module)
      : module_(module), tilings_(module.idLimit()), isFixed_(module.idLimit(), false) {}

  Module& module() const { return module_; }
  int64_t partitions() const { return module_.partitionCount(); }
  // Null where the instruction has none.
  const Tilings* of(const Instruction* instruction) const {
    const auto& found = tilings_[instruction->id().value];
    return found ? &*found : nullptr;
  }
  // Of an array.
  const Tiling* arrayOf(const Instruction* instruction) const {
    const Tilings* all = of(instruction);
    return all != nullptr && all->size() == 1 ? &all->front() : nullptr;
  }
  void set(const Instruction* instruction, Tilings tilings) {
    tilings_[instruction->id().value] = std::move(tilings);
  }
  void clear(const Instruction* instruction) { tilings_[instruction->id().value].reset(); }

  // What the module says itself does not change.
  bool isFixed(const Instruction* instruction) const { return isFixed_[instruction->id().value]; }
  void fix(const Instruction* instruction) { isFixed_[instruction->id().value] = true; }

 private:
  Module& module_;
  std::vector<std::optional<Tilings>> tilings_;
  std::vector<bool> isFixed_;
};

// Whether `a` says more than `b`: tiled more than replicated, more tiles more than fewer.
bool saysMore(const Tiling& a, const Tiling& b);
// What `current` (null: nothing) becomes when a neighbour offers `offer`; nullopt: it stays. `mayMerge`: two
// partly replicated tilings may become one of both. `mayReplace`: a tiling may take the place of another
// that has fewer tiles, though it lies differently.
std::optional<Tiling> improved(const Tiling& offer, const Tiling* current, Shape shape, bool mayMerge,
                               bool mayReplace);
// `to` with `more` in it where the two go together or `more` says more.
Tiling mergedOrBetter(const Tiling& to, const Tiling& more, bool mayMerge);

}  // namespace hilo
