// What layouts of values have to do with one another: the constraints of
// jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include <optional>
#include <span>

#include "core/analysis/kernel_layouts/inference/layout_expression.h"
#include "core/analysis/kernel_layouts/inference/memory_moves.h"

namespace hilo::inference {

struct Equals {
  bool operator==(const Equals&) const = default;
};
// The first can be made the second by the threads.
struct Relayout {
  int64_t elementBits = 32;
  bool isStrict = false;  // only a splat becomes another layout
  bool operator==(const Relayout&) const = default;
};
enum class RegisterKind : uint8_t { Tiled, Strided, Splat };
struct NotOfKind {
  RegisterKind kind = RegisterKind::Splat;
  bool operator==(const NotOfKind&) const = default;
};
// One side lies in tensor memory, the other in registers.
struct TensorMove {
  Sizes shape;
  int64_t elementBits = 32;
  bool operator==(const TensorMove&) const = default;
};
// One side lies in shared memory, the other in registers.
struct SharedMove {
  SharedArray array;
  MoveKind kind = MoveKind::Optimized;
  bool operator==(const SharedMove&) const = default;
};
// Sizes of the tile divide the last of these, and there are not more of them.
struct Divides {
  Sizes multiple;
  bool operator==(const Divides&) const = default;
};
// The last size of the tile is a multiple.
struct MinorDivisible {
  int64_t divisor = 1;
  bool operator==(const MinorDivisible&) const = default;
};
// A tile of 8 rows as wide as its swizzle: what wgmma and tcgen05.mma read.
struct MmaTile {
  int64_t elementBits = 16;
  bool mayBeUnswizzled = false;
  bool operator==(const MmaTile&) const = default;
};
// The first becomes the second by repeating it along the dimensions that are not named.
struct Broadcasts {
  Sizes dimensions;
  bool operator==(const Broadcasts&) const = default;
};
struct OneOf {
  std::vector<LayoutConstant> allowed;
  bool operator==(const OneOf&) const = default;
};

using Relation = std::variant<Equals, Relayout, NotOfKind, TensorMove, SharedMove, Divides, MinorDivisible,
                              MmaTile, Broadcasts, OneOf>;

struct LayoutConstraint {
  Relation relation;
  LayoutExpression first;
  std::optional<LayoutExpression> second;  // of Equals, Relayout, moves and Broadcasts
  // Numbers of the constraints of the kernel that it was made of.
  std::vector<uint32_t> origins;
  // It proposes layouts and forbids none: for finding out whether a conflict needs it.
  bool isProposal = false;

  std::vector<VariableId> variables() const;  // at most two
  // The same demand; where it comes from is not asked.
  bool says(const LayoutConstraint& other) const;
};

LayoutConstraint equalLayouts(LayoutExpression first, LayoutExpression second);
LayoutConstraint relayout(LayoutExpression from, LayoutExpression to, int64_t elementBits, bool isStrict);
LayoutConstraint about(LayoutExpression expression, Relation relation);
LayoutConstraint between(LayoutExpression first, LayoutExpression second, Relation relation);

// Nothing while a side is not a constant. `smMajor` as in canMoveShared.
std::optional<bool> holds(const LayoutConstraint& constraint, int64_t smMajor);

// Expressions reduced as far as their leaves are known; a strict relayout of a tiled or strided layout
// becomes equality, one of a single allowed layout too. False when an expression is impossible.
bool reduceConstraint(LayoutConstraint& constraint);
// True of whatever its variables are: both sides are the same.
bool isTautology(const LayoutConstraint& constraint);

// Both on one expression: gcd of their multiples, as many as the shorter one has.
Divides merged(const Divides& a, const Divides& b);

}  // namespace hilo::inference
