#include "core/analysis/layouts/value_flow.h"

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool isPlainCall(Opcode opcode) {
  return opcode == Opcode::Fusion || opcode == Opcode::Call || opcode == Opcode::AsyncStart;
}

// Its computations begin with what goes into it.
bool goesInside(Opcode opcode) {
  return isPlainCall(opcode) || opcode == Opcode::While || opcode == Opcode::Conditional;
}

// Pairs with opcodes of their own whose result lies as what goes in.
bool beginsOwnStart(Opcode opcode) {
  return opcode == Opcode::AllReduceStart || opcode == Opcode::CollectivePermuteStart ||
         opcode == Opcode::CopyStart;
}
bool endsOwnStart(Opcode opcode) {
  return opcode == Opcode::AllReduceDone || opcode == Opcode::CollectivePermuteDone ||
         opcode == Opcode::CopyDone;
}

ArrayValue under(const Instruction* at, int32_t index, const ArrayValue::Path& rest) {
  ArrayValue value{.at = at, .path = {index}};
  value.path.insert(value.path.end(), rest.begin(), rest.end());
  return value;
}
ArrayValue::Path below(const ArrayValue::Path& path) {
  return path.empty() ? path : ArrayValue::Path(path.begin() + 1, path.end());
}

// Custom calls that mark a value and do nothing to it.
bool isMark(const Instruction& call) {
  constexpr std::string_view kMarks[] = {
      "Sharding",     "SPMDFullToShardShape", "SPMDShardToFullShape",      "annotate_device_placement",
      "MoveToDevice", "MoveToHost",           "xla.sdy.FuncResultSharding"};
  return std::ranges::find(kMarks, call.get<Attr::CustomCallTarget>()) != std::end(kMarks);
}

bool isSameOrder(Shape from, Shape to) {
  if (!sameMemoryOrder(from, to)) return false;
  const auto tiles = [](Shape shape) {
    return shape.layout() == nullptr ? std::vector<Tile>() : shape.layout()->tiles;
  };
  return tiles(from) == tiles(to);
}

// Operands of the result's rank; of a select not what chooses.
std::vector<size_t> alike(const Instruction& instruction) {
  std::vector<size_t> operands;
  const size_t first = instruction.opcode() == Opcode::Select ? 1 : 0;
  for (size_t k = first; k < instruction.operandCount(); ++k) {
    const Shape shape = instruction.operand(k)->shape();
    if (shape.isArray() && shape.rank() > 0 && instruction.shape().isArray() &&
        shape.rank() == instruction.shape().rank())
      operands.push_back(k);
  }
  return operands;
}

}  // namespace

Shape ArrayValue::shape() const {
  Shape shape = at->shape();
  for (const int32_t index : path) {
    if (static_cast<size_t>(index) >= shape.tupleShapes().size()) return Shape();
    shape = shape.tupleShapes()[static_cast<size_t>(index)];
  }
  return shape;
}

bool movesElements(const Instruction& i) {
  if (i.opcode() != Opcode::Copy && i.opcode() != Opcode::Transpose) return false;
  if (i.operandCount() != 1 || !i.shape().isArray() || !i.operand(0)->shape().isArray()) return false;
  const Shape from = i.operand(0)->shape();
  if (i.opcode() == Opcode::Copy) return !isSameOrder(from, i.shape());
  if (i.dimensions().size() != i.shape().rank()) return true;
  const auto order = throughTranspose(majorToMinor(from), i.dimensions());
  return !sameMemoryOrder(inDimensionOrder(i.shape().withDefaultLayout(), order), i.shape());
}

std::vector<size_t> carriedOperands(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Copy:
    case Opcode::Transpose:
      return movesElements(i) ? std::vector<size_t>() : std::vector<size_t>{0};
    case Opcode::Bitcast:
    case Opcode::Reshape:
    case Opcode::DynamicReshape:
    case Opcode::BitcastConvert:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::SetDimensionSize:
    case Opcode::SelectAndScatter:
    case Opcode::Scan:
      return {0};
    case Opcode::DynamicUpdateSlice:
      return {0, 1};
    case Opcode::Broadcast:
      return i.operand(0)->shape().rank() < 2 ? std::vector<size_t>() : std::vector<size_t>{0};
    case Opcode::Concatenate:
    case Opcode::Map:
      return alike(i);
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Scatter:
    case Opcode::AllReduce:
    case Opcode::CollectivePermute:
    case Opcode::CollectiveBroadcast:
      return i.operandCount() == 0 ? std::vector<size_t>() : std::vector<size_t>{0};
    case Opcode::CustomCall:
      return isMark(i) && i.operandCount() > 0 ? std::vector<size_t>{0} : std::vector<size_t>();
    default:
      if (hasFact(i.opcode(), OpFact::Forwards) && i.operandCount() > 0) return {0};
      return isElementwise(i.opcode()) ? alike(i) : std::vector<size_t>();
  }
}

ValueFlow::ValueFlow(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      for (const Computation* called : i->calledComputations()) {
        if (called == nullptr) continue;
        if (callers_.size() <= called->id().value) callers_.resize(called->id().value + 1);
        callers_[called->id().value].push_back(i);
      }
    }
  }
  for (const Computation* computation : module.computations()) {
    if (callers_.size() <= computation->id().value) callers_.resize(computation->id().value + 1);
  }
}

bool ValueFlow::isInput(const Instruction& parameter) const {
  return parameter.opcode() == Opcode::Parameter && callers_[parameter.parent().id().value].empty();
}

bool ValueFlow::isInLoop(const Instruction& instruction) const {
  const Instruction* at = &instruction;
  for (int depth = 0; depth < 16; ++depth) {
    const auto& callers = callers_[at->parent().id().value];
    if (callers.empty()) return false;
    at = callers[0];
    if (at->opcode() == Opcode::While) return true;
  }
  return false;
}

const Instruction& ValueFlow::kernelOf(const Instruction& instruction) const {
  const Instruction* kernel = &instruction;
  for (int depth = 0; depth < 16; ++depth) {
    const auto& callers = callers_[kernel->parent().id().value];
    if (callers.empty() || callers[0]->opcode() != Opcode::Fusion) break;
    kernel = callers[0];
  }
  return *kernel;
}

void ValueFlow::addParameterSources(const ArrayValue& value, std::vector<ArrayValue>& sources) const {
  const Computation& computation = value.at->parent();
  const auto number = static_cast<size_t>(value.at->parameterNumber());
  for (const Instruction* caller : callers_[computation.id().value]) {
    if (isPlainCall(caller->opcode()) && number < caller->operandCount()) {
      sources.push_back({caller->operand(number), value.path});
    } else if (caller->opcode() == Opcode::While && caller->operandCount() == 1) {
      sources.push_back({caller->operand(0), value.path});
      if (const Computation* body = caller->get<Attr::Body>(); body != nullptr && body->root() != nullptr)
        sources.push_back({body->root(), value.path});
    } else if (caller->opcode() == Opcode::Conditional) {
      const auto branches = caller->calledComputations();
      for (size_t b = 0; b < branches.size() && b + 1 < caller->operandCount(); ++b) {
        if (branches[b] == &computation) sources.push_back({caller->operand(b + 1), value.path});
      }
    }
  }
}

// Of what hands values on by its structure: calls, loops, tuples, asynchronous pairs. Nothing: it does not.
std::optional<std::vector<ArrayValue>> ValueFlow::structuralSources(const ArrayValue& value) const {
  const Instruction& i = *value.at;
  std::vector<ArrayValue> sources;
  switch (i.opcode()) {
    case Opcode::Parameter:
      addParameterSources(value, sources);
      return sources;
    case Opcode::GetTupleElement:
      return std::vector{under(i.operand(0), static_cast<int32_t>(i.tupleIndex()), value.path)};
    case Opcode::Tuple:
      if (!value.path.empty() && static_cast<size_t>(value.path[0]) < i.operandCount())
        sources.push_back({i.operand(static_cast<size_t>(value.path[0])), below(value.path)});
      return sources;
    case Opcode::While:
      sources.push_back({i.operand(0), value.path});
      if (const Computation* body = i.get<Attr::Body>(); body != nullptr && body->root() != nullptr)
        sources.push_back({body->root(), value.path});
      return sources;
    case Opcode::AsyncStart:
    case Opcode::Fusion:
    case Opcode::Call:
    case Opcode::Conditional:
      addRoots(value, sources);
      return sources;
    case Opcode::AsyncUpdate:
      return std::vector{ArrayValue{i.operand(0), value.path}};
    case Opcode::AsyncDone:
      return std::vector{under(i.operand(0), 1, value.path)};
    default:
      return std::nullopt;
  }
}

// What is called gives its root. An async-start is ((operands), result, ...).
void ValueFlow::addRoots(const ArrayValue& value, std::vector<ArrayValue>& sources) {
  const bool isStart = value.at->opcode() == Opcode::AsyncStart;
  for (const Computation* called : value.at->calledComputations()) {
    if (called != nullptr && called->root() != nullptr)
      sources.push_back({called->root(), isStart ? below(value.path) : value.path});
  }
}

std::vector<ArrayValue> ValueFlow::sourcesOf(const ArrayValue& value) const {
  if (auto sources = structuralSources(value)) return *std::move(sources);
  const Instruction& i = *value.at;
  const size_t which = value.path.empty() ? 0 : static_cast<size_t>(value.path[0]);
  std::vector<ArrayValue> sources;
  if (endsOwnStart(i.opcode())) {
    const Instruction& start = *i.operand(0);
    if (which < start.operandCount()) sources.push_back({start.operand(which), {}});
    return sources;
  }
  const std::vector<size_t> carried = carriedOperands(i);
  if (!value.path.empty()) {
    // Of several arrays worked on together, the one of the same number.
    if (!carried.empty() && which < i.operandCount()) sources.push_back({i.operand(which), {}});
    return sources;
  }
  for (const size_t k : carried) sources.push_back({i.operand(k), {}});
  return sources;
}

void ValueFlow::addTupleUses(const ArrayValue& value, const Instruction& user, std::vector<ArrayUse>& uses) {
  for (size_t k = 0; k < user.operandCount(); ++k) {
    if (user.operand(k) == value.at)
      uses.push_back({&user, k, under(&user, static_cast<int32_t>(k), value.path)});
  }
}

// Into a computation, at the parameter that stands for the operand.
void ValueFlow::addCallUses(const ArrayValue& value, const Instruction& user, size_t operand,
                            std::vector<ArrayUse>& uses) {
  const auto into = [&](const Computation* called, size_t parameter) {
    if (called == nullptr || parameter >= called->parameters().size()) return;
    if (const Instruction* p = called->parameters()[parameter])
      uses.push_back({&user, operand, ArrayValue{p, value.path}});
  };
  if (isPlainCall(user.opcode())) {
    for (const Computation* called : user.calledComputations()) into(called, operand);
  } else if (user.opcode() == Opcode::While) {
    into(user.get<Attr::Body>(), 0);
    into(user.get<Attr::Condition>(), 0);
    uses.push_back({&user, operand, ArrayValue{&user, value.path}});
  } else if (const auto branches = user.calledComputations(); operand > 0 && operand <= branches.size()) {
    into(branches[operand - 1], 0);
  }
}

// As the root of its computation.
void ValueFlow::addResultUses(const ArrayValue& value, std::vector<ArrayUse>& uses) const {
  const Computation& computation = value.at->parent();
  if (computation.isEntry()) uses.push_back({nullptr, 0, std::nullopt});
  for (const Instruction* caller : callers_[computation.id().value]) {
    if (caller->opcode() == Opcode::AsyncStart) {
      uses.push_back({caller, 0, under(caller, 1, value.path)});
    } else if (isPlainCall(caller->opcode()) || caller->opcode() == Opcode::Conditional) {
      uses.push_back({caller, 0, ArrayValue{caller, value.path}});
    } else if (caller->opcode() == Opcode::While && caller->get<Attr::Body>() == &computation) {
      uses.push_back({caller, 0, ArrayValue{caller, value.path}});
      addCallUses(value, *caller, 0, uses);
    }
  }
}

// By operands of one user; `carried`: those it lies as.
void ValueFlow::addOperandUses(const ArrayValue& value, const Instruction& user,
                               std::vector<ArrayUse>& uses) const {
  const std::vector<size_t> carried = carriedOperands(user);
  for (size_t k = 0; k < user.operandCount(); ++k) {
    if (user.operand(k) != value.at) continue;
    if (goesInside(user.opcode())) {
      addCallUses(value, user, k, uses);
      continue;
    }
    ArrayUse use{&user, k, std::nullopt};
    const bool isTuple = user.shape().isTuple();
    if (beginsOwnStart(user.opcode())) {
      for (const Instruction* done : user.users()) {
        use.value = ArrayValue{done, {}};
        if (done->shape().isTuple()) use.value->path.push_back(static_cast<int32_t>(k));
      }
    } else if (isTuple && !carried.empty() && k < user.shape().tupleShapes().size()) {
      use.value = ArrayValue{&user, {static_cast<int32_t>(k)}};
    } else if (!isTuple && std::ranges::find(carried, k) != carried.end()) {
      use.value = ArrayValue{&user, {}};
    }
    uses.push_back(std::move(use));
  }
}

std::vector<ArrayUse> ValueFlow::usesOf(const ArrayValue& value) const {
  std::vector<ArrayUse> uses;
  if (value.at->isRoot()) addResultUses(value, uses);
  const auto takesElement = [&](const Instruction* user, int64_t index) {
    if (!value.path.empty() && value.path[0] == index)
      uses.push_back({user, 0, ArrayValue{user, below(value.path)}});
  };
  for (const Instruction* user : value.at->users()) {
    switch (user->opcode()) {
      case Opcode::Tuple:
        addTupleUses(value, *user, uses);
        break;
      case Opcode::GetTupleElement:
        takesElement(user, user->tupleIndex());
        break;
      case Opcode::AsyncDone:
        takesElement(user, 1);
        break;
      case Opcode::AsyncUpdate:
        uses.push_back({user, 0, ArrayValue{user, value.path}});
        break;
      default:
        addOperandUses(value, *user, uses);
        break;
    }
  }
  return uses;
}

}  // namespace hilo
