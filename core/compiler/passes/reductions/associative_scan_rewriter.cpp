#include "core/compiler/passes/reductions/associative_scan_rewriter.h"

#include <algorithm>
#include <map>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/reductions/window_scan.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isDead(const Instruction& i) { return i.users().empty() && !i.isRoot(); }

bool readsNoCarry(const Instruction& scan) {
  return std::ranges::all_of(scan.users(), [](const Instruction* user) {
    return isDead(*user) || (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == 0);
  });
}

// The scalar, or constant of one number, that a start repeats; null where it is another.
Instruction* numberOf(Instruction* start) {
  while (start->opcode() == Opcode::Broadcast || start->opcode() == Opcode::Reshape)
    start = start->operand(0);
  const bool isNumber = start->shape().isScalar() || algebra::splatValue(*start).has_value();
  return isNumber ? start : nullptr;
}

// Elementwise operations of numbers, and what only repeats or reshapes them.
bool hasScalarSteps(const Computation& body) {
  for (const Instruction* i : body.instructions()) {
    const bool isLeaf =
        i->opcode() == Opcode::Parameter ||
        (i->opcode() == Opcode::Constant && (i->shape().isScalar() || algebra::splatValue(*i)));
    const bool repeats = i->opcode() == Opcode::Reshape ||
                         (i->opcode() == Opcode::Broadcast && i->operand(0)->shape().isScalar());
    if (!isLeaf && !repeats && !isElementwise(i->opcode()) && i != body.root()) return false;
  }
  const Instruction& root = *body.root();
  return root.opcode() == Opcode::Tuple && root.operandCount() == 2 && root.operand(0) == root.operand(1) &&
         body.parameters().size() == 2;
}

bool isStandard(const Instruction& scan) {
  return scan.opcode() == Opcode::Scan && !scan.isRoot() && scan.operandCount() == 2 &&
         scan.get<Attr::IsAssociative>().value_or(false) && !scan.get<Attr::IsReverse>().value_or(false) &&
         scan.get<Attr::NumCarries>().value_or(0) == 1 && liesRowMajor(scan.operand(0)->shape()) &&
         readsNoCarry(scan) && numberOf(scan.operand(1)) != nullptr &&
         hasScalarSteps(*scan.get<Attr::ToApply>());
}

// A number of the body, for the array that it stands for there.
Instruction* scalarOf(const Instruction& i, Computation& made,
                      std::map<const Instruction*, Instruction*>& scalars) {
  const Shape scalar = Shape::scalar(i.shape().elementType());
  if (i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Broadcast) return scalars.at(i.operand(0));
  if (i.opcode() == Opcode::Constant && !i.shape().isScalar()) {
    Literal number(scalar);
    std::ranges::copy(i.literal().bytes().first(number.bytes().size()), number.mutableBytes().begin());
    return made.createConstant(std::move(number));
  }
  std::vector<Instruction*> operands;
  for (const Instruction* operand : i.operands()) operands.push_back(scalars.at(operand));
  Instruction* same = made.createLike(i, operands);
  same->setShape(scalar);
  return same;
}

// The step as a combiner of the total so far and the next number. What a step gives is what it carries.
Computation* combinerOf(Computation& body) {
  Computation* made = body.module().createComputation(
      body.module().uniqueName(fmt::format("{}_combiner", body.name())), &body);
  std::map<const Instruction*, Instruction*> scalars;
  for (const size_t of : {1, 0}) {
    const Shape shape = Shape::scalar(body.parameters()[of]->shape().elementType());
    scalars[body.parameters()[of]] = made->createParameter(static_cast<int64_t>(1 - of), shape);
  }
  for (const Instruction* i : body.instructions()) {
    if (i->opcode() != Opcode::Parameter && i != body.root()) scalars[i] = scalarOf(*i, *made, scalars);
  }
  made->setRoot(scalars.at(body.root()->operand(0)));
  return made;
}

// The start as a scalar.
Instruction* scalarStart(Instruction& scan) {
  Instruction* number = numberOf(scan.operand(1));
  if (number->shape().isScalar()) return number;
  return algebra::makeSplat(scan, Shape::scalar(number->shape().elementType()),
                            *algebra::splatValue(*number));
}

bool combinesItsParameters(const Computation& body) {
  const Instruction& step = *body.root()->operand(0);
  return step.operandCount() == 2 && step.operand(0) != step.operand(1) &&
         step.operand(0)->opcode() == Opcode::Parameter && step.operand(1)->opcode() == Opcode::Parameter;
}

int64_t lengthOf(const Instruction& scan) {
  return scan.operand(0)->shape().dimension(static_cast<size_t>(scan.dimensions()[0]));
}

bool applies(const Instruction& scan, int64_t row) {
  if (!isStandard(scan) || lengthOf(scan) == 0) return false;
  const bool isShort = row == 0 || lengthOf(scan) <= row;
  return isShort ||
         (combinesItsParameters(*scan.get<Attr::ToApply>()) &&
          mayFoldAgain(scan.get<Attr::ToApply>()->root()->operand(0)->opcode(), *numberOf(scan.operand(1))));
}

Instruction* rewritten(Instruction& scan, int64_t row) {
  Instruction* arrays[] = {scan.operand(0)};
  Instruction* starts[] = {scalarStart(scan)};
  Computation* combiner = combinerOf(*scan.get<Attr::ToApply>());
  const auto along = static_cast<size_t>(scan.dimensions()[0]);
  const int64_t length = lengthOf(scan);
  const WindowDimension window{.size = length, .paddingLow = length - 1};
  Instruction* totals =
      row == 0 || length <= row
          ? reduceWindowAlong(arrays, starts, *combiner, along, window, scan)
          : scanByRows({.arrays = arrays, .starts = starts, .combiner = combiner, .dimension = along}, row,
                       scan)[0];
  return scan.parent().create(Opcode::Tuple, scan.shape(), {totals, scan.operand(1)}, {}, &scan);
}

}  // namespace

Result<bool> rewriteAssociativeScans(Module& module, PassContext& context, const ScanRows& rows) {
  return rewriteEach(
      module, context, "rewritten", [&](const Instruction& i) { return applies(i, rows.length); },
      [&](Instruction& i) { return rewritten(i, rows.length); });
}

}  // namespace hilo
