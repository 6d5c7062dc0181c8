#include "core/compiler/spmd/local_scan.h"

#include "core/compiler/pass/clone_computation.h"

namespace hilo {

std::optional<EvenScan> EvenScan::of(const Instruction& scan) {
  const Shape result = scan.shape();
  const int64_t carries = scan.get<Attr::NumCarries>().value_or(0);
  if (!result.isTuple() || scan.dimensions().size() != 1) return std::nullopt;
  const auto leaves = result.tupleShapes();
  EvenScan even{.scan = scan,
                .arrays = scan.operandCount() - static_cast<size_t>(carries),
                .carries = static_cast<size_t>(carries),
                .along = static_cast<size_t>(scan.dimensions()[0])};
  if (even.arrays == 0 || leaves.size() != scan.operandCount()) return std::nullopt;
  const Shape first = scan.operand(0)->shape();
  if (!first.isArray() || first.rank() <= even.along) return std::nullopt;
  const std::vector<int64_t> step = even.stepSizes(first);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Shape operand = scan.operand(i)->shape();
    const std::span<const int64_t> sizes = i < even.arrays ? first.dimensions() : step;
    if (!operand.isArray() || !leaves[i].isArray() || operand.elementType() != leaves[i].elementType() ||
        !std::ranges::equal(operand.dimensions(), sizes) ||
        !std::ranges::equal(leaves[i].dimensions(), sizes))
      return std::nullopt;
  }
  return even;
}

std::vector<int64_t> EvenScan::stepSizes(Shape array) const {
  std::vector<int64_t> sizes(array.dimensions().begin(), array.dimensions().end());
  sizes.erase(sizes.begin() + static_cast<int64_t>(along));
  return sizes;
}

bool EvenScan::isByElement() const {
  const Computation& body = *scan.get<Attr::ToApply>();
  const std::vector<int64_t> step = stepSizes(scan.operand(0)->shape());
  const auto isOfStep = [&](const Instruction* i) {
    return i->shape().isArray() && std::ranges::equal(i->shape().dimensions(), step);
  };
  return std::ranges::all_of(body.instructions(), [&](const Instruction* i) {
    if (i == body.root()) return i->opcode() == Opcode::Tuple;
    if (i->shape().isArray() && i->shape().rank() == 0) return i->calledComputations().empty();
    if (i->opcode() == Opcode::Broadcast) return isOfStep(i) && i->operand(0)->shape().rank() == 0;
    return isOfStep(i) && i->calledComputations().empty() &&
           (i->opcode() == Opcode::Parameter || isElementwise(i->opcode()));
  });
}

bool EvenScan::hasPrefix() const {
  const Instruction& root = *scan.get<Attr::ToApply>()->root();
  if (!scan.get<Attr::IsAssociative>().value_or(false) || carries != arrays || root.opcode() != Opcode::Tuple)
    return false;
  for (size_t i = 0; i < arrays; ++i) {
    if (root.operand(i) != root.operand(arrays + i)) return false;
    if (scan.operand(i)->shape().elementType() != scan.operand(arrays + i)->shape().elementType())
      return false;
  }
  return true;
}

namespace {

// What a step computes, of a part of its elements.
Computation* partOfBody(const Computation& body, std::span<const int64_t> sizes) {
  Computation* made = cloneComputation(body, body.module().computations().front());
  std::vector<Shape> results;
  for (Instruction* i : made->instructions()) {
    if (i->shape().isArray() && i->shape().rank() > 0) i->setShape(shapeLike(i->shape(), sizes));
  }
  for (const Instruction* result : made->root()->operands()) results.push_back(result->shape());
  made->root()->setShape(Shape::tuple(results));
  return made;
}

}  // namespace

LocalScan::LocalScan(LocalBuilder& builder, const EvenScan& scan, std::span<const int64_t> stepSizes)
    : builder_(builder), scan_(scan), body_(scan.scan.get<Attr::ToApply>()) {
  if (!std::ranges::equal(stepSizes, scan.stepSizes(scan.scan.operand(0)->shape())))
    body_ = partOfBody(*body_, stepSizes);
}

std::vector<Instruction*> LocalScan::over(std::span<Instruction* const> arrays,
                                          std::span<Instruction* const> carries) const {
  std::vector<Instruction*> operands(arrays.begin(), arrays.end());
  operands.insert(operands.end(), carries.begin(), carries.end());
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  Instruction* made = builder_.makeLike(scan_.scan, operands, Shape::tuple(shapes));
  made->set<Attr::ToApply>(body_);
  std::vector<Instruction*> results;
  for (size_t i = 0; i < shapes.size(); ++i) {
    results.push_back(builder_.make(Opcode::GetTupleElement, shapes[i], {made}));
    results.back()->set<Attr::Index>(static_cast<int64_t>(i));
  }
  return results;
}

}  // namespace hilo
