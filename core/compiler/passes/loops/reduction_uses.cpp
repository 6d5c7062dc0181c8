#include "core/compiler/passes/loops/reduction_uses.h"

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/loops/group_values.h"

namespace hilo {
namespace {

bool isZero(const Instruction& value) {
  if (value.opcode() == Opcode::Broadcast) return isZero(*value.operand(0));
  if (value.opcode() != Opcode::Constant || value.literal().isElided() || value.literal().isTuple())
    return false;
  return std::ranges::all_of(value.literal().bytes(), [](std::byte b) { return b == std::byte{0}; });
}

// Elements stay where they are, or at least apart.
bool onlyRearranges(Opcode opcode) {
  return opcode == Opcode::Convert || opcode == Opcode::Bitcast || opcode == Opcode::Reshape ||
         opcode == Opcode::Transpose;
}

// The one operation a reducer applies; nullopt when it is not one.
std::optional<Opcode> reducerOpcode(const Instruction& reduction) {
  const Computation* reducer = reduction.get<Attr::ToApply>();
  if (reducer == nullptr || reducer->instructionCount() != 3 || reducer->root()->operandCount() != 2)
    return std::nullopt;
  const Instruction& root = *reducer->root();
  const bool isPlain = root.operand(0)->opcode() == Opcode::Parameter &&
                       root.operand(1)->opcode() == Opcode::Parameter && root.operand(0) != root.operand(1);
  return isPlain ? std::optional(root.opcode()) : std::nullopt;
}

bool sameGroups(const Instruction& a, const Instruction& b) {
  const ReplicaGroups *x = a.get<Attr::ReplicaGroups>(), *y = b.get<Attr::ReplicaGroups>();
  if ((x == nullptr) != (y == nullptr)) return false;
  const bool equal = x == nullptr || expandReplicaGroups(*x) == expandReplicaGroups(*y);
  return equal && a.has(Attr::ChannelId) == b.has(Attr::ChannelId) &&
         a.get<Attr::UseGlobalDeviceIds>().value_or(false) ==
             b.get<Attr::UseGlobalDeviceIds>().value_or(false);
}

class UseFinder {
 public:
  UseFinder(const Instruction& reduction, const Instruction& loop, const UniformValues& uniform,
            bool followsScatters)
      : followsScatters_(followsScatters),
        reduction_(reduction),
        loop_(loop),
        uniform_(uniform),
        parameter_(*loop.get<Attr::Body>()->parameters()[0]),
        root_(*loop.get<Attr::Body>()->root()),
        scatters_(reduction.opcode() == Opcode::ReduceScatter) {}

  ReductionUse find() {
    const auto reducer = reducerOpcode(reduction_);
    if (!reducer) return {{}, "it does not reduce by one operation"};
    if (reduction_.operandCount() != 1 || !reduction_.shape().isArray())
      return {{}, "it reduces several arrays"};
    if (!scatters_ && (reducer == Opcode::Add || reducer == Opcode::Multiply || reducer == Opcode::Minimum ||
                       reducer == Opcode::Maximum)) {
      if (auto stored = findStores()) return {*std::move(stored), {}};
    }
    if (reducer != Opcode::Add) return {{}, "it is no sum, and not stored slice by slice"};
    return findSums();
  }

 private:
  bool isElement(const Instruction& i) const {
    return i.opcode() == Opcode::GetTupleElement && i.operand(0) == &parameter_;
  }
  bool conditionReads(int64_t element) const {
    return std::ranges::any_of(loop_.get<Attr::Condition>()->instructions(), [&](const Instruction* i) {
      return i->opcode() == Opcode::GetTupleElement && i->operand(0)->opcode() == Opcode::Parameter &&
             i->tupleIndex() == element;
    });
  }
  int64_t readersOf(int64_t element) const {
    return std::ranges::count_if(parameter_.users(), [&](const Instruction* i) {
      return isElement(*i) && i->tupleIndex() == element;
    });
  }
  // The element of the loop's result an instruction is; -1: none, or several.
  int64_t resultIndex(const Instruction& i) const {
    if (std::ranges::count(root_.operands(), &i) != 1) return -1;
    return std::ranges::find(root_.operands(), &i) - root_.operands().begin();
  }

  // Reshapes and converts, and then stores into stores, the last into what the loop carries.
  std::optional<StoredReduction> findStores() const {
    const Instruction* at = &reduction_;
    StoredReduction stored;
    stored.sizes.assign(at->shape().dimensions().begin(), at->shape().dimensions().end());
    const auto onlyUser = [](const Instruction& i) { return i.users().size() == 1 ? i.users()[0] : nullptr; };
    const Instruction* user = onlyUser(*at);
    for (; user != nullptr && (user->opcode() == Opcode::Reshape || user->opcode() == Opcode::Convert);
         user = onlyUser(*at)) {
      at = user;
      stored.sizes.assign(at->shape().dimensions().begin(), at->shape().dimensions().end());
    }
    stored.offsets.assign(stored.sizes.size(), 0);
    if (user == nullptr || user->opcode() != Opcode::DynamicUpdateSlice) return std::nullopt;
    for (; user != nullptr && user->opcode() == Opcode::DynamicUpdateSlice; user = onlyUser(*at)) {
      if (!addStore(*user, *at, stored)) return std::nullopt;
      at = user;
    }
    stored.element = resultIndex(*at);
    const Instruction& buffer = *at->operand(0);
    if (user != &root_ || stored.element < 0 || !isElement(buffer) || buffer.tupleIndex() != stored.element ||
        buffer.users().size() != 1 || readersOf(stored.element) != 1 || conditionReads(stored.element))
      return std::nullopt;
    return stored;
  }

  bool addStore(const Instruction& store, const Instruction& update, StoredReduction& stored) const {
    if (store.operand(1) != &update || std::ranges::count(store.operands(), &update) != 1) return false;
    for (size_t d = 0; d < stored.sizes.size(); ++d) {
      const auto range = valueRangeInBody(*store.operand(2 + d), loop_);
      if (!range) return false;
      const bool moves = range->min != range->max;
      // Each iteration its own slice: once along a dimension, one element wide.
      if (moves && (range->step != 1 || update.shape().dimension(d) != 1 || stored.sizes[d] != 1))
        return false;
      if (range->min < 0 || range->max + update.shape().dimension(d) > store.shape().dimension(d))
        return false;
      stored.offsets[d] += range->min;
      if (moves) stored.sizes[d] = range->max - range->min + 1;
    }
    return true;
  }

  // Every use, through what keeps sums sums, ends in an addition to an accumulator.
  ReductionUse findSums() {
    struct Value {
      const Instruction* instruction;
      int64_t scattered;
    };
    AccumulatedReduction accumulated;
    std::vector<Value> stack = {{&reduction_, scatters_ ? reduction_.get<Attr::Dimensions>()[0] : 0}};
    absl::flat_hash_set<const Instruction*> seen = {&reduction_};
    while (!stack.empty()) {
      const auto [at, scattered] = stack.back();
      stack.pop_back();
      for (const Instruction* user : at->users()) {
        if (user->opcode() == Opcode::Add) {
          const int64_t element = accumulatorOf(*user, *at);
          if (element < 0)
            return {{}, fmt::format("%{} adds it to something else than an accumulator", user->name())};
          accumulated.elements.push_back(element);
          accumulated.scattered.push_back(scattered);
          continue;
        }
        if (!keepsSums(*user, *at))
          return {{}, fmt::format("%{} ({}) uses it", user->name(), user->opcodeText())};
        if (seen.insert(user).second)
          stack.push_back({user, scatters_ ? dimensionAfter(*user, scattered) : scattered});
      }
    }
    if (accumulated.elements.empty()) return {{}, "nothing uses it"};
    return {std::move(accumulated), {}};
  }

  bool keepsSums(const Instruction& user, const Instruction& value) const {
    if (scatters_ && user.opcode() != Opcode::Select)
      return followsScatters_ && (user.opcode() == Opcode::Convert || user.opcode() == Opcode::Transpose);
    if (onlyRearranges(user.opcode()) || user.opcode() == Opcode::Broadcast || user.opcode() == Opcode::Slice)
      return true;
    if (user.opcode() == Opcode::Select) {
      const bool isChosen = (user.operand(1) == &value && isZero(*user.operand(2))) ||
                            (user.operand(2) == &value && isZero(*user.operand(1)));
      // Each device has another part of what is scattered: the choice must be the same for all parts.
      return isChosen && isShared(*user.operand(0)) && (!scatters_ || isOneChoice(*user.operand(0)));
    }
    return user.opcode() == Opcode::Multiply && user.operand(0) != user.operand(1) &&
           isSharedFactor(*user.operand(user.operand(0) == &value ? 1 : 0));
  }

  static bool isOneChoice(const Instruction& predicate) {
    return predicate.opcode() == Opcode::Broadcast && predicate.operand(0)->shape().isScalar();
  }

  // The same on all devices that add up.
  bool isShared(const Instruction& value) const {
    return uniform_.isUniform(&value) || isSameWithinGroups(value, reduction_);
  }

  // A scalar that the same devices have summed up, for every element.
  bool isSharedFactor(const Instruction& factor) const {
    const Instruction* at = &factor;
    bool isBroadcast = false;
    for (; at->opcode() == Opcode::Broadcast || at->opcode() == Opcode::Convert; at = at->operand(0))
      isBroadcast |= at->opcode() == Opcode::Broadcast;
    return isBroadcast && at->opcode() == Opcode::AllReduce && at->shape().isScalar() &&
           sameGroups(*at, reduction_);
  }

  // The element that `add` adds `value` to, if that is all that happens to it; -1 otherwise.
  int64_t accumulatorOf(const Instruction& add, const Instruction& value) const {
    if (add.operand(0) == add.operand(1)) return -1;
    const Instruction* slice = nullptr;
    const Instruction* buffer = add.operand(add.operand(0) == &value ? 1 : 0);
    while (!isElement(*buffer)) {
      if (buffer->opcode() == Opcode::DynamicSlice && slice == nullptr && !scatters_) {
        slice = buffer;
      } else if (!onlyRearranges(buffer->opcode()) || scatters_) {
        return -1;
      }
      buffer = buffer->operand(0);
    }
    const int64_t element = buffer->tupleIndex();
    const Instruction* store = nullptr;
    const Instruction* at = &add;
    for (; at->users().size() == 1 && at->users()[0] != &root_; at = at->users()[0]) {
      const Instruction* user = at->users()[0];
      if (user->opcode() == Opcode::DynamicUpdateSlice && store == nullptr && user->operand(1) == at &&
          !scatters_) {
        store = user;
      } else if (!onlyRearranges(user->opcode()) || scatters_) {
        return -1;
      }
    }
    if (resultIndex(*at) != element || at->users().size() != 1 || conditionReads(element)) return -1;
    if ((slice == nullptr) != (store == nullptr) || (store != nullptr && !samePlace(*slice, *store)))
      return -1;
    return readOnlyBy(element, add, slice, store) ? element : -1;
  }

  bool samePlace(const Instruction& slice, const Instruction& store) const {
    for (size_t i = 1; i < slice.operandCount(); ++i) {
      if (slice.operand(i) != store.operand(i + 1) || !isShared(*slice.operand(i))) return false;
    }
    return true;
  }

  bool readOnlyBy(int64_t element, const Instruction& add, const Instruction* slice,
                  const Instruction* store) const {
    std::vector<const Instruction*> stack;
    for (const Instruction* i : parameter_.users()) {
      if (isElement(*i) && i->tupleIndex() == element) stack.push_back(i);
    }
    while (!stack.empty()) {
      const Instruction* at = stack.back();
      stack.pop_back();
      for (const Instruction* user : at->users()) {
        if (user == &add || user == store) continue;
        if (user != slice && !onlyRearranges(user->opcode())) return false;
        stack.push_back(user);
      }
    }
    return true;
  }

  const bool followsScatters_;
  const Instruction& reduction_;
  const Instruction& loop_;
  const UniformValues& uniform_;
  const Instruction& parameter_;
  const Instruction& root_;
  const bool scatters_;
};

}  // namespace

int64_t dimensionAfter(const Instruction& user, int64_t dimension) {
  if (user.opcode() != Opcode::Transpose) return dimension;
  const auto from = user.get<Attr::Dimensions>();
  return std::ranges::find(from, dimension) - from.begin();
}

ReductionUse findReductionUse(const Instruction& reduction, const Instruction& loop,
                              const UniformValues& uniform, bool followsScatters) {
  return UseFinder(reduction, loop, uniform, followsScatters).find();
}

}  // namespace hilo
