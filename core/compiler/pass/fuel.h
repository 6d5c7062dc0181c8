// How many rewrites a pass may still make: what XLA calls fuel (xla_fuel=PASS=N, ConsumeFuel in
// xla/debug_options_flags.cc). The N-th rewrite is made and the next is not, so that the rewrite that breaks
// a module is found by trying numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "core/hlo/ir/instruction.h"

namespace hilo {

// An instruction that outlives its module by name.
struct NamedInstruction {
  InstructionId id;
  std::string name;
};

class Fuel {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  explicit Fuel(int64_t rewrites = kUnlimited) : left_(rewrites) {}

  // Whether the instruction may be rewritten now. After the first no every answer is no.
  bool take(const Instruction& instruction) {
    if (left_ == 0) {
      if (!refused_) refused_ = NamedInstruction{instruction.id(), std::string(instruction.name())};
      return false;
    }
    if (left_ != kUnlimited) --left_;
    ++taken_;
    return true;
  }
  // A rewrite was refused: none will be allowed any more.
  bool isSpent() const { return refused_.has_value(); }

  int64_t taken() const { return taken_; }
  // What would have been rewritten next.
  const std::optional<NamedInstruction>& refused() const { return refused_; }

 private:
  int64_t left_;
  int64_t taken_ = 0;
  std::optional<NamedInstruction> refused_;
};

// By pass name, how many rewrites all runs of the pass may make together. Others make as many as they want.
using FuelByPass = std::map<std::string, int64_t, std::less<>>;

}  // namespace hilo
