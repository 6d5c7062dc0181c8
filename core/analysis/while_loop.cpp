#include "core/analysis/while_loop.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/analysis/scalar_integer.h"
#include "core/analysis/well_formed.h"

namespace hilo {
namespace {

// scale * counter + offset.
struct Affine {
  int64_t scale = 0;
  int64_t offset = 0;
};

// A computation seen from a call of it, so that its parameters lead to the call's operands.
struct Scope {
  const Instruction* call = nullptr;
  const Scope* outer = nullptr;
};
constexpr int kMaxDepth = 64;

bool fitsType(__int128 value, ElementType type) {
  const int bits = elementBits(type);
  if (bits >= 64) return value >= INT64_MIN && value <= INT64_MAX;
  const __int128 one = 1;
  return isSigned(type) ? value >= -(one << (bits - 1)) && value < (one << (bits - 1))
                        : value >= 0 && value < (one << bits);
}

// What copies and barriers hand on.
const Instruction* copied(const Instruction* at) {
  while ((at->opcode() == Opcode::Copy || at->opcode() == Opcode::OptBarrier) && isWhole(*at))
    at = at->operand(0);
  return at;
}

class AffineFinder {
 public:
  // `counter`: the tuple element of the loop's parameter that varies; -1: none does. With `loop`, elements
  // that its body hands on and that start at a constant are that constant. With `range`, the values the
  // counter takes, a select that always chooses the same side is that side.
  explicit AffineFinder(int64_t counter, const Instruction* loop = nullptr,
                        const InductionVariable* range = nullptr)
      : counter_(counter), loop_(loop), range_(range) {}

  std::optional<Affine> find(const Instruction& value, const Scope* scope, int depth = 0) {
    // A value may be reached in many ways: the work is bounded, whatever the module looks like.
    if (depth > kMaxDepth || ++visited_ > kMaxVisited || !isWhole(value)) return std::nullopt;
    const auto operand = [&](size_t i) { return find(*value.operand(i), scope, depth + 1); };
    switch (value.opcode()) {
      case Opcode::Constant: {
        const auto number = scalarInteger(value.literal());
        return number ? std::optional(Affine{0, *number}) : std::nullopt;
      }
      case Opcode::Parameter:
        return ofParameter(value, scope, depth);
      case Opcode::GetTupleElement:
        return ofElement(value, scope, depth);
      case Opcode::Copy:
      case Opcode::CopyDone:
      case Opcode::CopyStart:
      case Opcode::Bitcast:
      case Opcode::Reshape:
      case Opcode::OptBarrier:
        return value.operand(0)->shape().isArray() || value.opcode() == Opcode::CopyDone ? operand(0)
                                                                                         : std::nullopt;
      case Opcode::Convert:
        return isIntegral(value.shape().elementType()) &&
                       isIntegral(value.operand(0)->shape().elementType()) &&
                       elementBits(value.shape().elementType()) >=
                           elementBits(value.operand(0)->shape().elementType())
                   ? operand(0)
                   : std::nullopt;
      case Opcode::Fusion:
      case Opcode::Call: {
        const auto called = value.calledComputations();
        if (called.size() != 1 || called[0] == nullptr || called[0]->root()->shape().isTuple())
          return std::nullopt;
        const Scope inner{&value, scope};
        return find(*called[0]->root(), &inner, depth + 1);
      }
      case Opcode::Add:
        return combine(operand(0), operand(1), 1);
      case Opcode::Subtract:
        return combine(operand(0), operand(1), -1);
      case Opcode::Negate:
        return combine(Affine{}, operand(0), -1);
      case Opcode::Multiply:
        return product(operand(0), operand(1));
      case Opcode::Select: {
        const auto holds = alwaysHolds(*value.operand(0), scope, depth + 1);
        return holds ? operand(*holds ? 1 : 2) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Affine> ofParameter(const Instruction& parameter, const Scope* scope, int depth) {
    if (scope == nullptr) return std::nullopt;
    const auto number = static_cast<size_t>(parameter.parameterNumber());
    if (number >= scope->call->operandCount()) return std::nullopt;
    return find(*scope->call->operand(number), scope->outer, depth + 1);
  }

  std::optional<Affine> ofElement(const Instruction& element, const Scope* scope, int depth) {
    const Instruction* tuple = element.operand(0);
    const auto index = static_cast<size_t>(element.tupleIndex());
    // A tuple that a fusion was given.
    while (tuple->opcode() == Opcode::Parameter && scope != nullptr) {
      const auto number = static_cast<size_t>(tuple->parameterNumber());
      if (number >= scope->call->operandCount()) return std::nullopt;
      tuple = scope->call->operand(number);
      scope = scope->outer;
    }
    while (tuple->opcode() == Opcode::OptBarrier && isWhole(*tuple)) tuple = tuple->operand(0);
    if (tuple->opcode() == Opcode::Parameter)
      return element.tupleIndex() == counter_ ? std::optional(Affine{1, 0}) : handedOn(*tuple, index, depth);
    if (tuple->opcode() == Opcode::Tuple && index < tuple->operandCount())
      return find(*tuple->operand(index), scope, depth + 1);
    const auto called = tuple->calledComputations();
    if (tuple->opcode() != Opcode::Fusion || called.size() != 1) return std::nullopt;
    const Instruction* root = called[0]->root();
    if (root->opcode() != Opcode::Tuple || index >= root->operandCount()) return std::nullopt;
    const Scope inner{tuple, scope};
    return find(*root->operand(index), &inner, depth + 1);
  }

  // The constant an element of what the loop carries starts at and keeps.
  std::optional<Affine> handedOn(const Instruction& parameter, size_t index, int depth) {
    if (loop_ == nullptr) return std::nullopt;
    const Computation &body = *loop_->get<Attr::Body>(), *within = &parameter.parent();
    if (within != &body && within != loop_->get<Attr::Condition>()) return std::nullopt;
    const Instruction *root = body.root(), *init = loop_->operand(0);
    if (root->opcode() != Opcode::Tuple || index >= root->operandCount()) return std::nullopt;
    const Instruction* next = root->operand(index);
    if (next->opcode() != Opcode::GetTupleElement || !isWhole(*next) ||
        next->operand(0)->opcode() != Opcode::Parameter || static_cast<size_t>(next->tupleIndex()) != index)
      return std::nullopt;
    init = copied(init);
    if (init->opcode() != Opcode::Tuple || index >= init->operandCount()) return std::nullopt;
    AffineFinder outside(-1);
    outside.visited_ = visited_;
    return outside.find(*init->operand(index), nullptr, depth + 1);
  }

  // Whether a comparison has the same outcome in every iteration, and which. Both sides move evenly, so the
  // first and the last iteration tell.
  std::optional<bool> alwaysHolds(const Instruction& compare, const Scope* scope, int depth) {
    const auto direction = compare.get<Attr::Direction>();
    if (range_ == nullptr || compare.opcode() != Opcode::Compare || !direction || !isWhole(compare))
      return std::nullopt;
    const auto left = find(*compare.operand(0), scope, depth),
               right = find(*compare.operand(1), scope, depth);
    if (!left || !right) return std::nullopt;
    const ElementType type = compare.operand(0)->shape().elementType();
    __int128 differences[2];
    for (const bool last : {false, true}) {
      const __int128 counter = last ? range_->last() : range_->init;
      const __int128 l = left->scale * counter + left->offset, r = right->scale * counter + right->offset;
      if (!fitsType(l, type) || !fitsType(r, type)) return std::nullopt;
      differences[last] = l - r;
    }
    const auto [low, high] = std::minmax(differences[0], differences[1]);
    const auto decided = [](bool always, bool never) {
      return always || never ? std::optional(always) : std::nullopt;
    };
    switch (*direction) {
      using enum ComparisonDirection;
      case Lt:
        return decided(high < 0, low >= 0);
      case Le:
        return decided(high <= 0, low > 0);
      case Gt:
        return decided(low > 0, high <= 0);
      case Ge:
        return decided(low >= 0, high < 0);
      case Eq:
        return decided(low == 0 && high == 0, low > 0 || high < 0);
      case Ne:
        return decided(low > 0 || high < 0, low == 0 && high == 0);
    }
    return std::nullopt;
  }

  static std::optional<Affine> combine(std::optional<Affine> a, std::optional<Affine> b, int64_t sign) {
    Affine sum, part;
    if (!a || !b || __builtin_mul_overflow(b->scale, sign, &part.scale) ||
        __builtin_mul_overflow(b->offset, sign, &part.offset) ||
        __builtin_add_overflow(a->scale, part.scale, &sum.scale) ||
        __builtin_add_overflow(a->offset, part.offset, &sum.offset))
      return std::nullopt;
    return sum;
  }

  static std::optional<Affine> product(std::optional<Affine> a, std::optional<Affine> b) {
    if (!a || !b) return std::nullopt;
    if (a->scale != 0) std::swap(a, b);
    Affine result;
    if (a->scale != 0 || __builtin_mul_overflow(a->offset, b->scale, &result.scale) ||
        __builtin_mul_overflow(a->offset, b->offset, &result.offset))
      return std::nullopt;
    return result;
  }

  static constexpr int kMaxVisited = 10'000;
  int64_t counter_;
  const Instruction* loop_;
  const InductionVariable* range_;
  int visited_ = 0;
};

// The comparison that ends the loop, and the elements of what the loop carries that it reads.
struct Condition {
  const Instruction* compare = nullptr;
  std::vector<Scope> scopes;  // innermost last; linked by address
};

std::optional<Condition> findCompare(const Computation& computation) {
  Condition condition;
  condition.scopes.reserve(kMaxDepth);  // addresses must stay
  const Instruction* at = computation.root();
  while (at != nullptr && isWhole(*at)) {
    if (at->opcode() == Opcode::Compare) {
      condition.compare = at;
      return condition;
    }
    if (at->opcode() == Opcode::Copy || at->opcode() == Opcode::Bitcast || at->opcode() == Opcode::Reshape) {
      at = at->operand(0);
      continue;
    }
    const bool enters = at->opcode() == Opcode::Fusion || at->opcode() == Opcode::Call;
    if (!enters || condition.scopes.size() == kMaxDepth || at->calledComputations().size() != 1) break;
    condition.scopes.push_back({at, condition.scopes.empty() ? nullptr : &condition.scopes.back()});
    at = at->calledComputations()[0]->root();
  }
  return std::nullopt;
}

// Trips of a counter that starts at `init`, moves by `step` and goes on while `counter direction bound`.
std::optional<int64_t> countTrips(__int128 init, __int128 step, ComparisonDirection direction,
                                  __int128 bound) {
  using enum ComparisonDirection;
  if (direction == Le || direction == Ge) {
    bound += direction == Le ? 1 : -1;
    direction = direction == Le ? Lt : Gt;
  }
  if (direction == Gt) {
    init = -init;
    bound = -bound;
    step = -step;
    direction = Lt;
  }
  __int128 trips;
  if (direction == Lt) {
    if (init >= bound) return 0;
    if (step <= 0) return std::nullopt;
    trips = (bound - init + step - 1) / step;
  } else if (direction == Ne) {
    if ((bound - init) % step != 0 || (bound - init) / step < 0) return std::nullopt;
    trips = (bound - init) / step;
  } else {
    return init == bound ? 1 : 0;
  }
  return trips > INT64_MAX ? std::nullopt : std::optional(static_cast<int64_t>(trips));
}

ComparisonDirection mirrored(ComparisonDirection direction) {
  using enum ComparisonDirection;
  switch (direction) {
    case Lt:
      return Gt;
    case Gt:
      return Lt;
    case Le:
      return Ge;
    case Ge:
      return Le;
    default:
      return direction;
  }
}

std::optional<int64_t> initialValue(const Instruction& loop, size_t index) {
  const Instruction* init = copied(loop.operand(0));
  if (init->opcode() != Opcode::Tuple || index >= init->operandCount()) return std::nullopt;
  const auto value = AffineFinder(-1).find(*init->operand(index), nullptr);
  return value && value->scale == 0 ? std::optional(value->offset) : std::nullopt;
}

// The loop if its counter is element `index`.
std::optional<InductionVariable> withCounter(const Instruction& loop, const Condition& condition,
                                             int64_t index) {
  const Computation& body = *loop.get<Attr::Body>();
  const Scope* scope = condition.scopes.empty() ? nullptr : &condition.scopes.back();
  AffineFinder finder(index, &loop);
  const auto left = finder.find(*condition.compare->operand(0), scope);
  const auto right = finder.find(*condition.compare->operand(1), scope);
  const Instruction* root = body.root();
  const auto element = static_cast<size_t>(index);
  if (!left || !right || root->opcode() != Opcode::Tuple || element >= root->operandCount())
    return std::nullopt;
  const auto update = finder.find(*root->operand(element), nullptr);
  if (!update || update->scale != 1 || update->offset == 0) return std::nullopt;
  auto direction = condition.compare->get<Attr::Direction>();
  const bool counterIsLeft = left->scale == 1 && right->scale == 0;
  if (!direction || (!counterIsLeft && !(left->scale == 0 && right->scale == 1))) return std::nullopt;
  const __int128 bound = counterIsLeft ? static_cast<__int128>(right->offset) - left->offset
                                       : static_cast<__int128>(left->offset) - right->offset;
  const auto init = initialValue(loop, element);
  if (!init) return std::nullopt;
  const auto trips =
      countTrips(*init, update->offset, counterIsLeft ? *direction : mirrored(*direction), bound);
  if (!trips) return std::nullopt;
  // After the last trip the counter has moved once more: it must not have wrapped around.
  const __int128 end = *init + static_cast<__int128>(*trips) * update->offset;
  if (!fitsType(end, root->operand(element)->shape().elementType())) return std::nullopt;
  return InductionVariable{index, *init, update->offset, *trips};
}

}  // namespace

std::optional<InductionVariable> inductionVariable(const Instruction& loop) {
  if (loop.opcode() != Opcode::While || !isWhole(loop) || !loop.shape().isTuple()) return std::nullopt;
  const Computation *condition = loop.get<Attr::Condition>(), *body = loop.get<Attr::Body>();
  if (condition->root() == nullptr || body->root() == nullptr) return std::nullopt;
  const auto compare = findCompare(*condition);
  if (!compare) return std::nullopt;
  for (const Instruction* i : condition->instructions()) {
    if (i->opcode() != Opcode::GetTupleElement || !isIntegral(i->shape().elementType())) continue;
    if (const auto found = withCounter(loop, *compare, i->tupleIndex())) return found;
  }
  // The condition may hand its whole parameter to a fusion.
  for (const Scope& scope : compare->scopes) {
    const auto called = scope.call->calledComputations();
    for (const Instruction* i : called[0]->instructions()) {
      if (i->opcode() != Opcode::GetTupleElement || !isIntegral(i->shape().elementType())) continue;
      if (const auto found = withCounter(loop, *compare, i->tupleIndex())) return found;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> statedTripCount(const Instruction& loop) {
  const std::string_view config = loop.get<Attr::BackendConfig>();
  if (config.find("known_trip_count") == std::string_view::npos) return std::nullopt;
  const auto json = nlohmann::json::parse(config, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto trip = json.find("known_trip_count");
  if (trip == json.end() || !trip->is_object()) return std::nullopt;
  const auto n = trip->find("n");
  if (n == trip->end()) return std::nullopt;
  int64_t count = -1;
  if (n->is_number_integer()) {
    count = n->get<int64_t>();
  } else if (n->is_string()) {
    // Protobuf writes 64-bit numbers as strings in JSON.
    const auto& text = n->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  return count >= 0 ? std::optional(count) : std::nullopt;
}

std::optional<int64_t> tripCount(const Instruction& loop) {
  const auto variable = inductionVariable(loop);
  return variable ? std::optional(variable->trips) : statedTripCount(loop);
}

std::optional<ValueRange> valueRangeInBody(const Instruction& value, const Instruction& loop) {
  const auto variable = inductionVariable(loop);
  if (!variable || variable->trips == 0) return std::nullopt;
  const auto affine = AffineFinder(variable->tupleIndex, &loop, &*variable).find(value, nullptr);
  if (!affine) return std::nullopt;
  const auto at = [&](int64_t counter) {
    return static_cast<__int128>(affine->scale) * counter + affine->offset;
  };
  const __int128 first = at(variable->init), last = at(variable->last());
  const ElementType type = value.shape().elementType();
  if (!fitsType(first, type) || !fitsType(last, type)) return std::nullopt;
  const __int128 step = static_cast<__int128>(affine->scale) * variable->step;
  return ValueRange{static_cast<int64_t>(std::min(first, last)), static_cast<int64_t>(std::max(first, last)),
                    variable->trips > 1 ? static_cast<int64_t>(step < 0 ? -step : step) : 0};
}

}  // namespace hilo
