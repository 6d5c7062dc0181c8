// Reductions of several arrays at once, barriers and conditionals.
#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo::algebra {
namespace {

// A computation of two scalars that gives what the first element of the tuple was.
Computation* withoutTuple(const Computation& applied) {
  const Instruction& root = *applied.root();
  if (root.opcode() != Opcode::Tuple || root.operandCount() != 1) return nullptr;
  Module& module = applied.module();
  Computation* made =
      module.createComputation(module.uniqueName(applied.name()), &const_cast<Computation&>(applied));
  std::vector<std::pair<const Instruction*, Instruction*>> copies;
  for (const Instruction* i : applied.instructions()) {
    if (i == &root) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands())
      operands.push_back(std::ranges::find(copies, operand, [](const auto& c) { return c.first; })->second);
    Instruction* copy = i->opcode() == Opcode::Parameter
                            ? made->createParameter(i->parameterNumber(), i->shape())
                            : made->createLike(*i, operands);
    copies.emplace_back(i, copy);
  }
  made->setRoot(std::ranges::find(copies, root.operand(0), [](const auto& c) { return c.first; })->second);
  return made;
}

// reduce and reduce-window of one array, whose result is a tuple all the same.
Instruction* tupleOfOne(Instruction& i) {
  if (i.operandCount() != 2 || !i.shape().isTuple()) return nullptr;
  Computation* applied = withoutTuple(*i.get<Attr::ToApply>());
  if (applied == nullptr) return nullptr;
  Instruction* made = i.parent().createLike(i, i.operands(), &i);
  made->setShape(i.shape().tupleShapes()[0]);
  made->set<Attr::ToApply>(applied);
  return i.parent().create(Opcode::Tuple, i.shape(), {made}, {}, &i);
}

// Every result is its start, where there is nothing to combine.
Instruction* tupleOfStarts(Instruction& i) {
  if (!i.shape().isTuple() || i.operand(0)->shape().elementCount() != 0) return nullptr;
  const size_t count = i.operandCount() / 2;
  std::vector<Instruction*> starts;
  for (size_t k = 0; k < count; ++k)
    starts.push_back(madeBroadcast(i, i.operand(count + k), i.shape().tupleShapes()[k]));
  return i.parent().create(Opcode::Tuple, i.shape(), starts, {}, &i);
}

// The applied computation chooses, by comparing only, between (value, index) pairs:
// equal pairs stay themselves.
bool onlyChooses(const Computation& applied) {
  for (const Instruction* i : applied.instructions()) {
    switch (i->opcode()) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Compare:
      case Opcode::Select:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Maximum:
      case Opcode::Minimum:
      case Opcode::Tuple:
        continue;
      default:
        return false;
    }
  }
  return true;
}

// select(a > b or a != a, a, b) with a from the left: which way it compares.
bool takesFirst(const Computation& applied, ComparisonDirection direction) {
  const Instruction& root = *applied.root();
  if (root.opcode() != Opcode::Tuple || root.operandCount() != 2 ||
      root.operand(0)->opcode() != Opcode::Select)
    return false;
  const Instruction& by = *root.operand(0)->operand(0);
  const Instruction* compare = by.opcode() == Opcode::Or ? by.operand(0) : &by;
  return compare->opcode() == Opcode::Compare && *compare->get<Attr::Direction>() == direction;
}

}  // namespace

Instruction* reduceTupleOfOne(Instruction& i) { return tupleOfOne(i); }
Instruction* reduceWindowTupleOfOne(Instruction& i) { return tupleOfOne(i); }
Instruction* reduceTupleOfNothing(Instruction& i) { return tupleOfStarts(i); }
Instruction* reduceWindowTupleOfNothing(Instruction& i) { return tupleOfStarts(i); }

// Reducing no dimension of several arrays that start with zeros, by sums.
Instruction* reduceTupleAlongNothing(Instruction& i) {
  if (!i.shape().isTuple() || !i.dimensions().empty()) return nullptr;
  const Computation& applied = *i.get<Attr::ToApply>();
  const size_t count = i.operandCount() / 2;
  if (applied.root()->opcode() != Opcode::Tuple) return nullptr;
  std::vector<Instruction*> values;
  for (size_t k = 0; k < count; ++k) {
    const Instruction& sum = *applied.root()->operand(k);
    const bool isSum = sum.opcode() == Opcode::Add && sum.operand(0)->opcode() == Opcode::Parameter &&
                       sum.operand(1)->opcode() == Opcode::Parameter &&
                       sum.operand(0)->parameterNumber() + sum.operand(1)->parameterNumber() ==
                           static_cast<int64_t>(2 * k + count) &&
                       (sum.operand(0)->parameterNumber() == static_cast<int64_t>(k) ||
                        sum.operand(1)->parameterNumber() == static_cast<int64_t>(k));
    if (!isSum || !isAll(*i.operand(count + k), 0) || i.operand(k)->shape() != i.shape().tupleShapes()[k])
      return nullptr;
    values.push_back(i.operand(k));
  }
  return i.parent().create(Opcode::Tuple, i.shape(), values, {}, &i);
}

// The greatest (or smallest) element is what a search for its index along the same dimensions gives besides.
Instruction* maximumOfArgmax(Instruction& i) {
  const auto combiner = combinerOf(i);
  if (!i.shape().isArray() || (combiner != Opcode::Maximum && combiner != Opcode::Minimum)) return nullptr;
  const auto direction = combiner == Opcode::Maximum ? ComparisonDirection::Gt : ComparisonDirection::Lt;
  const auto start = splatValue(*i.operand(1));
  const auto searches = [&](const Instruction* user) {
    return user->opcode() == Opcode::Reduce && user->operandCount() == 4 &&
           user->operand(0) == i.operand(0) && std::ranges::equal(user->dimensions(), i.dimensions()) &&
           start && splatValue(*user->operand(2)) == start && onlyChooses(*user->get<Attr::ToApply>()) &&
           takesFirst(*user->get<Attr::ToApply>(), direction) && user->shape().tupleShapes()[0] == i.shape();
  };
  const auto users = i.operand(0)->users();
  const auto search = std::ranges::find_if(users, searches);
  if (search == users.end()) return nullptr;
  for (const Instruction* before : i.parent().instructions()) {
    if (before == &i) return nullptr;
    if (before == *search) break;
  }
  return elementOfTuple(*search, 0, i);
}

// The greatest of equal numbers is the first one, at index 0 of what counts up.
Instruction* argmaxOfOneNumber(Instruction& i) {
  if (!i.shape().isTuple() || i.operandCount() != 4 || i.dimensions().size() != 1) return nullptr;
  const Instruction &values = *i.operand(0), &indices = *i.operand(1);
  const Computation& applied = *i.get<Attr::ToApply>();
  Instruction* number = scalarBehind(values);
  const auto start = splatValue(*i.operand(2));
  if (number == nullptr || !start || !splatValue(*number) || indices.opcode() != Opcode::Iota ||
      *indices.get<Attr::IotaDimension>() != i.dimensions()[0] || !isAll(*i.operand(3), 0) ||
      !onlyChooses(applied) || values.shape().elementCount() == 0)
    return nullptr;
  const bool isGreatest = takesFirst(applied, ComparisonDirection::Gt) && *start < *splatValue(*number),
             isLeast = takesFirst(applied, ComparisonDirection::Lt) && *start > *splatValue(*number);
  if (!isGreatest && !isLeast) return nullptr;
  Instruction* value = madeBroadcast(i, number, i.shape().tupleShapes()[0]);
  Instruction* index = makeSplat(i, i.shape().tupleShapes()[1], 0);
  return i.parent().create(Opcode::Tuple, i.shape(), {value, index}, {}, &i);
}

// Elements that nobody takes out of a barrier need not go in.
Instruction* barrierOfUnused(Instruction& i) {
  Instruction* tuple = i.operand(0);
  if (tuple->opcode() != Opcode::Tuple || i.isRoot() || tuple->users().size() != 1) return nullptr;
  std::vector<bool> isUsed(tuple->operandCount());
  for (const Instruction* user : i.users()) {
    if (user->opcode() != Opcode::GetTupleElement) return nullptr;
    isUsed[static_cast<size_t>(user->tupleIndex())] = true;
  }
  std::vector<Instruction*> kept;
  std::vector<int64_t> place(tuple->operandCount(), -1);
  std::vector<Shape> shapes;
  for (size_t k = 0; k < isUsed.size(); ++k) {
    if (!isUsed[k]) continue;
    place[k] = static_cast<int64_t>(kept.size());
    kept.push_back(tuple->operand(k));
    shapes.push_back(tuple->operand(k)->shape());
  }
  if (kept.size() == tuple->operandCount() || kept.empty()) return nullptr;
  for (size_t k = 0; k < place.size(); ++k) {
    if (place[k] < 0 && hasSideEffect(*tuple->operand(k))) return nullptr;
  }
  const Shape shape = Shape::tuple(shapes);
  Instruction* fewer = i.parent().create(Opcode::Tuple, shape, kept, {}, &i);
  Instruction* barrier = i.parent().createLike(i, {{fewer}}, &i);
  barrier->setShape(shape);
  // The old users take what they did from a tuple of the barrier's elements; those unused stay as they were.
  std::vector<Instruction*> elements;
  for (size_t k = 0; k < place.size(); ++k)
    elements.push_back(place[k] < 0 ? tuple->operand(k) : elementOfTuple(barrier, place[k], i));
  return i.parent().create(Opcode::Tuple, i.shape(), elements, {}, &i);
}

// A number made of a predicate chooses as it does: branch 1 where it holds.
Instruction* conditionalOfConvertedPred(Instruction& i) {
  const Instruction& number = *i.operand(0);
  if (number.opcode() != Opcode::Convert || number.operand(0)->shape().elementType() != ElementType::Pred ||
      i.operandCount() != 3 || i.get<Attr::BranchComputations>().size() != 2)
    return nullptr;
  const auto branches = i.get<Attr::BranchComputations>();
  Instruction* made = i.parent().create(Opcode::Conditional, i.shape(),
                                        {number.operand(0), i.operand(2), i.operand(1)}, {}, &i);
  made->set<Attr::TrueComputation>(branches[1]);
  made->set<Attr::FalseComputation>(branches[0]);
  return made;
}

}  // namespace hilo::algebra
