#include "core/compiler/passes/memory/slice_fusion_body.h"

#include <utility>

namespace hilo {
namespace {

bool isInteger(Shape shape) { return shape.isScalar() && isIntegral(shape.elementType()); }

// Longer chains of arithmetic are read as they come out.
constexpr int kMostSteps = 64;

// The first operand that is an offset; none where it is no slice.
size_t firstOffset(const Instruction& i) {
  if (i.opcode() == Opcode::DynamicSlice) return 1;
  return i.opcode() == Opcode::DynamicUpdateSlice ? 2 : i.operandCount();
}

}  // namespace

bool isOffsetArithmetic(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Add:
    case Opcode::Subtract:
    case Opcode::Multiply:
      return isInteger(i.shape());
    case Opcode::Compare:
      return isInteger(i.operand(0)->shape()) && isInteger(i.operand(1)->shape());
    case Opcode::Select:
      return isInteger(i.shape()) || (i.shape().isScalar() && i.shape().elementType() == ElementType::Pred);
    default:
      return false;
  }
}

SliceFusionBody::SliceFusionBody(Instruction& call, const SlicePaths& paths) : call_(call), paths_(paths) {
  for (const SlicedOperand& operand : paths.operands) {
    addPath(operand.path);
    for (size_t k = 1; k < operand.path.size(); ++k) instead_[operand.path[k]] = operand.path[k - 1];
  }
  add(call);
  for (const SlicedResult& result : paths.results) {
    if (result.element != nullptr && paths.hasUpdates()) add(*result.element);
    addPath(result.path);
    if (result.update != nullptr) addPath({&result.update, 1});
  }
  sinkConstants();
  for (const Instruction* member : members_) {
    if (isOffset_.contains(member)) continue;
    for (size_t n = 0; n < member->operandCount(); ++n) readOutside(*readBy(*member, n));
  }
  order();
}

void SliceFusionBody::addPath(std::span<Instruction* const> path) {
  for (Instruction* i : path) {
    for (size_t n = firstOffset(*i); n < i->operandCount(); ++n) addOffset(*i->operand(n), kMostSteps);
    add(*i);
  }
}

void SliceFusionBody::add(Instruction& member) {
  if (isMember_.insert(&member).second) members_.push_back(&member);
}

void SliceFusionBody::addOffset(Instruction& offset, int depth) {
  if (depth == 0 || !isOffsetArithmetic(offset) || isMember_.contains(&offset)) return;
  for (Instruction* operand : offset.operands()) addOffset(*operand, depth - 1);
  isOffset_.insert(&offset);
  add(offset);
}

// Constants that only offsets read are part of it; arrays are read from outside, as the call wants buffers.
void SliceFusionBody::sinkConstants() {
  absl::flat_hash_set<const Instruction*> readAsArrays;
  std::vector<Instruction*> constants;
  for (Instruction* member : members_) {
    for (size_t n = 0; n < member->operandCount(); ++n) {
      Instruction* operand = readBy(*member, n);
      if (operand->opcode() != Opcode::Constant) continue;
      const bool isOffset = isOffset_.contains(member) || n >= firstOffset(*member);
      if (isOffset)
        constants.push_back(operand);
      else
        readAsArrays.insert(operand);
    }
  }
  for (Instruction* constant : constants) {
    if (!readAsArrays.contains(constant)) add(*constant);
  }
}

// Operands in front of what reads them.
void SliceFusionBody::order() {
  absl::flat_hash_set<const Instruction*> done;
  for (Instruction* member : std::exchange(members_, {})) appendInOrder(*member, done);
}

void SliceFusionBody::appendInOrder(Instruction& member, absl::flat_hash_set<const Instruction*>& done) {
  if (!isMember_.contains(&member) || !done.insert(&member).second) return;
  for (size_t n = 0; n < member.operandCount(); ++n) appendInOrder(*readBy(member, n), done);
  members_.push_back(&member);
}

void SliceFusionBody::readOutside(Instruction& value) {
  const bool isOutside = !isMember_.contains(&value);
  if ((!isOutside && !isOffset_.contains(&value)) || !isRead_.insert(&value).second) return;
  if (isOutside) {
    outside_.push_back(&value);
    return;
  }
  for (Instruction* operand : value.operands()) readOutside(*operand);
}

// A slice may be read through tuples, which stay outside.
Instruction* SliceFusionBody::readBy(const Instruction& member, size_t operand) const {
  if (&member == &call_) {
    for (const SlicedOperand& sliced : paths_.operands) {
      if (sliced.index == operand) return sliced.value();
    }
  }
  if (const auto found = instead_.find(&member); operand == 0 && found != instead_.end())
    return found->second;
  return member.operand(operand);
}

Instruction* SliceFusionBody::resultIn(const SlicedResult& result, const Copies& copies,
                                       Computation& body) const {
  if (result.update != nullptr) return copies.at(result.update);
  if (result.element != nullptr) return copies.at(result.element);
  Instruction* call = copies.at(&call_);
  Instruction* element = body.create(Opcode::GetTupleElement,
                                     call->shape().tupleShapes()[static_cast<size_t>(result.index)], {call});
  element->set<Attr::Index>(result.index);
  return element;
}

Computation* SliceFusionBody::make() const {
  Module& module = call_.module();
  Computation* body = module.createComputation(module.uniqueName("dynamic-slice-fusion"), &call_.parent());
  Copies copies;
  for (const Instruction* operand : outside_)
    copies[operand] = body->createParameter(static_cast<int64_t>(copies.size()), operand->shape());
  for (const Instruction* member : members_) {
    std::vector<Instruction*> operands;
    for (size_t n = 0; n < member->operandCount(); ++n) operands.push_back(copies.at(readBy(*member, n)));
    copies[member] = body->createLike(*member, operands);
  }
  if (!paths_.hasUpdates()) {
    body->setRoot(copies.at(&call_));
    return body;
  }
  std::vector<Instruction*> results;
  for (const SlicedResult& result : paths_.results) results.push_back(resultIn(result, copies, *body));
  if (!call_.shape().isTuple()) {
    body->setRoot(results[0]);
    return body;
  }
  std::vector<Shape> shapes;
  for (const Instruction* result : results) shapes.push_back(result->shape());
  body->setRoot(body->create(Opcode::Tuple, Shape::tuple(shapes), results));
  return body;
}

}  // namespace hilo
