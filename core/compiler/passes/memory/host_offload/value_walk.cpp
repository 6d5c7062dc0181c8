#include "core/compiler/passes/memory/host_offload/value_walk.h"

#include <algorithm>

#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

// Of an async-start's result: ((operands), result, context...).
constexpr int64_t kAsyncOperands = 0, kAsyncResult = 1;

ShapeIndex within(std::initializer_list<int64_t> outer, const ShapeIndex& index) {
  ShapeIndex all(outer.begin(), outer.end());
  all.insert(all.end(), index.begin(), index.end());
  return all;
}

ShapeIndex rest(const ShapeIndex& index, size_t from) {
  return ShapeIndex(index.begin() + static_cast<std::ptrdiff_t>(std::min(from, index.size())), index.end());
}

bool startsWith(const ShapeIndex& index, std::span<const int64_t> prefix) {
  return index.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), index.begin());
}

// One operand in, the same value out.
bool isOneToOne(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Copy:
    case Opcode::Reshape:
    case Opcode::OptBarrier:
      return true;
    case Opcode::CustomCall:
      return isMoveToHost(i) || isMoveToDevice(i);
    default:
      return false;
  }
}

// What a custom call writes over its operand `operand` keeps the operand's place.
std::vector<ValuePosition> aliasesOf(Instruction& call, size_t operand, const ShapeIndex& index) {
  std::vector<ValuePosition> found;
  for (const AliasEntry& alias : call.get<Attr::OutputToOperandAliasing>()) {
    if (alias.parameter != static_cast<int64_t>(operand) || !startsWith(index, alias.parameterIndex))
      continue;
    ShapeIndex at = shapeIndexOf(alias.outputIndex);
    const ShapeIndex tail = rest(index, alias.parameterIndex.size());
    at.insert(at.end(), tail.begin(), tail.end());
    found.push_back({&call, at});
  }
  return found;
}

std::vector<ValueSource> sourcesOfAlias(Instruction& call, const ShapeIndex& index) {
  std::vector<ValueSource> sources;
  for (const AliasEntry& alias : call.get<Attr::OutputToOperandAliasing>()) {
    const auto operand = static_cast<size_t>(alias.parameter);
    if (!startsWith(index, alias.outputIndex) || operand >= call.operandCount()) continue;
    ShapeIndex at = shapeIndexOf(alias.parameterIndex);
    const ShapeIndex tail = rest(index, alias.outputIndex.size());
    at.insert(at.end(), tail.begin(), tail.end());
    sources.push_back({{call.operand(operand), at}, &call, operand});
  }
  return sources;
}

ValueSource rootOf(const Computation& computation, const ShapeIndex& index) {
  return {{computation.root(), index}, nullptr, 0};
}

// Into what the user runs with its operand `operand`.
void addParameters(Instruction& user, size_t operand, const ShapeIndex& index,
                   std::vector<ValuePosition>& to) {
  const auto number = static_cast<int64_t>(operand);
  switch (user.opcode()) {
    case Opcode::Call:
      to.push_back({user.get<Attr::ToApply>()->parameters()[operand], index});
      return;
    case Opcode::While:
      to.push_back({user.get<Attr::Body>()->parameters()[0], index});
      to.push_back({user.get<Attr::Condition>()->parameters()[0], index});
      return;
    case Opcode::Conditional:
      if (operand > 0) to.push_back({user.calledComputations()[operand - 1]->parameters()[0], index});
      return;
    default:
      to.push_back({&user, within({kAsyncOperands, number}, index)});
      to.push_back({user.get<Attr::Calls>()->parameters()[operand], index});
  }
}

bool runsOnOperands(const Instruction& i) {
  return i.opcode() == Opcode::Call || i.opcode() == Opcode::While || i.opcode() == Opcode::Conditional ||
         (i.opcode() == Opcode::AsyncStart && i.has(Attr::Calls));
}

}  // namespace

Shape ValuePosition::shape() const { return *subshapeAt(instruction->shape(), index); }

std::string ValuePosition::text() const {
  return index.empty() ? fmt::format("%{}", instruction->name())
                       : fmt::format("%{} at {}", instruction->name(), toString(index));
}

void ValueSource::replaceBy(Instruction* value) const {
  if (user != nullptr) {
    user->setOperand(operand, value);
  } else {
    value->parent().setRoot(value);
  }
}

Result<ValueWalk> ValueWalk::build(Module& module) {
  TRY(CallGraph graph, CallGraph::build(module));
  return ValueWalk(module, std::move(graph));
}

std::vector<Instruction*> ValueWalk::callers(const Computation& computation) const {
  std::vector<Instruction*> callers;
  for (const Instruction* caller : graph_.node(computation).callers) {
    if (runsWhatItCalls(caller->opcode())) callers.push_back(module_->instruction(caller->id()));
  }
  return callers;
}

void ValueWalk::addCallers(const ValuePosition& at, std::vector<ValuePosition>& to) const {
  for (Instruction* caller : callers(at.instruction->parent())) {
    if (caller->opcode() == Opcode::AsyncStart) {
      to.push_back({caller, within({kAsyncResult}, at.index)});
    } else if (caller->opcode() != Opcode::While || caller->get<Attr::Body>() == &at.instruction->parent()) {
      to.push_back({caller, at.index});
    }
  }
}

void ValueWalk::addUses(const ValuePosition& at, Instruction& user, std::vector<ValuePosition>& to) const {
  const ShapeIndex& index = at.index;
  if (user.opcode() == Opcode::GetTupleElement) {
    if (index.empty()) to.push_back({&user, {}});
    if (!index.empty() && index[0] == user.tupleIndex()) to.push_back({&user, rest(index, 1)});
    return;
  }
  if (user.opcode() == Opcode::AsyncDone) {
    if (!index.empty() && index[0] == kAsyncResult) to.push_back({&user, rest(index, 1)});
    return;
  }
  if (isOneToOne(user)) return to.push_back({&user, index});
  for (size_t k = 0; k < user.operandCount(); ++k) {
    if (user.operand(k) != at.instruction) continue;
    if (user.opcode() == Opcode::Tuple) {
      to.push_back({&user, within({static_cast<int64_t>(k)}, index)});
    } else if (runsOnOperands(user)) {
      addParameters(user, k, index, to);
    } else if (user.opcode() == Opcode::CustomCall) {
      std::ranges::move(aliasesOf(user, k, index), std::back_inserter(to));
    } else if (user.opcode() == Opcode::Send) {
      if (k == 0) to.push_back({&user, within({0}, index)});
    } else if (user.opcode() != Opcode::SendDone && user.opcode() != Opcode::AsyncUpdate) {
      to.push_back({&user, {}});
    }
  }
}

std::vector<ValuePosition> ValueWalk::next(const ValuePosition& at) const {
  std::vector<ValuePosition> to;
  if (at.instruction->isRoot()) addCallers(at, to);
  for (Instruction* user : at.instruction->users()) addUses(at, *user, to);
  return to;
}

std::vector<ValueSource> ValueWalk::sourcesOfParameter(const ValuePosition& at) const {
  const Computation& computation = at.instruction->parent();
  const auto number = static_cast<size_t>(at.instruction->parameterNumber());
  std::vector<ValueSource> sources;
  for (Instruction* caller : callers(computation)) {
    if (caller->opcode() != Opcode::Conditional) {
      sources.push_back({{caller->operand(number), at.index}, caller, number});
      if (caller->opcode() == Opcode::While) sources.push_back(rootOf(*caller->get<Attr::Body>(), at.index));
      continue;
    }
    const auto branches = caller->calledComputations();
    for (size_t k = 0; k < branches.size(); ++k) {
      if (branches[k] == &computation) sources.push_back({{caller->operand(k + 1), at.index}, caller, k + 1});
    }
  }
  return sources;
}

std::vector<ValueSource> ValueWalk::previous(const ValuePosition& at) const {
  Instruction& i = *at.instruction;
  const ShapeIndex& index = at.index;
  switch (i.opcode()) {
    case Opcode::GetTupleElement:
      return {{{i.operand(0), within({i.tupleIndex()}, index)}, &i, 0}};
    case Opcode::Tuple: {
      if (index.empty()) return {};
      const auto element = static_cast<size_t>(index[0]);
      return {{{i.operand(element), rest(index, 1)}, &i, element}};
    }
    case Opcode::Call:
      return {rootOf(*i.get<Attr::ToApply>(), index)};
    case Opcode::While:
      return {{{i.operand(0), index}, &i, 0}, rootOf(*i.get<Attr::Body>(), index)};
    case Opcode::Conditional: {
      std::vector<ValueSource> roots;
      for (const Computation* branch : i.calledComputations()) roots.push_back(rootOf(*branch, index));
      return roots;
    }
    case Opcode::Parameter:
      return sourcesOfParameter(at);
    case Opcode::AsyncDone:
      return {{{i.operand(0), within({kAsyncResult}, index)}, &i, 0}};
    case Opcode::AsyncStart:
      if (index.empty() || index[0] != kAsyncResult || !i.has(Attr::Calls)) return {};
      return {rootOf(*i.get<Attr::Calls>(), rest(index, 1))};
    case Opcode::DynamicUpdateSlice:
      return {{{i.operand(0), {}}, &i, 0}};
    default:
      if (isOneToOne(i)) return {{{i.operand(0), index}, &i, 0}};
      return i.opcode() == Opcode::CustomCall ? sourcesOfAlias(i, index) : std::vector<ValueSource>();
  }
}

bool passesOn(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::AsyncDone:
    case Opcode::AsyncStart:
    case Opcode::Bitcast:
    case Opcode::Call:
    case Opcode::Conditional:
    case Opcode::CustomCall:
    case Opcode::GetTupleElement:
    case Opcode::OptBarrier:
    case Opcode::Parameter:
    case Opcode::Recv:
    case Opcode::RecvDone:
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Tuple:
    case Opcode::While:
      return true;
    default:
      return false;
  }
}

}  // namespace hilo
