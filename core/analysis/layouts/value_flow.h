// How an array's order in memory goes from value to value: an elementwise operation lies as its operands do,
// a bitcast is the same bytes, a loop's state is what goes in and what its body gives back. Through fusions,
// calls, loops, branches, tuples and asynchronous pairs, so that what is asked for in one computation is
// found from another.
#pragma once

#include <absl/container/inlined_vector.h>

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// An instruction's result, or the element of its tuple at `path`.
struct ArrayValue {
  using Path = absl::InlinedVector<int32_t, 2>;
  const Instruction* at = nullptr;
  Path path = {};

  Shape shape() const;  // no array where a broken module has none there
  friend bool operator==(const ArrayValue&, const ArrayValue&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ArrayValue& value) {
    return H::combine(std::move(h), value.at, value.path);
  }
};

// Where a value goes.
struct ArrayUse {
  const Instruction* user = nullptr;  // null: it is the entry's result
  size_t operand = 0;
  std::optional<ArrayValue> value;  // what of the user lies as it does
};

// Puts the operand's elements in another place of memory: a copy or transpose whose result is not the same
// bytes in the same order.
bool movesElements(const Instruction& instruction);
// Operands, by number, as which the result lies at no cost; empty where the result has an order of its own.
std::vector<size_t> carriedOperands(const Instruction& instruction);

class ValueFlow {
 public:
  explicit ValueFlow(const Module& module);

  // What a value lies as, a loop's turns last. Empty: what makes it decides.
  std::vector<ArrayValue> sourcesOf(const ArrayValue& value) const;
  std::vector<ArrayUse> usesOf(const ArrayValue& value) const;
  // An entry parameter, or one of a computation that nobody calls.
  bool isInput(const Instruction& parameter) const;
  // A loop runs it once a turn.
  bool isInLoop(const Instruction& instruction) const;
  // The instruction that runs as one: of what a fusion holds the outermost fusion.
  const Instruction& kernelOf(const Instruction& instruction) const;

 private:
  std::optional<std::vector<ArrayValue>> structuralSources(const ArrayValue& value) const;
  static void addRoots(const ArrayValue& value, std::vector<ArrayValue>& sources);
  void addParameterSources(const ArrayValue& value, std::vector<ArrayValue>& sources) const;
  static void addTupleUses(const ArrayValue& value, const Instruction& user, std::vector<ArrayUse>& uses);
  void addOperandUses(const ArrayValue& value, const Instruction& user, std::vector<ArrayUse>& uses) const;
  static void addCallUses(const ArrayValue& value, const Instruction& user, size_t operand,
                          std::vector<ArrayUse>& uses);
  void addResultUses(const ArrayValue& value, std::vector<ArrayUse>& uses) const;

  std::vector<std::vector<const Instruction*>> callers_;  // by computation id
};

}  // namespace hilo
