// Variables, what is known of them, and the constraints that are left: reduced until nothing more follows.
#pragma once

#include <map>

#include "core/analysis/kernel_layouts/inference/layout_constraint.h"

namespace hilo::inference {

struct LayoutVariable {
  std::string name;  // "%x of arith.addf", for messages
  Sizes shape;
  MemorySpace space = MemorySpace::Registers;
  int64_t elementBits = 32;
  Sizes strides;                              // of memory
  std::optional<TensorLayout> usualInTensor;  // what an allocation in tensor memory has when nobody says more
};

// Whether the variable can have the layout: it lies in that memory, and the shape can be cut so.
bool isPossible(const LayoutVariable& variable, const LayoutConstant& layout);

// Why a variable has its layout.
struct Cause {
  enum class Kind : uint8_t { Follows, Tried, Usual };
  Kind kind = Kind::Follows;      // from constraints; tried because of one; tried because it is usual
  std::vector<uint32_t> origins;  // constraints of the kernel; empty of Usual
  uint32_t round = 0;             // of the reduction in which it was set, counted over the whole search
};

struct SetLayout {
  LayoutConstant layout;
  Cause cause;
};

// What was seen on the way, for stepping through it.
struct InferenceStep {
  enum class Kind : uint8_t { Set, Satisfied, Try, Conflict, BackOut };
  Kind kind = Kind::Set;
  uint32_t round = 0;
  uint32_t depth = 0;                  // tries that stand
  std::optional<VariableId> variable;  // of Set, Try and BackOut
  std::optional<LayoutConstant> layout;
  std::vector<uint32_t> origins;
};

// Counts rounds and keeps the first `limit` steps.
struct InferenceTrace {
  std::vector<InferenceStep> steps;
  size_t limit = 0;
  uint32_t round = 0;
  uint32_t depth = 0;
  void add(InferenceStep step);
};

// Constraints of the kernel that cannot hold together with what was set.
struct Contradiction {
  std::vector<uint32_t> origins;
  std::vector<VariableId> variables;  // of the constraints
};

struct ConstraintSystem {
  const std::vector<LayoutVariable>* variables = nullptr;  // outlive the system
  int64_t smMajor = 9;
  std::map<VariableId, SetLayout> known;
  std::vector<LayoutConstraint> constraints;

  const LayoutVariable& variable(VariableId id) const { return (*variables)[id]; }
  // Variables of constraints that are not known, in the order of the constraints.
  std::vector<VariableId> unknowns() const;
};

// Until nothing more follows; what is then left of `constraints` has an unknown variable.
std::optional<Contradiction> reduceSystem(ConstraintSystem& system, InferenceTrace& trace);

// Constraints that follow, and make the search shorter: what is not a splat is relaid out to no splat; a
// strict relayout of what is not a splat is equality; equal variables share what divides their tiles.
void spreadNotSplat(ConstraintSystem& system);
void strictRelayoutsToEquals(ConstraintSystem& system);
void spreadDivides(ConstraintSystem& system);

}  // namespace hilo::inference
