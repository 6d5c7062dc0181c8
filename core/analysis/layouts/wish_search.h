// The search from a value to who decides its order: upwards through what it is made of, downwards through
// what is made of it. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/analysis/layouts/wishes.h"

namespace hilo {

// What was found: the wish, and the values from where the search began up to there, the first included.
struct FoundWish {
  LayoutWish wish;
  std::vector<ArrayValue> way;
  const Instruction* user = nullptr;  // whom a downward way ends at; null: the entry's result, or upwards
  bool isPartial = false;             // only a part of the array is reached, or it is a part of one
};

class WishSearch {
 public:
  explicit WishSearch(const Module& module) : flow_(module) {}

  const ValueFlow& flow() const { return flow_; }
  // Who gave the value its order.
  FoundWish above(const ArrayValue& value) const;
  // Who wants the value of a move, `from` being what it moves.
  FoundWish below(const ArrayValue& value, const ArrayValue& from) const;

 private:
  struct Visit {
    ArrayValue value;
    int parent = -1;
    bool isPartial = false;
  };
  struct Ends;
  using Seen = absl::flat_hash_map<ArrayValue, bool>;  // whether it was reached in part only

  FoundWish goUp(const ArrayValue& value, bool passesMoves, Seen& seen, size_t most) const;
  FoundWish goDown(const ArrayValue& value, const Seen& above, bool passesMoves) const;
  std::optional<LayoutWish> besideIn(const Instruction& user, const ArrayValue& value,
                                     const Seen& above) const;

  ValueFlow flow_;
};

}  // namespace hilo
