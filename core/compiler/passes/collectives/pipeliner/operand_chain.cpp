#include "core/compiler/passes/collectives/pipeliner/body_facts.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

class ChainFinder {
 public:
  ChainFinder(Instruction& collective, const BodyFacts& facts, const PipelinerOptions& options)
      : collective_(collective), facts_(facts), options_(options) {}

  MoveOrReason find() {
    if (facts_.controlDependent.contains(&collective_) && !options_.allowControlDependencies)
      return {{}, "it has control dependencies"};
    if (std::string reason = walk(); !reason.empty()) return {{}, std::move(reason)};
    for (const Instruction* i : chain_) {
      if (std::string reason = whyChainEndsAt(*i); !reason.empty()) return {{}, std::move(reason)};
    }
    return {PipelinedMove{.collectives = {&collective_}, .formatting = std::move(chain_)}, {}};
  }

 private:
  bool allowsVariant(const Instruction& element) const {
    return options_.allowLoopVariantParameter && options_.allowLoopVariantParameter(element);
  }

  // Operands first, without recursion: chains are as long as bodies.
  std::string walk() {
    std::vector<std::pair<Instruction*, size_t>> stack = {{&collective_, 0}};
    visited_.insert(&collective_);
    if (options_.additionalChainStart) {
      Instruction* more = options_.additionalChainStart(collective_);
      if (more != nullptr && visited_.insert(more).second) stack.emplace_back(more, 0);
    }
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      if (next == at->operandCount()) {
        if (at != &collective_) chain_.push_back(at);
        stack.pop_back();
        continue;
      }
      Instruction* operand = at->operand(next++);
      if (operand->opcode() == Opcode::Parameter) continue;
      const bool changes = facts_.isElement(*operand) && !facts_.isCounter(*operand) &&
                           !facts_.invariantElements.contains(operand) &&
                           !isEffectiveScalar(operand->shape());
      if (changes && !allowsVariant(*operand)) {
        return fmt::format("%{}, which its operands come from, changes from iteration to iteration",
                           operand->name());
      }
      if (visited_.insert(operand).second) stack.emplace_back(operand, 0);
    }
    return {};
  }

  std::string whyChainEndsAt(const Instruction& i) const {
    if (i.opcode() == Opcode::AfterAll) return {};
    if (i.opcode() == Opcode::RecvDone) return fmt::format("its operands come from %{}", i.name());
    const bool onlyForIt =
        std::ranges::all_of(i.users(), [&](const Instruction* user) { return visited_.contains(user); });
    if (onlyForIt) return {};
    if (hasSideEffect(i)) return fmt::format("%{} cannot be done twice", i.name());
    const bool isAllowedElement = facts_.isElement(i) && allowsVariant(i);
    const bool isInvariant = options_.includeInvariantOperations && facts_.invariantInstructions.contains(&i);
    if (facts_.invariantElements.contains(&i) || isEffectiveScalar(i.shape()) || isAllowedElement ||
        isInvariant)
      return {};
    return fmt::format("%{}, which its operands come from, has other users", i.name());
  }

  Instruction& collective_;
  const BodyFacts& facts_;
  const PipelinerOptions& options_;
  std::vector<Instruction*> chain_;
  absl::flat_hash_set<const Instruction*> visited_;
};

}  // namespace

MoveOrReason findOperandChain(Instruction& collective, const BodyFacts& facts,
                              const PipelinerOptions& options) {
  return ChainFinder(collective, facts, options).find();
}

}  // namespace hilo
