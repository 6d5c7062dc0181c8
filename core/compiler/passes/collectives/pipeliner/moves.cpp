#include "core/compiler/passes/collectives/pipeliner/moves.h"

#include <ranges>

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/passes/collectives/pipeliner/body_facts.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {

bool isCustomCall(const Instruction& i, std::string_view target) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == target;
}

bool isEffectiveScalar(Shape shape) { return shape.isArray() && shape.elementCount() == 1; }

BodyFacts::BodyFacts(const Instruction& whileLoop, const InductionVariable& inductionVariable)
    : loop(whileLoop),
      counter(inductionVariable),
      body(*whileLoop.get<Attr::Body>()),
      parameter(*body.parameters()[0]),
      root(*body.root()),
      order(postOrder(body)) {
  for (Instruction* i : order) {
    position[i] = static_cast<int64_t>(position.size());
    if (isElement(*i)) {
      ++elementReaders[i->tupleIndex()];
      const Instruction* next = root.operand(static_cast<size_t>(i->tupleIndex()));
      if (isElement(*next) && next->tupleIndex() == i->tupleIndex()) invariantElements.insert(i);
    }
    const auto before = i->get<Attr::ControlPredecessors>();
    if (!before.empty()) controlDependent.insert(i);
    controlDependent.insert(before.begin(), before.end());
    const bool isInvariant =
        i->opcode() != Opcode::Parameter &&
        std::ranges::all_of(i->operands(), [&](const Instruction* operand) {
          return invariantInstructions.contains(operand) || invariantElements.contains(operand);
        });
    if (isInvariant) invariantInstructions.insert(i);
  }
}

namespace {

class MoveFinder {
 public:
  MoveFinder(const Instruction& loop, const InductionVariable& counter, const PipelinerOptions& options,
             PassContext& context)
      : facts_(loop, counter), options_(options), context_(context) {}

  std::vector<PipelinedMove> run(bool delayLarge) {
    for (Instruction* collective : facts_.order) {
      if (!options_.shouldProcess(*collective)) continue;
      if (delayLarge && collective->shape().isArray() &&
          collective->shape().elementCount() >= options_.sizeToDelaySinking) {
        context_.remark(*collective, "delayed",
                        fmt::format("{} elements: sunk after those below {}",
                                    collective->shape().elementCount(), options_.sizeToDelaySinking));
        continue;
      }
      MoveOrReason found = options_.direction == PipelineDirection::Backward
                               ? findOperandChain(*collective, facts_, options_)
                               : findStores(*collective, facts_, options_);
      if (!found.move) {
        context_.remark(*collective, "missed", fmt::format("not pipelined: {}", found.reason));
        continue;
      }
      add(*std::move(found.move));
      if (static_cast<int64_t>(moves_.size()) >= options_.maxPerLoop) break;
    }
    std::erase_if(moves_, [](const PipelinedMove& move) { return move.collectives.empty(); });
    return std::move(moves_);
  }

 private:
  // Collectives that end in the same store move together.
  void add(PipelinedMove move) {
    std::vector<size_t> shared;
    const auto ends = [](const PipelinedMove& m) {
      std::vector<const Instruction*> all(m.stores.begin(), m.stores.end());
      if (m.sink != nullptr) all.push_back(m.sink);
      return all;
    };
    for (const Instruction* end : ends(move)) {
      const auto found = moveOfEnd_.find(end);
      if (found != moveOfEnd_.end() && std::ranges::find(shared, found->second) == shared.end())
        shared.push_back(found->second);
    }
    if (shared.empty()) {
      for (const Instruction* end : ends(move)) moveOfEnd_[end] = moves_.size();
      moves_.push_back(std::move(move));
      return;
    }
    const size_t target = *std::ranges::min_element(shared);
    const std::vector<Instruction*> own(move.collectives);
    for (const size_t other : shared) {
      if (other != target) merge(std::exchange(moves_[other], {}), target);
    }
    merge(std::move(move), target);
    for (const Instruction* end : ends(moves_[target])) moveOfEnd_[end] = target;
    PipelinedMove& merged = moves_[target];
    // Forward, all but the first are formatting of the first.
    if (options_.direction == PipelineDirection::Forward) {
      for (Instruction* collective : own) {
        std::erase(merged.collectives, collective);
        append(merged.formatting, collective);
      }
    }
    std::erase_if(merged.collectives, [&](const Instruction* i) {
      return i != merged.collectives[0] && std::ranges::find(merged.formatting, i) != merged.formatting.end();
    });
    std::ranges::sort(merged.formatting, {}, [&](const Instruction* i) { return facts_.position.at(i); });
  }

  template <typename T>
  static void append(std::vector<T*>& list, T* item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
  }

  void merge(PipelinedMove from, size_t target) {
    PipelinedMove& to = moves_[target];
    to.copied.insert(from.copied.begin(), from.copied.end());
    for (Instruction* i : from.collectives) append(to.collectives, i);
    for (Instruction* i : from.formatting) {
      if (std::ranges::find(to.collectives, i) == to.collectives.end()) append(to.formatting, i);
    }
    for (size_t s = 0; s < from.stores.size(); ++s) {
      if (std::ranges::find(to.stores, from.stores[s]) != to.stores.end()) continue;
      to.stores.push_back(from.stores[s]);
      to.outputs.push_back(from.outputs[s]);
    }
  }

  const BodyFacts facts_;
  const PipelinerOptions& options_;
  PassContext& context_;
  std::vector<PipelinedMove> moves_;
  absl::flat_hash_map<const Instruction*, size_t> moveOfEnd_;
};

}  // namespace

LoopMoves findMoves(const Instruction& loop, const PipelinerOptions& options, bool delayLarge,
                    PassContext& context) {
  const auto counter = inductionVariable(loop);
  if (!counter || counter->trips < 2) {
    context.remark(
        loop, "missed",
        counter ? "not pipelined: it runs once at most" : "not pipelined: its trips are not known");
    return {};
  }
  if (const std::string_view fixed = whyLoopIsFixed(loop); !fixed.empty()) {
    context.remark(loop, "missed", fmt::format("not pipelined: {}", fixed));
    return {};
  }
  return {*counter, MoveFinder(loop, *counter, options, context).run(delayLarge)};
}

std::vector<Instruction*> outsideOperands(const PipelinedMove& move) {
  absl::flat_hash_set<const Instruction*> known(move.formatting.begin(), move.formatting.end());
  known.insert(move.collectives.begin(), move.collectives.end());
  std::vector<Instruction*> operands;
  const auto add = [&](const Instruction& user) {
    for (Instruction* operand : user.operands()) {
      if (!operand->shape().isToken() && known.insert(operand).second) operands.push_back(operand);
    }
  };
  for (const Instruction* i : move.formatting) add(*i);
  if (move.sink != nullptr) add(*move.sink);
  return operands;
}

std::vector<Instruction*> movedInstructions(const PipelinedMove& move) {
  std::vector<Instruction*> moved = move.stores;
  if (move.sink != nullptr) moved.push_back(move.sink);
  for (Instruction* i : move.formatting | std::views::reverse) {
    if (!move.copied.contains(i)) moved.push_back(i);
  }
  moved.insert(moved.end(), move.collectives.rbegin(), move.collectives.rend());
  return moved;
}

}  // namespace hilo
