#include "core/analysis/async_op.h"
#include "core/compiler/passes/collectives/pipeliner/body_facts.h"
#include "core/compiler/passes/collectives/pipeliner/stacked_formatting.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

constexpr size_t kFirstIndex = 2;  // operand of a dynamic-update-slice

int64_t integerOf(const Instruction& constant) {
  const Literal& literal = constant.literal();
  int64_t value = 0;
  std::memcpy(&value, literal.bytes().data(), std::min(literal.bytes().size(), sizeof value));
  return value;
}

// The one dimension a dynamic-update-slice is not stored whole along: where its index is no zero.
std::optional<int64_t> slicedDimension(const Instruction& store) {
  std::optional<int64_t> sliced;
  for (size_t i = kFirstIndex; i < store.operandCount(); ++i) {
    const Instruction& index = *store.operand(i);
    if (index.opcode() == Opcode::Constant) {
      if (index.literal().isElided() || index.shape().rank() != 0 || integerOf(index) != 0)
        return std::nullopt;
      continue;
    }
    if (sliced) return std::nullopt;
    sliced = static_cast<int64_t>(i - kFirstIndex);
  }
  return sliced;
}

bool isFormatting(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::CustomCall:
      return !i.get<Attr::CustomCallHasSideEffect>().value_or(false);
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
    case Opcode::CollectivePermute:
    case Opcode::Convert:
    case Opcode::Reshape:
    case Opcode::AllReduce:
    case Opcode::Transpose:
    case Opcode::Broadcast:
    case Opcode::AllGather:
    case Opcode::GetTupleElement:
    case Opcode::Reduce:
    case Opcode::Concatenate:
    case Opcode::ReduceScatter:
    case Opcode::Bitcast:
      return true;
    default:
      return false;
  }
}

class StoreFinder {
 public:
  StoreFinder(Instruction& collective, const BodyFacts& facts, const PipelinerOptions& options)
      : collective_(collective),
        facts_(facts),
        options_(options),
        sinks_(options.direction == PipelineDirection::ForwardSink) {}

  MoveOrReason find() {
    std::string reason = followUsers();
    if (reason.empty()) reason = addDependencies();
    if (!reason.empty()) return {{}, std::move(reason)};
    std::ranges::sort(move_.formatting, {}, [&](const Instruction* i) { return facts_.position.at(i); });
    for (const Instruction* store : move_.stores) {
      reason = whyStoreIsUnsupported(*store);
      if (!reason.empty()) return {{}, std::move(reason)};
    }
    if (move_.sink != nullptr)
      move_.outputs = {std::ranges::find(facts_.root.operands(), move_.sink) -
                       facts_.root.operands().begin()};
    move_.collectives = {&collective_};
    return {std::move(move_), {}};
  }

 private:
  bool isSink(const Instruction& i) const {
    return i.shape().isToken() && i.users().size() == 1 && i.users()[0] == &facts_.root;
  }

  bool isFinalStore(const Instruction& i) const {
    if (i.opcode() != Opcode::DynamicUpdateSlice || i.users().size() != 1) return false;
    if (options_.level == 0) return i.users()[0] == &facts_.root;
    for (const Instruction* index : i.operands().subspan(kFirstIndex)) {
      if (isCustomCall(*index, kInsertedByPreviousStep) && index->operandCount() == 2 &&
          index->operand(1)->opcode() == Opcode::Constant)
        return integerOf(*index->operand(1)) == options_.level;
    }
    return false;
  }

  bool isAcceptableUser(const Instruction& i) const {
    if (facts_.controlDependent.contains(&i)) return false;
    if (options_.acceptableFormatting && !options_.acceptableFormatting(i)) return false;
    const int64_t elements = collective_.operand(0)->shape().elementCount();
    if (i.opcode() == Opcode::Reduce && i.shape().isArray() && (!sinks_ || canFormatForAllIterations(i)) &&
        (i.shape().elementCount() == elements || elements < 1024))
      return true;
    if (sinks_) {
      if (!canFormatForAllIterations(i)) return false;
      if (i.opcode() == Opcode::DynamicUpdateSlice) {
        // Becomes a scatter. Not along the dimension the iterations are stacked in.
        const auto sliced = slicedDimension(i);
        return sliced && *sliced != 0 && i.operand(1)->shape().dimension(static_cast<size_t>(*sliced)) == 1;
      }
    }
    return isFormatting(i) || (options_.useTree && isElementwise(i.opcode()));
  }

  // Every user, and theirs, up to where values are stored.
  std::string followUsers() {
    if (!options_.useTree && collective_.users().size() != 1) return "its result has several users (or none)";
    if (collective_.operandCount() != 1) return "it has several operands";
    if (facts_.controlDependent.contains(&collective_)) return "it has control dependencies";
    std::vector<Instruction*> stack = {&collective_};
    absl::flat_hash_set<const Instruction*> seen = {&collective_};
    while (!stack.empty()) {
      Instruction* at = stack.back();
      stack.pop_back();
      if (at != &collective_) move_.formatting.push_back(at);
      for (Instruction* user : at->users()) {
        if (!seen.insert(user).second) continue;
        if (isSink(*user) || isFinalStore(*user)) {
          if (std::string reason = addEnd(*user, *at); !reason.empty()) return reason;
          continue;
        }
        if (!isAcceptableUser(*user)) {
          return fmt::format("%{} ({}) uses its result", user->name(), user->opcodeText());
        }
        stack.push_back(user);
      }
    }
    if (move_.stores.empty() && move_.sink == nullptr) return "its result is not stored into a slice";
    return {};
  }

  std::string addEnd(Instruction& end, const Instruction& stored) {
    const bool isToken = isSink(end);
    if (!isToken && (end.operand(1) != &stored || std::ranges::count(end.operands(), &stored) != 1))
      return fmt::format("%{} does not store its result as the update", end.name());
    if (!sinks_ && (!move_.stores.empty() || move_.sink != nullptr)) return "its result is stored twice";
    if (!isToken) {
      move_.stores.push_back(&end);
      return {};
    }
    if (sinks_) return "its result ends in a token";
    move_.sink = &end;
    return {};
  }

  // Operands that are simply made again: broadcasts, of constants with the constant, and indices of
  // dynamic-slices, which must not depend on the iteration.
  std::string addDependencies() {
    absl::flat_hash_set<const Instruction*> known(move_.formatting.begin(), move_.formatting.end());
    const std::vector<Instruction*> dependent = move_.formatting;
    const auto add = [&](Instruction* i) {
      if (!known.insert(i).second) return;
      move_.formatting.push_back(i);
      move_.copied.insert(i);
    };
    for (const Instruction* i : dependent) {
      if (i->opcode() == Opcode::DynamicSlice) {
        for (Instruction* index : i->operands().subspan(1)) {
          if (!addConstantIndex(index, known))
            return fmt::format("%{} slices its result at an index that is not constant", i->name());
        }
        continue;
      }
      for (Instruction* operand : i->operands()) {
        if (operand->opcode() != Opcode::Broadcast) continue;
        add(operand);
        if (operand->operand(0)->opcode() == Opcode::Constant) add(operand->operand(0));
      }
    }
    return {};
  }

  bool addConstantIndex(Instruction* index, absl::flat_hash_set<const Instruction*>& known) {
    std::vector<Instruction*> stack = {index}, found;
    absl::flat_hash_set<const Instruction*> seen = {index};
    while (!stack.empty()) {
      Instruction* at = stack.back();
      stack.pop_back();
      if (at->opcode() == Opcode::Parameter || hasSideEffect(*at)) return false;
      found.push_back(at);
      for (Instruction* operand : at->operands()) {
        if (seen.insert(operand).second) stack.push_back(operand);
      }
    }
    for (Instruction* i : found) {
      if (!known.insert(i).second) continue;
      move_.formatting.push_back(i);
      move_.copied.insert(i);
    }
    return true;
  }

  std::string whyStoreIsUnsupported(const Instruction& store) {
    const auto sliced = slicedDimension(store);
    if (!sliced) return fmt::format("%{} does not store a slice along one dimension", store.name());
    if (move_.slicedDimension >= 0 && *sliced != move_.slicedDimension)
      return "its results are stored along different dimensions";
    move_.slicedDimension = *sliced;
    if (store.operand(kFirstIndex + static_cast<size_t>(*sliced)) !=
        move_.stores[0]->operand(kFirstIndex + static_cast<size_t>(*sliced)))
      return "its results are stored at different indices";
    if (!options_.differentSizes) {
      if (std::string reason = whySizesDiffer(); !reason.empty()) return reason;
    }
    if (options_.level == 0) {
      if (std::string reason = whyBufferIsUnsupported(store, *sliced); !reason.empty()) return reason;
    }
    return findOutput(store);
  }

  std::string whySizesDiffer() const {
    const Shape wanted = collective_.operand(0)->shape();
    if (move_.formatting.empty())
      return wanted == collective_.shape() ? "" : "its result has another shape than its operand";
    if (wanted != move_.formatting.back()->shape())
      return "what is stored has another shape than its operand";
    PipelinedMove whole = move_;
    whole.collectives = {&collective_};
    for (const Instruction* operand : outsideOperands(whole)) {
      if (isEffectiveScalar(operand->shape()))
        return fmt::format("%{} would have to be carried", operand->name());
    }
    return {};
  }

  std::string whyBufferIsUnsupported(const Instruction& store, int64_t sliced) const {
    const Instruction* into = store.operand(0);
    const Instruction* element = into->opcode() == Opcode::OptBarrier ? into->operand(0) : into;
    const bool isCarried = facts_.isElement(*element);
    if (!isCarried && (sinks_ || !hasFrontendAttribute(store, "always_sink", "1")))
      return fmt::format("%{} is not stored into what the loop carries", store.name());
    if (isCarried && facts_.elementReaders.at(element->tupleIndex()) != 1)
      return "what it is stored into is read in several places";
    if (into->users().size() != 1 || element->users().size() != 1)
      return "what it is stored into is used otherwise too";
    const Instruction& index = *store.operand(kFirstIndex + static_cast<size_t>(sliced));
    const auto range = valueRangeInBody(index, facts_.loop);
    if (!range)
      return fmt::format("the index it is stored at, %{}, is not known to move evenly", index.name());
    if (!isCarried) {
      const auto output = std::ranges::find(facts_.root.operands(), &store) - facts_.root.operands().begin();
      if (facts_.elementReaders.contains(output)) return "what is stored is read by the next iteration";
    }
    if (!sinks_) return {};
    const int64_t slices = store.shape().dimension(0);
    if (sliced != 0 || slices != facts_.counter.trips || store.operand(1)->shape().dimension(0) != 1)
      return fmt::format("its {} iterations do not store a slice each", facts_.counter.trips);
    if (range->min != 0 || range->max != slices - 1 || range->step != 1)
      return "its iterations do not store every slice once";
    return {};
  }

  // Which element of the loop's result the store ends in, possibly through further stores.
  std::string findOutput(const Instruction& store) {
    const Instruction* at = &store;
    while (at->opcode() == Opcode::DynamicUpdateSlice && at->users().size() == 1) {
      if (at->users()[0] != &facts_.root) {
        at = at->users()[0];
        continue;
      }
      const auto operands = facts_.root.operands();
      if (std::ranges::count(operands, at) != 1) break;
      move_.outputs.push_back(std::ranges::find(operands, at) - operands.begin());
      return {};
    }
    return "what it is stored into is not one element of the loop's result";
  }

  Instruction& collective_;
  const BodyFacts& facts_;
  const PipelinerOptions& options_;
  const bool sinks_;
  PipelinedMove move_;
};

}  // namespace

MoveOrReason findStores(Instruction& collective, const BodyFacts& facts, const PipelinerOptions& options) {
  return StoreFinder(collective, facts, options).find();
}

}  // namespace hilo
