#include "core/compiler/passes/fusion/argminmax_splitter.h"

#include <cmath>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/constants.h"

namespace hilo {
namespace {

using Numbers = absl::flat_hash_map<const Instruction*, double>;

bool compared(ComparisonDirection direction, double a, double b) {
  switch (direction) {
    case ComparisonDirection::Eq:
      return a == b;
    case ComparisonDirection::Ne:
      return a != b;
    case ComparisonDirection::Ge:
      return a >= b;
    case ComparisonDirection::Gt:
      return a > b;
    case ComparisonDirection::Le:
      return a <= b;
    case ComparisonDirection::Lt:
      return a < b;
  }
  return false;
}

// What a step that does nothing but compare and choose gives; nullopt of any other.
std::optional<double> chosen(const Instruction& step, const Numbers& known) {
  const auto operand = [&](size_t i) { return known.at(step.operand(i)); };
  const auto isNan = [&] { return std::isnan(operand(0)) || std::isnan(operand(1)); };
  const bool isPred = step.shape().isArray() && step.shape().elementType() == ElementType::Pred;
  switch (step.opcode()) {
    case Opcode::Compare:
      if (step.get<Attr::ComparisonTypeKind>() == ComparisonType::TotalOrder) return std::nullopt;
      return compared(*step.get<Attr::Direction>(), operand(0), operand(1)) ? 1 : 0;
    case Opcode::Select:
      return operand(0) != 0 ? operand(1) : operand(2);
    case Opcode::Maximum:
      return isNan() ? NAN : std::max(operand(0), operand(1));
    case Opcode::Minimum:
      return isNan() ? NAN : std::min(operand(0), operand(1));
    case Opcode::And:
      return isPred ? std::optional(std::min(operand(0), operand(1))) : std::nullopt;
    case Opcode::Or:
      return isPred ? std::optional(std::max(operand(0), operand(1))) : std::nullopt;
    case Opcode::Not:
      return isPred ? std::optional(1 - operand(0)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

using Four = std::array<double, 4>;  // what is folded so far, its two numbers, and what is folded in

std::optional<std::array<double, 2>> applied(const Computation& computation, const Four& arguments) {
  Numbers known;
  for (const Instruction* step : computation.instructions()) {
    if (step == computation.root()) continue;
    if (step->opcode() == Opcode::Parameter) {
      known[step] = arguments[static_cast<size_t>(step->parameterNumber())];
      continue;
    }
    const auto number = chosen(*step, known);
    if (!number) return std::nullopt;
    known[step] = *number;
  }
  const Instruction& root = *computation.root();
  if (root.opcode() != Opcode::Tuple || root.operandCount() != 2) return std::nullopt;
  return std::array{known.at(root.operand(0)), known.at(root.operand(1))};
}

// The computation gives the extreme value, the first NaN being beyond all others, and of its places the
// first. As it only compares and chooses, it does so of all numbers if it does of these: in the order of
// folding the place folded in is never before the one so far.
bool findsFirst(const Computation& computation, ElementType type, size_t values, bool isGreatest) {
  const double beyond = isFloat(type) ? NAN : 3;
  for (const double a : {1.0, 2.0, beyond}) {
    for (const double b : {1.0, 2.0, beyond}) {
      for (const double place : {0.0, 5.0}) {
        Four arguments;
        arguments[values] = a;
        arguments[1 - values] = 0;
        arguments[2 + values] = b;
        arguments[3 - values] = place;
        const auto result = applied(computation, arguments);
        if (!result) return false;
        const bool isFirst = std::isnan(a) || (!std::isnan(b) && (isGreatest ? a >= b : a <= b));
        const double value = isFirst ? a : b, got = (*result)[values];
        if (!(got == value || (std::isnan(got) && std::isnan(value)))) return false;
        if ((*result)[1 - values] != (isFirst ? 0 : place)) return false;
      }
    }
  }
  return true;
}

// The places along dimension `d`, in order.
bool countsAlong(const Instruction& places, int64_t d) {
  if (places.opcode() == Opcode::Iota) return places.get<Attr::IotaDimension>() == d;
  return places.opcode() == Opcode::Broadcast && places.operand(0)->opcode() == Opcode::Iota &&
         places.operand(0)->shape().rank() == 1 && places.dimensions()[0] == d;
}

// Nothing is beyond it, the other way.
bool startsAtTheEnd(const Instruction& start, ElementType type, bool isGreatest) {
  if (isFloat(type)) return algebra::isAll(start, isGreatest ? -INFINITY : INFINITY);
  const int bits = elementBits(type) - (isSigned(type) ? 1 : 0);
  const double most = std::ldexp(1, bits) - 1, least = isSigned(type) ? -std::ldexp(1, bits) : 0;
  return algebra::isAll(start, isGreatest ? least : most);
}

struct Argminmax {
  size_t values;  // which of the two results, the other the places
  bool isGreatest;
};

std::optional<Argminmax> argminmaxOf(const Instruction& reduction) {
  if (reduction.opcode() != Opcode::Reduce || reduction.operandCount() != 4 ||
      reduction.dimensions().size() != 1 || reduction.parent().root() == &reduction)
    return std::nullopt;
  const int64_t d = reduction.dimensions()[0];
  const size_t values = countsAlong(*reduction.operand(1), d) ? 0 : 1, places = 1 - values;
  if (!countsAlong(*reduction.operand(places), d) || !algebra::isAll(*reduction.operand(2 + places), 0))
    return std::nullopt;
  const Shape shape = reduction.operand(values)->shape();
  const ElementType type = shape.elementType(), placeType = reduction.operand(places)->shape().elementType();
  const bool isOrdered = type != ElementType::Pred && (isFloat(type) || isIntegral(type));
  const bool countsFar = isIntegral(placeType) && elementBits(placeType) >= 32;
  if (!isOrdered || !countsFar || shape.isDynamic() || shape.elementCount() == 0) return std::nullopt;
  // Of zeros that are equal the greatest may be either one.
  for (const Instruction* user : reduction.users()) {
    const bool isTaken = user->opcode() == Opcode::GetTupleElement;
    if (!isTaken || (isFloat(type) && user->tupleIndex() != static_cast<int64_t>(places)))
      return std::nullopt;
  }
  for (const bool isGreatest : {true, false}) {
    if (startsAtTheEnd(*reduction.operand(2 + values), type, isGreatest) &&
        findsFirst(*reduction.get<Attr::ToApply>(), type, values, isGreatest))
      return Argminmax{values, isGreatest};
  }
  return std::nullopt;
}

Instruction* reduced(Instruction& before, Shape shape, Instruction* array, Instruction* start,
                     Opcode opcode) {
  Computation& computation = before.parent();
  Module& module = computation.module();
  const Shape element = Shape::scalar(array->shape().elementType());
  Computation* applied = module.createComputation(
      module.uniqueName(opcode == Opcode::Maximum ? "greatest" : "smallest"), &computation);
  Instruction* a = applied->createParameter(0, element, module.uniqueName("a"));
  Instruction* b = applied->createParameter(1, element, module.uniqueName("b"));
  applied->setRoot(applied->create(opcode, element, {a, b}));
  Instruction* made = computation.create(Opcode::Reduce, shape, {array, start}, {}, &before);
  made->set<Attr::Dimensions>(before.dimensions());
  made->set<Attr::ToApply>(applied);
  return made;
}

void split(Instruction& reduction, Argminmax form) {
  Computation& computation = reduction.parent();
  const size_t places = 1 - form.values;
  Instruction *array = reduction.operand(form.values), *counts = reduction.operand(places);
  const int64_t d = reduction.dimensions()[0];
  const Shape shape = array->shape(), isThere = shape.withElementType(ElementType::Pred);
  Instruction* extreme =
      reduced(reduction, reduction.shape().tupleShapes()[form.values], array,
              reduction.operand(2 + form.values), form.isGreatest ? Opcode::Maximum : Opcode::Minimum);
  const auto make = [&](Opcode opcode, Shape made, std::initializer_list<Instruction*> operands) {
    return computation.create(opcode, made, operands, {}, &reduction);
  };
  const auto compare = [&](ComparisonDirection direction, Instruction* a, Instruction* b) {
    Instruction* made = make(Opcode::Compare, isThere, {a, b});
    made->set<Attr::Direction>(direction);
    return made;
  };
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.rank()); ++i) {
    if (i != d) kept.push_back(i);
  }
  Instruction* along = make(Opcode::Broadcast, shape, {extreme});
  along->set<Attr::Dimensions>(kept);
  Instruction* isExtreme = compare(ComparisonDirection::Eq, array, along);
  // Where there is a NaN nothing equals the extreme value, which is one.
  if (isFloat(shape.elementType()))
    isExtreme = make(Opcode::Or, isThere, {isExtreme, compare(ComparisonDirection::Ne, array, array)});
  const auto last = static_cast<double>(shape.dimension(static_cast<size_t>(d)) - 1);
  Instruction* far = algebra::makeSplat(reduction, Shape::scalar(counts->shape().elementType()), last);
  Instruction* fars = make(Opcode::Broadcast, counts->shape(), {far});
  fars->set<Attr::Dimensions>(std::span<const int64_t>());
  Instruction* candidates = make(Opcode::Select, counts->shape(), {isExtreme, counts, fars});
  Instruction* first =
      reduced(reduction, reduction.shape().tupleShapes()[places], candidates, far, Opcode::Minimum);
  const std::vector<Instruction*> users(reduction.users().begin(), reduction.users().end());
  for (Instruction* user : users) {
    const bool wantsPlace = user->tupleIndex() == static_cast<int64_t>(places);
    computation.replaceAllUses(user, wantsPlace ? first : extreme);
  }
}

}  // namespace

Result<bool> splitArgminmax(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (!graph.runsInstructions(*computation)) continue;
    const std::vector<Instruction*> instructions(computation->instructions().begin(),
                                                 computation->instructions().end());
    for (Instruction* instruction : instructions) {
      if (context.cancelled()) return changed;
      const auto form = argminmaxOf(*instruction);
      if (!form) continue;
      if (!context.mayChange(*instruction)) return changed;
      context.remark(*instruction, "split", "the element and its place each fold in vectors");
      split(*instruction, *form);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
