#include "core/analysis/kernel_layouts/inference/layout_constraint.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/kernel_layouts/inference/has_item.h"

namespace hilo::inference {
namespace {

// Nothing where the constant is no array that a tile can cut.
std::optional<Sizes> tileOf(const LayoutConstant& constant) {
  if (const TiledLayout* tiled = asTiled(constant)) return tiled->tiling.tiles.front();
  if (const auto* tensor = std::get_if<TensorLayout>(&constant)) return tensor->layout.tiling.tiles.front();
  if (const auto* shared = std::get_if<SharedTransforms>(&constant)) return shared->tile;
  return std::nullopt;
}

const RegisterLayout* registersOf(const LayoutConstant& constant) {
  return std::get_if<RegisterLayout>(&constant);
}

bool check(const Equals&, const LayoutConstant& first, const LayoutConstant& second, int64_t) {
  return first == second;
}

bool check(const Relayout& relation, const LayoutConstant& from, const LayoutConstant& to, int64_t) {
  const auto* a = registersOf(from);
  const auto* b = registersOf(to);
  return a && b && canRelayout(*a, *b, relation.elementBits, relation.isStrict);
}

bool check(const TensorMove& move, const LayoutConstant& from, const LayoutConstant& to, int64_t) {
  const bool isLoad = std::holds_alternative<TensorLayout>(from);
  const auto* tensor = std::get_if<TensorLayout>(isLoad ? &from : &to);
  const auto* registers = registersOf(isLoad ? to : from);
  return tensor && registers && canMoveTensor(move.shape, move.elementBits, tensor->layout, *registers);
}

bool check(const SharedMove& move, const LayoutConstant& from, const LayoutConstant& to, int64_t smMajor) {
  const bool isLoad = std::holds_alternative<SharedTransforms>(from);
  const auto* shared = std::get_if<SharedTransforms>(isLoad ? &from : &to);
  const auto* registers = registersOf(isLoad ? to : from);
  return shared && registers && canMoveShared(move.array, *shared, *registers, move.kind, smMajor);
}

// Equality with what a reduction leaves says the rest of tiled layouts.
bool check(const Broadcasts& broadcast, const LayoutConstant& from, const LayoutConstant& to, int64_t) {
  const StridedLayout* a = asStrided(from);
  const StridedLayout* b = asStrided(to);
  if (a && b) return canBroadcastStrided(*a, *b, broadcast.dimensions);
  const auto* one = registersOf(from);
  const auto* other = registersOf(to);
  return one && other && one->index() == other->index();
}

bool check(const NotOfKind& relation, const LayoutConstant& constant, const LayoutConstant&, int64_t) {
  switch (relation.kind) {
    case RegisterKind::Tiled:
      return !asTiled(constant);
    case RegisterKind::Strided:
      return !asStrided(constant);
    case RegisterKind::Splat:
      return !asSplat(constant);
  }
  return true;
}

bool check(const Divides& divides, const LayoutConstant& constant, const LayoutConstant&, int64_t) {
  const auto tile = tileOf(constant);
  if (!tile) return true;
  if (tile->size() > divides.multiple.size()) return false;
  return std::equal(tile->rbegin(), tile->rend(), divides.multiple.rbegin(),
                    [](int64_t size, int64_t multiple) { return multiple % size == 0; });
}

bool check(const MinorDivisible& relation, const LayoutConstant& constant, const LayoutConstant&, int64_t) {
  const auto* shared = std::get_if<SharedTransforms>(&constant);
  return shared && (shared->tile.empty() || shared->tile.back() % relation.divisor == 0);
}

bool check(const MmaTile& mma, const LayoutConstant& constant, const LayoutConstant&, int64_t) {
  const auto* shared = std::get_if<SharedTransforms>(&constant);
  if (!shared || shared->tile.empty()) return false;
  if (shared->swizzleBytes == 0 && !mma.mayBeUnswizzled) return false;
  const int64_t bytes = shared->swizzleBytes == 0 ? 16 : shared->swizzleBytes;
  return shared->tile == Sizes{8, bytes * 8 / mma.elementBits};
}

bool check(const OneOf& one, const LayoutConstant& constant, const LayoutConstant&, int64_t) {
  return hasItem(one.allowed, constant);
}

void becomeEquals(LayoutConstraint& constraint, std::optional<LayoutExpression> second) {
  constraint.relation = Equals{};
  constraint.second = std::move(second);
}

void simplify(LayoutConstraint& constraint) {
  if (const auto* relation = std::get_if<Relayout>(&constraint.relation); relation && relation->isStrict) {
    const LayoutConstant* from = constraint.first.constant();
    if (from && (asTiled(*from) || asStrided(*from))) becomeEquals(constraint, std::move(constraint.second));
  } else if (auto* one = std::get_if<OneOf>(&constraint.relation)) {
    std::vector<LayoutConstant> different;
    for (const LayoutConstant& allowed : one->allowed)
      if (!hasItem(different, allowed)) different.push_back(allowed);
    one->allowed = std::move(different);
    if (one->allowed.size() == 1) becomeEquals(constraint, LayoutExpression(LayoutConstant(one->allowed[0])));
  }
}

}  // namespace

std::vector<VariableId> LayoutConstraint::variables() const {
  std::vector<VariableId> all;
  if (const auto variable = first.unknown()) all.push_back(*variable);
  if (!second) return all;
  if (const auto variable = second->unknown(); variable && !hasItem(all, *variable)) all.push_back(*variable);
  return all;
}

bool LayoutConstraint::says(const LayoutConstraint& other) const {
  return relation == other.relation && first == other.first && second == other.second;
}

LayoutConstraint equalLayouts(LayoutExpression first, LayoutExpression second) {
  return between(std::move(first), std::move(second), Equals{});
}

LayoutConstraint relayout(LayoutExpression from, LayoutExpression to, int64_t elementBits, bool isStrict) {
  return between(std::move(from), std::move(to), Relayout{elementBits, isStrict});
}

LayoutConstraint about(LayoutExpression expression, Relation relation) {
  return {
      .relation = std::move(relation), .first = std::move(expression), .second = std::nullopt, .origins = {}};
}

LayoutConstraint between(LayoutExpression first, LayoutExpression second, Relation relation) {
  return {
      .relation = std::move(relation), .first = std::move(first), .second = std::move(second), .origins = {}};
}

std::optional<bool> holds(const LayoutConstraint& constraint, int64_t smMajor) {
  const LayoutConstant* first = constraint.first.constant();
  const LayoutConstant* second = constraint.second ? constraint.second->constant() : first;
  if (!first || !second) return std::nullopt;
  return std::visit([&](const auto& relation) { return check(relation, *first, *second, smMajor); },
                    constraint.relation);
}

bool reduceConstraint(LayoutConstraint& constraint) {
  if (!reduceExpression(constraint.first)) return false;
  if (constraint.second && !reduceExpression(*constraint.second)) return false;
  simplify(constraint);
  return true;
}

bool isTautology(const LayoutConstraint& constraint) {
  const bool isReflexive = std::holds_alternative<Equals>(constraint.relation) ||
                           std::holds_alternative<Relayout>(constraint.relation);
  return isReflexive && constraint.second && constraint.first == *constraint.second;
}

Divides merged(const Divides& a, const Divides& b) {
  const size_t count = std::min(a.multiple.size(), b.multiple.size());
  Divides both{Sizes(count)};
  for (size_t i = 1; i <= count; ++i)
    both.multiple[count - i] = std::gcd(a.multiple[a.multiple.size() - i], b.multiple[b.multiple.size() - i]);
  return both;
}

}  // namespace hilo::inference
