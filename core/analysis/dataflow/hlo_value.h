// A value: the array, token, opaque or tuple table that one instruction makes at one part of its shape, and
// all the places it goes to without being copied. XLA's HloValue (service/hlo_value.h).
#pragma once

#include <string>
#include <vector>

#include "core/analysis/dataflow/shape_index.h"
#include "core/base/typed_id.h"
#include "core/hlo/ir/module.h"

namespace hilo {

using ValueId = TypedId<struct ValueTag>;

struct HloPosition {
  const Instruction* instruction = nullptr;
  ShapeIndex index;
  friend bool operator==(const HloPosition&, const HloPosition&) = default;
};
std::string toString(const HloPosition& position);  // "while.1{0,1}", as XLA writes it

struct HloUse {
  const Instruction* instruction = nullptr;
  uint32_t operandNumber = 0;
  ShapeIndex operandIndex;
  friend bool operator==(const HloUse&, const HloUse&) = default;
};

struct HloValue {
  ValueId id;
  Shape shape;
  bool isPhi = false;                             // merges values where control flow joins
  bool livesOut = false;                          // is, or is part of, the entry's result
  absl::InlinedVector<HloPosition, 1> positions;  // the defining one first
  absl::InlinedVector<HloUse, 1> uses;

  const HloPosition& definition() const { return positions.front(); }
  const Instruction& instruction() const { return *positions.front().instruction; }
  const ShapeIndex& index() const { return positions.front().index; }
};
// "<12 while.1{0} (phi)>"
std::string toString(const HloValue& value);

// Sorted by id. Nearly always one; several where control flow joins and phis are off.
using ValueSet = absl::InlinedVector<ValueId, 2>;

}  // namespace hilo
