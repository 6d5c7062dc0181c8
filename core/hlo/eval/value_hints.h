// What the uses of a value ask of its elements.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <limits>
#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

struct ValueHint {
  int64_t limit = std::numeric_limits<int64_t>::max();  // integers must be in [0, limit)
  int64_t lowest = 0;                                   // and at least this
  bool positive = false;                                // floats must be above 0
  bool isSortKey = false;                               // better without repeated values
  bool isGroupSizes = false;                            // must add up to at most groupRows
  int64_t groupRows = 0;
  bool isBits = false;  // any bits will do: a generator's state
};

// Follows values forward through tuples, calls, loops and operations that only move or convert elements, or
// keep their sign.
class ValueTracer {
 public:
  explicit ValueTracer(const Module& module);

  // The hint for the element of `value` at `path` (empty for an array).
  ValueHint trace(const Instruction& value, std::span<const int64_t> path) const;

 private:
  struct Place {
    const Instruction* value;
    absl::InlinedVector<int64_t, 4> path;
    friend bool operator==(const Place&, const Place&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Place& place) {
      return H::combine(std::move(h), place.value, place.path);
    }
  };
  void follow(const Place& place, std::vector<Place>& next) const;
  void followIntoUse(const Place& place, const Instruction& user, size_t operand,
                     std::vector<Place>& next) const;

  absl::flat_hash_map<const Computation*, std::vector<const Instruction*>> callers_;
};

}  // namespace hilo
