#include "core/compiler/passes/layout/layout_constraints.h"

#include <algorithm>
#include <ranges>

#include "core/compiler/passes/layout/layout_interfaces.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// How often one constraint may change, so that needs that contradict each other come to an end.
constexpr int kMostChanges = 16;

// Gives on what another made.
bool isForwarded(const Instruction& i) { return i.opcode() == Opcode::Tuple; }

// Programs of several computations, one a device, meet here.
bool isOverChannel(const Instruction& i) {
  return i.opcode() == Opcode::AllReduce && i.has(Attr::ChannelId) &&
         !i.get<Attr::UseGlobalDeviceIds>().value_or(false);
}

bool isOfParameter(const Instruction& value) {
  const Instruction* whole = &value;
  while (whole->opcode() == Opcode::GetTupleElement) whole = whole->operand(0);
  return whole->opcode() == Opcode::Parameter;
}

}  // namespace

LayoutConstraints::LayoutConstraints(const Computation& computation, const GpuLayoutSettings& settings,
                                     InterfaceOrders interface, Shape result)
    : settings_(settings), interface_(interface), result_(result) {
  addStated(computation);
  std::vector<const Instruction*> order;
  for (const Instruction* i : computation.instructions()) {
    order.push_back(i);
    if (isOverChannel(*i)) reductionsOverChannels_.push_back(i);
  }
  for (const Instruction* i : order | std::views::reverse) addAsked(*i);
  propagate();
  for (const Instruction* i : order) {
    if (!hasLayoutOrder(i->shape()) || values_.contains(i)) continue;
    setValue(*i, rowMajorOrder(i->shape().rank()), false, true, 0);
    propagate();
  }
}

const DimensionOrder* LayoutConstraints::operandOrder(const Instruction& user, size_t index) const {
  const auto found = operands_.find(Place(&user, index));
  return found == operands_.end() ? nullptr : &found->second.order;
}

std::vector<LayoutConstraints::Place> LayoutConstraints::wayTo(Place place) const {
  std::vector<Place> way;
  while (place.first != nullptr && std::ranges::find(way, place) == way.end()) {
    way.push_back(place);
    if (place.second == kValue) {
      const auto found = values_.find(place.first);
      place = found == values_.end() ? Place() : found->second.from;
    } else {
      const auto found = operands_.find(place);
      place = found == operands_.end() ? Place() : found->second.from;
    }
  }
  return way;
}

// Of an array of the interface.
bool LayoutConstraints::isFree(Shape stated) const {
  if (interface_ == InterfaceOrders::Stated || !isPlainArray(stated)) return false;
  return interface_ == InterfaceOrders::Chosen || stated.layout() == nullptr;
}

bool LayoutConstraints::isFixed(const Instruction& value) const {
  return layoutFlow(value) == LayoutFlow::Fixed && !(isOfParameter(value) && isFree(value.shape()));
}

// As the one takes it that is given the tuple, of several the first. None: elements lie as they are made.
std::optional<Shape> LayoutConstraints::shapeWantedOf(const Instruction& tuple) const {
  if (tuple.isRoot()) return result_;
  for (const Instruction* user : tuple.users()) {
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) != &tuple) continue;
      if (user->opcode() == Opcode::Tuple) {
        if (const auto whole = shapeWantedOf(*user)) return whole->tupleShapes()[k];
      } else if (const Instruction* parameter = parameterGiven(*user, k)) {
        return parameter->shape();
      } else if (user->opcode() == Opcode::CustomCall && user->has(Attr::OperandLayoutConstraints)) {
        const auto stated = user->get<Attr::OperandLayoutConstraints>();
        if (k < stated.size() && stated[k].isTuple()) return stated[k];
      } else if (user->opcode() != Opcode::GetTupleElement) {
        return tuple.shape();
      }
    }
  }
  return std::nullopt;
}

std::optional<DimensionOrder> LayoutConstraints::orderTakenBy(const Instruction& taker, size_t index) const {
  const Shape operand = taker.operand(index)->shape();
  if (taker.opcode() == Opcode::Tuple) {
    const auto wanted = shapeWantedOf(taker);
    if (!wanted) return std::nullopt;
    const Shape element = wanted->tupleShapes()[index];
    if (taker.isRoot() && isFree(element)) return std::nullopt;
    return majorToMinor(isPlainArray(element) ? element : operand);
  }
  if (const Instruction* parameter = parameterGiven(taker, index)) return majorToMinor(parameter->shape());
  return orderTaken(taker, index, settings_);
}

// What is fixed, and what of it reaches those who make it.
void LayoutConstraints::addStated(const Computation& computation) {
  std::vector<const Instruction*> takers;
  for (const Instruction* i : computation.instructions()) {
    if (isFixed(*i)) {
      if (hasLayoutOrder(i->shape())) setValue(*i, majorToMinor(i->shape()), true, true, 0);
      takers.push_back(i);
    }
  }
  // The root's last, so that it goes first.
  std::ranges::stable_partition(takers, [](const Instruction* i) { return !i->isRoot(); });
  for (const Instruction* taker : takers) {
    for (size_t k = 0; k < taker->operandCount(); ++k) {
      if (!hasLayoutOrder(taker->operand(k)->shape())) continue;
      if (const auto order = orderTakenBy(*taker, k)) setOperand(*taker, k, *order, true, true, 0);
    }
  }
  const Instruction* root = computation.root();
  if (hasLayoutOrder(root->shape()) && !isFree(result_))
    setValue(*root, majorToMinor(result_), false, true, 0);
}

void LayoutConstraints::addAsked(const Instruction& i) {
  if (isFixed(i)) return;
  const StatedOrders asked = ordersAskedBy(i, settings_);
  for (size_t k = 0; k < asked.operands.size(); ++k) {
    if (asked.operands[k]) {
      setOperand(i, k, *asked.operands[k], true, true, 0);
    } else if (i.opcode() == Opcode::Dot && comesOfFree(*i.operand(k))) {
      setOperand(i, k, rowMajorOrder(i.operand(k)->shape().rank()), false, false, 0);
    }
  }
  if (asked.result && hasLayoutOrder(i.shape())) setValue(i, *asked.result, true, true, 0);
  if (i.opcode() == Opcode::Dot && hasLayoutOrder(i.shape()) && asksForResult(i)) askDotResult(i);
}

// By way of renamed dimensions and elementwise work from a parameter of the entry whose order is chosen.
bool LayoutConstraints::comesOfFree(const Instruction& value) const {
  if (interface_ != InterfaceOrders::ChosenWhereNoneIsStated) return false;
  const Instruction* at = &value;
  while (at->operandCount() == 1 && at->shape().isArray() && at->opcode() != Opcode::GetTupleElement)
    at = at->operand(0);
  return isOfParameter(*at) && isFree(at->shape());
}

// What a user asked for where the dot gives it.
void LayoutConstraints::askDotResult(const Instruction& dot) {
  for (const Instruction* user : dot.users()) {
    for (size_t k = 0; k < user->operandCount(); ++k) {
      const DimensionOrder* order = user->operand(k) == &dot ? operandOrder(*user, k) : nullptr;
      if (order != nullptr && dotGives(dot, *order)) return setValue(dot, *order, true, true, 0);
    }
  }
  setValue(dot, rowMajorOrder(dot.shape().rank()), true, true, 0);
}

void LayoutConstraints::setValue(const Instruction& value, const DimensionOrder& asked, bool isNeeded,
                                 bool isUrgent, int priority) {
  if (!hasLayoutOrder(value.shape())) return;
  const DimensionOrder order = possibleResultOrder(value, asked);
  const auto [entry, isNew] =
      values_.try_emplace(&value, Constraint{order, isNeeded, isUrgent, priority, 0, cause_});
  Constraint& has = entry->second;
  if (!isNew) {
    if (has.order == order) {
      const bool changes =
          (isNeeded && !has.isNeeded) || (isUrgent && !has.isUrgent) || priority > has.priority;
      if (!changes) return;
      has.isNeeded |= isNeeded;
      has.isUrgent |= isUrgent;
      has.priority = std::max(has.priority, priority);
    } else {
      if ((!isNeeded && priority <= has.priority) || has.changes >= kMostChanges) return;
      // What the interface states stays.
      if (isFixed(value)) return;
      has = {order, isNeeded, isUrgent, priority, has.changes + 1, cause_};
    }
  }
  push({&value, kValue}, has);
}

void LayoutConstraints::setOperand(const Instruction& user, size_t index, const DimensionOrder& asked,
                                   bool isNeeded, bool isUrgent, int priority) {
  if (!hasLayoutOrder(user.operand(index)->shape())) return;
  const DimensionOrder order = possibleOperandOrder(user, asked);
  // Small beside what they go into or come from.
  const bool isMinor =
      (user.opcode() == Opcode::DynamicUpdateSlice && index > 0) ||
      (user.opcode() == Opcode::Reshape && user.operand(0)->opcode() == Opcode::DynamicSlice);
  if (isMinor && !isNeeded && priority > -2) {
    isUrgent = false;
    --priority;
  }
  const auto [entry, isNew] =
      operands_.try_emplace(Place(&user, index), Constraint{order, isNeeded, isUrgent, priority, 0, cause_});
  Constraint& has = entry->second;
  if (!isNew) {
    if (has.order == order || !isNeeded || has.priority > priority || has.changes >= kMostChanges) return;
    if (layoutFlow(user) == LayoutFlow::Fixed) return;
    has = {order, isNeeded, isUrgent, priority, has.changes + 1, cause_};
  }
  push({&user, index}, has);
}

// Urgent ones in the order they come; of the others the highest priority first.
void LayoutConstraints::push(Place place, const Constraint& constraint) {
  const auto priorityOf = [&](const Place& at) {
    return at.second == kValue ? values_.at(at.first).priority : operands_.at(at).priority;
  };
  auto at = added_.end();
  if (!constraint.isUrgent) {
    while (at != added_.begin() && priorityOf(*std::prev(at)) < constraint.priority) --at;
  }
  added_.insert(at, place);
}

void LayoutConstraints::flush() {
  for (const Place& place : added_) {
    const bool isUrgent =
        place.second == kValue ? values_.at(place.first).isUrgent : operands_.at(place).isUrgent;
    if (isUrgent) {
      waiting_.push_front(place);
    } else {
      waiting_.push_back(place);
    }
  }
  added_.clear();
}

void LayoutConstraints::propagate() {
  for (flush(); !waiting_.empty(); flush()) {
    const auto [instruction, index] = waiting_.front();
    waiting_.pop_front();
    cause_ = {instruction, index};
    if (index == kValue) {
      propagateValue(*instruction);
    } else {
      propagateOperand(*instruction, index);
    }
  }
  cause_ = {nullptr, 0};
}

void LayoutConstraints::propagateValue(const Instruction& value) {
  const Constraint constraint = values_.at(&value);
  for (size_t k = 0; k < value.operandCount(); ++k) {
    if (!hasLayoutOrder(value.operand(k)->shape())) continue;
    if (const auto goes = operandOrderFor(value, k, constraint.order))
      setOperand(value, k, goes->order, goes->isNeeded, goes->isUrgent, 0);
  }
  if (isOverChannel(value)) propagateToChannel(value);
  for (const Instruction* user : value.users()) {
    if (isForwarded(*user)) continue;
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) == &value)
        setOperand(*user, k, constraint.order, false, true, constraint.priority);
    }
  }
}

void LayoutConstraints::propagateOperand(const Instruction& user, size_t index) {
  const Constraint constraint = operands_.at(Place(&user, index));
  setValue(*user.operand(index), constraint.order, false, true, constraint.priority);
  const LayoutFlow flow = layoutFlow(user);
  if (flow == LayoutFlow::Same || flow == LayoutFlow::Reduce) propagateToSiblings(user, index);
  const bool isReached =
      flow != LayoutFlow::Same || user.opcode() != Opcode::Concatenate ||
      std::ranges::none_of(user.operands(), [&](const Instruction* sibling) {
        return sibling->shape().elementCount() > user.operand(index)->shape().elementCount();
      });
  if (!isReached) return;
  if (const auto goes = resultOrderFor(user, index, constraint.order))
    setValue(user, goes->order, goes->isNeeded, goes->isUrgent, constraint.priority);
}

// The first of a channel decides for the rest.
void LayoutConstraints::propagateToChannel(const Instruction& value) {
  const Constraint constraint = values_.at(&value);
  bool isBefore = true;
  for (const Instruction* other : reductionsOverChannels_) {
    if (other->get<Attr::ChannelId>() != value.get<Attr::ChannelId>() ||
        !std::ranges::equal(other->shape().dimensions(), value.shape().dimensions()))
      continue;
    if (isBefore && other != &value) return;
    isBefore = false;
    if (other != &value) setValue(*other, constraint.order, true, true, constraint.priority);
  }
}

// Of the parts of a concatenate the greatest decides.
void LayoutConstraints::propagateToSiblings(const Instruction& user, size_t index) {
  const Constraint constraint = operands_.at(Place(&user, index));
  const Instruction& operand = *user.operand(index);
  if (user.opcode() == Opcode::Concatenate &&
      std::ranges::any_of(user.operands(), [&](const Instruction* sibling) {
        return sibling->shape().elementCount() > operand.shape().elementCount();
      }))
    return;
  for (size_t k = 0; k < user.operandCount(); ++k) {
    const Instruction& sibling = *user.operand(k);
    if (&sibling != &operand && sibling.shape().rank() == operand.shape().rank())
      setOperand(user, k, constraint.order, true, true, constraint.priority);
  }
}

}  // namespace hilo
