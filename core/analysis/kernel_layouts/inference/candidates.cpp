#include "core/analysis/kernel_layouts/inference/candidates.h"

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/register_candidates.h"
#include "core/analysis/kernel_layouts/inference/shared_candidates.h"

namespace hilo::inference {
namespace {

// Of a constraint with a variable on one side and a constant on the other.
struct HalfKnown {
  VariableId variable;
  const LayoutConstant* constant;
};
std::optional<HalfKnown> halfKnown(const LayoutConstraint& constraint) {
  if (!constraint.second) return std::nullopt;
  if (const auto variable = constraint.first.variable(); variable && constraint.second->constant())
    return HalfKnown{*variable, constraint.second->constant()};
  if (const auto variable = constraint.second->variable(); variable && constraint.first.constant())
    return HalfKnown{*variable, constraint.first.constant()};
  return std::nullopt;
}

class Proposals {
 public:
  explicit Proposals(const ConstraintSystem& system) : system_(system) {
    for (const LayoutConstraint& constraint : system.constraints)
      if (std::holds_alternative<Relayout>(constraint.relation)) propose(constraint);
    for (const LayoutConstraint& constraint : system.constraints)
      if (!std::holds_alternative<Relayout>(constraint.relation)) propose(constraint);
  }

  std::vector<Candidate> take() {
    std::ranges::move(late_, std::back_inserter(early_));
    return std::move(early_);
  }

 private:
  void propose(const LayoutConstraint& constraint) {
    origins_ = &constraint.origins;
    std::visit([&](const auto& relation) { from(relation, constraint); }, constraint.relation);
  }

  void add(VariableId variable, LayoutConstant layout) {
    const bool isLate = std::holds_alternative<RegisterLayout>(layout) && !asTiled(layout);
    (isLate ? late_ : early_).push_back({variable, std::move(layout), {Cause::Kind::Tried, *origins_, 0}});
  }

  void from(const Relayout&, const LayoutConstraint& constraint) {
    if (const auto half = halfKnown(constraint)) add(half->variable, *half->constant);
  }

  void from(const TensorMove& move, const LayoutConstraint& constraint) {
    const auto half = halfKnown(constraint);
    if (!half) return;
    if (const auto* tensor = std::get_if<TensorLayout>(half->constant)) {
      for (const TiledLayout& layout : registersForTensor(move, tensor->layout))
        add(half->variable, RegisterLayout(layout));
    } else if (const TiledLayout* tiled = asTiled(*half->constant)) {
      for (const TiledLayout& layout : tensorsForRegisters(move, *tiled))
        add(half->variable, TensorLayout{layout});
    }
  }

  void from(const SharedMove& move, const LayoutConstraint& constraint) {
    const auto half = halfKnown(constraint);
    if (!half) return;
    if (const auto* shared = std::get_if<SharedTransforms>(half->constant)) {
      const LayoutVariable& variable = system_.variable(half->variable);
      if (shared->tile.empty()) {
        if (auto strided = usualStrided(variable.shape, variable.elementBits))
          add(half->variable, RegisterLayout(*std::move(strided)));
        return;
      }
      for (const TiledLayout& layout : registersForTiledMemory(system_.smMajor))
        add(half->variable, RegisterLayout(layout));
    } else if (asTiled(*half->constant) && move.array.shape.size() >= 2) {
      for (const SharedTransforms& transforms :
           transformsForRegisters(system_.variable(half->variable), dividesOf(half->variable)))
        add(half->variable, transforms);
    }
  }

  void from(const Equals&, const LayoutConstraint& constraint) {
    if (constraint.isProposal)  // one that is not only proposed sets the variable
      if (const auto half = halfKnown(constraint)) add(half->variable, *half->constant);
    fromReduction(constraint.first, *constraint.second);
    fromReduction(*constraint.second, constraint.first);
  }

  // small = reduce(large)
  void fromReduction(const LayoutExpression& large, const LayoutExpression& small) {
    if (large.steps.size() != 1 || !large.unknown() || !small.constant()) return;
    const auto* reduce = std::get_if<ReduceStep>(&large.steps[0]);
    if (!reduce) return;
    const VariableId variable = *large.unknown();
    for (const RegisterLayout& layout :
         layoutsReducedTo(*small.constant(), system_.variable(variable).shape, *reduce))
      add(variable, layout);
  }

  void from(const MmaTile& mma, const LayoutConstraint& constraint) {
    const auto variable = constraint.first.unknown();
    const bool isTransposed = constraint.first.steps.size() == 1 &&
                              std::holds_alternative<TransposeStep>(constraint.first.steps[0]);
    if (!variable || (!isTransposed && !constraint.first.steps.empty())) return;
    for (const SharedTransforms& transforms :
         transformsForMma(system_.variable(*variable).shape, mma.elementBits, isTransposed))
      add(*variable, transforms);
  }

  void from(const Broadcasts& broadcast, const LayoutConstraint& constraint) {
    const LayoutConstant* source = constraint.first.constant();
    const auto variable = constraint.second->variable();
    if (!source || !variable) return;
    const Sizes& shape = system_.variable(*variable).shape;
    if (asSplat(*source)) add(*variable, RegisterLayout(SplatLayout{shape}));
    const StridedLayout* strided = asStrided(*source);
    if (!strided) return;
    const StridedLayout larger{shape, strided->vectorSize};
    if (canBroadcastStrided(*strided, larger, broadcast.dimensions)) add(*variable, RegisterLayout(larger));
  }

  void from(const OneOf& one, const LayoutConstraint& constraint) {
    const auto variable = constraint.first.variable();
    if (!variable) return;
    for (const LayoutConstant& layout : one.allowed) add(*variable, layout);
  }

  void from(const NotOfKind&, const LayoutConstraint&) {}
  void from(const Divides&, const LayoutConstraint&) {}
  void from(const MinorDivisible&, const LayoutConstraint&) {}

  const Divides* dividesOf(VariableId variable) const {
    for (const LayoutConstraint& constraint : system_.constraints)
      if (const auto* divides = std::get_if<Divides>(&constraint.relation);
          divides && constraint.first.variable() == variable)
        return divides;
    return nullptr;
  }

  const ConstraintSystem& system_;
  const std::vector<uint32_t>* origins_ = nullptr;  // of the constraint that proposes
  std::vector<Candidate> early_, late_;
};

std::optional<LayoutConstant> usual(const LayoutVariable& variable) {
  switch (variable.space) {
    case MemorySpace::Registers:
      if (auto strided = usualStrided(variable.shape, variable.elementBits))
        return RegisterLayout(*std::move(strided));
      return std::nullopt;
    case MemorySpace::Shared:
      return SharedTransforms{};
    case MemorySpace::Tensor:
      if (variable.usualInTensor) return *variable.usualInTensor;
      return std::nullopt;
    case MemorySpace::None:
    case MemorySpace::Global:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Candidate> candidates(const ConstraintSystem& system, const std::vector<VariableId>& unknowns) {
  std::vector<Candidate> all = Proposals(system).take();
  for (VariableId variable : unknowns) {
    if (system.known.contains(variable)) continue;
    if (auto layout = usual(system.variable(variable)))
      all.push_back({variable, *std::move(layout), {Cause::Kind::Usual, {}, 0}});
  }
  return all;
}

}  // namespace hilo::inference
