#include "core/compiler/passes/layout/layout_assignment.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <ranges>

#include "core/analysis/call_graph.h"

namespace hilo {
namespace {

// Orders of one and none dimension are all the same.
bool hasOrder(Shape shape) { return shape.isArray() && shape.rank() > 1; }

// What the users of an instruction would have it lie in.
struct Want {
  DimensionOrder order;
  bool isFirm;  // no other will do; else one of many that dots take
};

class Assignment {
 public:
  Assignment(Computation& computation, PassContext& context, const EngineLayouts& layouts)
      : computation_(computation), context_(context), layouts_(layouts) {
    for (Instruction* instruction : computation.instructions()) instructions_.push_back(instruction);
    stated_.reserve(instructions_.size());
    for (const Instruction* instruction : instructions_) {
      rules_[instruction] = layouts.ruleOf(*instruction);
      if (instruction->shape().isArray()) stated_[instruction] = instruction->shape();
    }
  }

  bool run() {
    for (Instruction* instruction : instructions_ | std::views::reverse) askOperands(*instruction);
    for (Instruction* instruction : instructions_) {
      if (context_.cancelled()) return changed_;
      if (rules_.at(instruction) == LayoutRule::Stated) {
        keepStated(*instruction);
      } else {
        assign(*instruction);
      }
    }
    joinBitcasts();
    return changed_;
  }

 private:
  DimensionOrder statedOrder(const Instruction& instruction) const {
    return majorToMinor(stated_.at(&instruction));
  }
  static bool sameOrder(const Instruction& instruction, const DimensionOrder& order) {
    return sameMemoryOrder(instruction.shape(), inDimensionOrder(instruction.shape(), order));
  }

  // --- From results up: what users would like best.

  const Want* wanted(const Instruction& instruction) const {
    const auto found = wants_.find(&instruction);
    return found == wants_.end() ? nullptr : &found->second;
  }
  void ask(const Instruction& operand, DimensionOrder order, bool isFirm) {
    if (!hasOrder(operand.shape())) return;
    const bool isStated = order == statedOrder(operand);
    const auto [entry, isNew] = wants_.try_emplace(&operand, Want{order, isFirm});
    // Of several, the order stated, in which it is most often as well.
    if (isNew || isFirm < entry->second.isFirm) return;
    if (isStated || isFirm > entry->second.isFirm) entry->second = {std::move(order), isFirm};
  }

  void askOperands(const Instruction& instruction) {
    if (instruction.isRoot() && hasOrder(instruction.shape()))
      wants_[&instruction] = {statedOrder(instruction), true};
    for (size_t i = 0; i < instruction.operandCount(); ++i) {
      if (hasOrder(instruction.operand(i)->shape())) askOperand(instruction, i);
    }
  }

  void askOperand(const Instruction& instruction, size_t index) {
    const Instruction& operand = *instruction.operand(index);
    // A copy: asking moves what is kept.
    const Want* kept = wanted(instruction);
    const auto want = kept == nullptr ? std::nullopt : std::optional(*kept);
    switch (rules_.at(&instruction)) {
      case LayoutRule::Stated:
        return ask(operand, statedOrder(operand), true);
      case LayoutRule::Copy:
      case LayoutRule::Same:
        if (want) ask(operand, want->order, want->isFirm);
        return;
      case LayoutRule::Transpose:
        if (want) ask(operand, backThroughTranspose(want->order, instruction.dimensions()), want->isFirm);
        return;
      case LayoutRule::Reshape:
        if (auto order = throughReshape(instruction.shape(), want ? want->order : statedOrder(instruction),
                                        operand.shape()))
          ask(operand, *std::move(order), want && want->isFirm);
        return;
      case LayoutRule::Dot:
        return ask(operand, dotOperandOrder(instruction, index), false);
      case LayoutRule::Made:
      case LayoutRule::Reduce:
        return;
    }
  }

  // The order stated where the dot takes it.
  DimensionOrder dotOperandOrder(const Instruction& dot, size_t side) const {
    DimensionOrder stated = majorToMinor(stated_.at(original(*dot.operand(side))));
    return layouts_.dotTakesOperand(dot, side, stated) ? stated : layouts_.plainDotOperand(dot, side);
  }

  // Whether the users can do with this order as it is.
  bool contents(const Instruction& instruction, const DimensionOrder& order) const {
    const Want* want = wanted(instruction);
    if (want == nullptr) return true;
    const Shape shape = instruction.shape();
    if (sameMemoryOrder(inDimensionOrder(shape, want->order), inDimensionOrder(shape, order))) return true;
    int budget = 64;
    return !want->isFirm && isTakenByUsers(instruction, order, budget);
  }
  // The budget bounds how many users are looked at on the way down to dots.
  bool isTakenByUsers(const Instruction& instruction, const DimensionOrder& order, int& budget) const {
    return !instruction.isRoot() && std::ranges::all_of(instruction.users(), [&](const Instruction* user) {
      const auto rule = rules_.find(user);
      return --budget >= 0 && rule != rules_.end() &&
             isTakenBy(*user, instruction, rule->second, order, budget);
    });
  }
  bool isTakenBy(const Instruction& user, const Instruction& operand, LayoutRule rule,
                 const DimensionOrder& order, int& budget) const {
    switch (rule) {
      case LayoutRule::Copy:
      case LayoutRule::Same:
        return isTakenByUsers(user, order, budget);
      case LayoutRule::Transpose:
        return isTakenByUsers(user, throughTranspose(order, user.dimensions()), budget);
      case LayoutRule::Reshape: {
        const auto follows = throughReshape(operand.shape(), order, user.shape());
        return follows && isTakenByUsers(user, *follows, budget);
      }
      case LayoutRule::Dot:
        for (size_t side = 0; side < 2; ++side) {
          if (user.operand(side) == &operand && !layouts_.dotTakesOperand(user, side, order)) return false;
        }
        return true;
      case LayoutRule::Reduce:
        return true;
      case LayoutRule::Made:
      case LayoutRule::Stated:
        return false;
    }
    return false;
  }

  // --- From operands down.

  void keepStated(Instruction& instruction) {
    for (size_t i = 0; i < instruction.operandCount(); ++i) {
      Instruction* operand = instruction.operand(i);
      if (!hasOrder(operand->shape())) continue;
      // Another may stand there since: what it stands for is what was stated.
      arrange(instruction, i, majorToMinor(stated_.at(original(*operand))), "as the module states it");
    }
  }

  void assign(Instruction& instruction) {
    switch (rules_.at(&instruction)) {
      case LayoutRule::Stated:
        return;
      case LayoutRule::Same:
        return assignSame(instruction);
      case LayoutRule::Made:
        return settle(instruction, wantedOrStated(instruction));
      case LayoutRule::Copy:
        return assignCopy(instruction);
      case LayoutRule::Transpose:
        return assignTranspose(instruction);
      case LayoutRule::Reshape:
        return assignReshape(instruction);
      case LayoutRule::Reduce:
        return assignReduce(instruction);
      case LayoutRule::Dot:
        return assignDot(instruction);
    }
  }

  DimensionOrder wantedOrStated(const Instruction& instruction) const {
    const Want* want = wanted(instruction);
    return want != nullptr ? want->order : statedOrder(instruction);
  }
  // A root lies as it is stated.
  void settle(Instruction& instruction, const DimensionOrder& order) {
    const Shape shape = inDimensionOrder(instruction.shape(), order);
    if (shape == instruction.shape() || sameMemoryOrder(shape, instruction.shape())) return;
    if (instruction.opcode() == Opcode::Constant) {
      Instruction* constant = remake(instruction, shape);
      originals_[constant] = &instruction;
      computation_.replaceAllUses(&instruction, constant);
    } else {
      instruction.setShape(shape);
    }
    changed_ = true;
  }

  // The order for which the fewest bytes are copied.
  void assignSame(Instruction& instruction) {
    if (!hasOrder(instruction.shape())) return;
    std::vector<DimensionOrder> candidates;
    if (instruction.isRoot()) {
      candidates = {statedOrder(instruction)};
    } else {
      if (const Want* want = wanted(instruction)) candidates.push_back(want->order);
      for (const Instruction* operand : instruction.operands()) {
        if (hasOrder(operand->shape()) && !isMade(*operand))
          candidates.push_back(majorToMinor(operand->shape()));
      }
      candidates.push_back(statedOrder(instruction));
    }
    const DimensionOrder order = *std::ranges::min_element(
        candidates, {}, [&](const DimensionOrder& candidate) { return copiedBytes(instruction, candidate); });
    for (size_t i = 0; i < instruction.operandCount(); ++i) {
      if (hasOrder(instruction.operand(i)->shape())) arrange(instruction, i, order, "as all it works on");
    }
    settle(instruction, order);
  }

  int64_t copiedBytes(const Instruction& instruction, const DimensionOrder& order) const {
    int64_t bytes = 0;
    for (const Instruction* operand : instruction.operands()) {
      if (hasOrder(operand->shape()) && !isMade(*operand) && !sameOrder(*operand, order) &&
          !copies_.contains({operand, order}))
        bytes += operand->shape().byteSize();
    }
    return contents(instruction, order) ? bytes : bytes + instruction.shape().byteSize();
  }

  void assignCopy(Instruction& instruction) {
    const DimensionOrder lies = majorToMinor(instruction.operand(0)->shape());
    if (contents(instruction, lies)) return becomeBitcast(instruction, lies);
    settle(instruction, wantedOrStated(instruction));
  }

  void assignTranspose(Instruction& instruction) {
    const DimensionOrder renamed =
        throughTranspose(majorToMinor(instruction.operand(0)->shape()), instruction.dimensions());
    if (contents(instruction, renamed)) return becomeBitcast(instruction, renamed);
    settle(instruction, wantedOrStated(instruction));
  }

  void assignReshape(Instruction& instruction) {
    const Shape from = instruction.operand(0)->shape();
    const auto follows = throughReshape(from, majorToMinor(from), instruction.shape());
    if (follows && contents(instruction, *follows)) return keepBytes(instruction, *follows);
    // The order asked for, and else the plain one, of operand and result.
    DimensionOrder order = wantedOrStated(instruction);
    auto source = throughReshape(instruction.shape(), order, from);
    if (!source) {
      order = majorToMinor(instruction.shape().withoutLayout());
      source = majorToMinor(from.withoutLayout());
    }
    arrange(instruction, 0, *source, "so that the reshape is the same bytes");
    keepBytes(instruction, order);
  }
  // Between plain orders a reshape is the same bytes as it stands.
  void keepBytes(Instruction& reshape, const DimensionOrder& order) {
    const auto isPlain = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
    if (isPlain(reshape.operand(0)->shape()) && isPlain(inDimensionOrder(reshape.shape(), order)))
      return settle(reshape, order);
    becomeBitcast(reshape, order);
  }

  void assignReduce(Instruction& instruction) {
    if (!hasOrder(instruction.shape())) return;
    const DimensionOrder left =
        throughReduction(majorToMinor(instruction.operand(0)->shape()), instruction.dimensions());
    settle(instruction, contents(instruction, left) ? left : wantedOrStated(instruction));
  }

  void assignDot(Instruction& instruction) {
    for (size_t side = 0; side < 2; ++side) {
      const Shape shape = instruction.operand(side)->shape();
      if (!hasOrder(shape) || layouts_.dotTakesOperand(instruction, side, majorToMinor(shape))) continue;
      arrange(instruction, side, dotOperandOrder(instruction, side),
              "its free and its summed dimensions in one stride each");
    }
    const Want* want = wanted(instruction);
    if (want != nullptr && layouts_.dotTakesResult(instruction, want->order))
      settle(instruction, want->order);
  }

  // --- Rewriting.

  bool isMade(const Instruction& instruction) const {
    return layouts_.ruleOf(instruction) == LayoutRule::Made;
  }
  const Instruction* original(const Instruction& instruction) const {
    const auto found = originals_.find(&instruction);
    return found == originals_.end() ? &instruction : found->second;
  }

  void becomeBitcast(Instruction& instruction, const DimensionOrder& order) {
    const bool isSame = sameOrder(instruction, order);
    if (instruction.isRoot() && !isSame) return;
    context_.remark(instruction, "bitcast",
                    fmt::format("the {} is the bytes of %{}: {} of {}", instruction.opcodeText(),
                                instruction.operand(0)->name(), layoutText(order),
                                layoutText(majorToMinor(instruction.operand(0)->shape()))));
    Instruction* bitcast = computation_.create(
        Opcode::Bitcast, isSame ? instruction.shape() : inDimensionOrder(instruction.shape(), order),
        {instruction.operand(0)}, {}, &instruction);
    if (const OpMetadata* metadata = instruction.get<Attr::Metadata>())
      bitcast->set<Attr::Metadata>(metadata);
    originals_[bitcast] = &instruction;
    bitcasts_.push_back(bitcast);
    computation_.replaceAllUses(&instruction, bitcast);
    changed_ = true;
  }

  // Bitcasts of bitcasts are one, and none where nothing changes.
  void joinBitcasts() {
    for (Instruction* bitcast : bitcasts_) {
      Instruction* operand = bitcast->operand(0);
      if (operand->opcode() == Opcode::Bitcast && originals_.contains(operand))
        bitcast->setOperand(0, operand = operand->operand(0));
      const bool isSame = bitcast->isRoot() ? bitcast->shape() == operand->shape()
                                            : sameMemoryOrder(bitcast->shape(), operand->shape());
      if (isSame) computation_.replaceAllUses(bitcast, operand);
    }
  }

  // Makes operand `index` of the user lie in this order.
  void arrange(Instruction& user, size_t index, const DimensionOrder& order, std::string_view why) {
    Instruction* operand = user.operand(index);
    if (sameOrder(*operand, order)) return;
    auto& arranged = copies_[{operand, order}];
    if (arranged == nullptr) arranged = arrangedCopy(user, *operand, order, why);
    user.setOperand(index, arranged);
    changed_ = true;
  }

  Instruction* arrangedCopy(const Instruction& user, Instruction& operand, const DimensionOrder& order,
                            std::string_view why) {
    const Shape shape = inDimensionOrder(operand.shape(), order);
    const std::string has = layoutText(majorToMinor(operand.shape()));
    Instruction* made;
    if (isMade(operand)) {
      made = remake(operand, shape);
      context_.remark(user, "remade",
                      fmt::format("%{} is made once more in {} beside {}: %{} wants it {}", operand.name(),
                                  layoutText(order), has, user.name(), why));
    } else {
      // Behind the operand, so that later users find it too.
      made = computation_.create(Opcode::Copy, shape, {&operand}, {}, operand.next());
      context_.remark(user, "copied",
                      fmt::format("{} bytes: %{} wants %{} in {}, {}; it has {}", operand.shape().byteSize(),
                                  user.name(), operand.name(), layoutText(order), why, has));
    }
    originals_[made] = original(operand);
    return made;
  }

  Instruction* remake(Instruction& operand, Shape shape) {
    if (operand.opcode() == Opcode::Constant)
      return computation_.createConstant(operand.literal().withShape(shape), operand.next());
    const std::vector<Instruction*> operands(operand.operands().begin(), operand.operands().end());
    Instruction* made = computation_.createLike(operand, operands, operand.next());
    made->setShape(shape);
    return made;
  }

  Computation& computation_;
  PassContext& context_;
  const EngineLayouts& layouts_;
  std::vector<Instruction*> instructions_;  // as they were
  absl::flat_hash_map<const Instruction*, LayoutRule> rules_;
  absl::flat_hash_map<const Instruction*, Shape> stated_;
  absl::flat_hash_map<const Instruction*, Want> wants_;
  absl::flat_hash_map<const Instruction*, const Instruction*> originals_;  // of what was made
  absl::flat_hash_map<std::pair<const Instruction*, DimensionOrder>, Instruction*> copies_;
  std::vector<Instruction*> bitcasts_;  // made here, operands first
  bool changed_ = false;
};

}  // namespace

Result<bool> assignLayouts(Module& module, PassContext& context, const EngineLayouts& layouts) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (context.cancelled()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    changed |= Assignment(*computation, context, layouts).run();
  }
  return changed;
}

}  // namespace hilo
