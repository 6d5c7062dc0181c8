// How values pass through each kind of instruction.
#include "core/analysis/async_chain.h"
#include "core/analysis/dataflow/dataflow_builder.h"

namespace hilo {
namespace {

bool isInPlacePermute(const Instruction& permute) { return permute.has(Attr::SliceSizesList); }

// A chain that a loop carries: its links see no start, only what comes through the loop's tuple.
bool crossesLoop(const Instruction& link) {
  switch (link.operand(0)->opcode()) {
    case Opcode::GetTupleElement:
    case Opcode::Tuple:
    case Opcode::While:
    case Opcode::Parameter:
      return true;
    default:
      return false;
  }
}

bool wrapsSlice(const Instruction& link) {
  const Instruction* wrapped = asyncWrappedInstruction(link);
  return wrapped != nullptr &&
         (wrapped->opcode() == Opcode::DynamicUpdateSlice || wrapped->opcode() == Opcode::DynamicSlice);
}

}  // namespace

// Which parts of its result an instruction makes itself; the others come from elsewhere.
bool DataflowBuilder::definesPart(const Instruction& instruction, const SubshapeTable::Part& part) const {
  const ShapeIndex& index = part.index;
  switch (instruction.opcode()) {
    case Opcode::Bitcast:
      return result_.options_.bitcastDefinesValue;
    case Opcode::Call:
      return !result_.options_.propagateThroughCalls;
    case Opcode::AddDependency:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::GetTupleElement:
    case Opcode::Domain:
    case Opcode::OptBarrier:
    case Opcode::CopyDone:
    case Opcode::AllReduceDone:
      return false;
    case Opcode::Parameter:
      return parameterDefines(instruction.parent());
    case Opcode::Copy:
    case Opcode::Tuple:
      return index.empty();
    case Opcode::AsyncStart:
      return part.shape.isTuple() || index.front() > 1 || (index.front() == 1 && !includedAsync(instruction));
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return part.shape.isTuple();
    case Opcode::CopyStart:
      return index.empty() || index.front() != 1;
    case Opcode::AllGatherStart:
      return part.shape.isTuple() || index.front() == 1;
    case Opcode::AllGatherDone:
    case Opcode::CollectivePermuteDone:
      return index.empty() && instruction.shape().isTuple();
    case Opcode::CollectivePermuteStart:
      return index.empty() || index.front() != 0;
    case Opcode::RecvDone:
    case Opcode::Send:
      return index.empty() || index.front() != 0;
    default:
      return true;
  }
}

bool DataflowBuilder::update(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Bitcast:
      return !result_.options_.bitcastDefinesValue && forward(at(instruction), at(*instruction.operand(0)));
    case Opcode::AddDependency:
    case Opcode::Domain:
    case Opcode::OptBarrier:
    case Opcode::AllReduceDone:
      return forward(at(instruction), at(*instruction.operand(0)));
    case Opcode::Copy: {
      bool changed = false;
      for (size_t i = 0; i < instruction.shape().tupleShapes().size(); ++i) {
        const auto element = static_cast<int64_t>(i);
        changed |= forward(at(instruction, {element}), at(*instruction.operand(0), {element}));
      }
      return changed;
    }
    case Opcode::GetTupleElement:
      return forward(at(instruction), at(*instruction.operand(0), {instruction.tupleIndex()}));
    case Opcode::Tuple: {
      bool changed = false;
      for (size_t i = 0; i < instruction.operandCount(); ++i) {
        changed |= forward(at(instruction, {static_cast<int64_t>(i)}), at(*instruction.operand(i)));
      }
      return changed;
    }
    case Opcode::Parameter:
      return updateParameter(instruction);
    case Opcode::Call: {
      const Computation* called = instruction.get<Attr::ToApply>();
      if (!result_.options_.propagateThroughCalls || called == nullptr || !included(*called)) return false;
      return forward(at(instruction), at(*called->root()));
    }
    case Opcode::While: {
      const Computation* body = instruction.get<Attr::Body>();
      if (body == nullptr) return false;
      const Instruction* inputs[] = {body->root(), instruction.operand(0)};
      return join(instruction, inputs, result_.options_.ssaForm);
    }
    case Opcode::Conditional: {
      std::vector<const Instruction*> roots;
      for (const Computation* branch : instruction.calledComputations()) roots.push_back(branch->root());
      return join(instruction, roots, result_.options_.ssaForm);
    }
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return updateAsync(instruction);
    case Opcode::Send:
    case Opcode::CopyStart:
    case Opcode::AllGatherStart:
    case Opcode::CollectivePermuteStart:
      return updateStart(instruction);
    case Opcode::CopyDone:
      return forward(at(instruction), at(*instruction.operand(0), {0}));
    case Opcode::AllGatherDone:
    case Opcode::CollectivePermuteDone:
      return forwardLeaves(at(instruction), at(*instruction.operand(0), {1}));
    case Opcode::RecvDone:
      return forward(at(instruction, {0}), at(*instruction.operand(0), {0}));
    default:
      return false;
  }
}

// What a start passes on beside what it makes.
bool DataflowBuilder::updateStart(const Instruction& start) {
  switch (start.opcode()) {
    case Opcode::Send:
      return forward(at(start, {0}), at(*start.operand(0)));
    case Opcode::CopyStart:
      return forward(at(start, {1}), at(*start.operand(0)));
    case Opcode::AllGatherStart: {
      if (start.operandCount() == 1) return forwardLeaves(at(start, {0}), at(*start.operand(0)));
      bool changed = false;
      for (size_t i = 0; i < start.operandCount(); ++i) {
        changed |= forward(at(start, {0, static_cast<int64_t>(i)}), at(*start.operand(i)));
      }
      return changed;
    }
    default:
      return updateCollectivePermuteStart(start);
  }
}

bool DataflowBuilder::updateCollectivePermuteStart(const Instruction& start) {
  bool changed = false;
  if (!isInPlacePermute(start) && start.operandCount() > 1) {
    for (size_t i = 0; i < start.operandCount(); ++i) {
      changed |= forward(at(start, {0, static_cast<int64_t>(i)}), at(*start.operand(i)));
    }
    return changed;
  }
  return forwardLeaves(at(start, {0}), at(*start.operand(0)));
}

// ((operands), result, context...): operands are bound at the start and at updates; the result is that of the
// wrapped computation, in a done without the tuple around it.
bool DataflowBuilder::updateAsync(const Instruction& link) {
  bool changed = false;
  if (link.opcode() == Opcode::AsyncStart ||
      (link.opcode() == Opcode::AsyncUpdate && asyncChainStart(link) != nullptr)) {
    const auto bound = asyncBoundOperands(link);
    for (size_t i = 0; i < bound.size(); ++i) {
      changed |= forwardLeaves(at(link, {0, static_cast<int64_t>(i)}), at(*bound[i]));
    }
  }
  const Instruction* wrapped = asyncWrappedInstruction(link);
  if (link.opcode() == Opcode::AsyncStart) {
    if (!includedAsync(link)) return changed;
    if (wrapped != nullptr && wrapped->opcode() == Opcode::DynamicUpdateSlice) {
      return forward(at(link, {1}), at(*link.operand(0))) | changed;
    }
    return updateAsyncResult(link) | changed;
  }
  const bool throughLoop = crossesLoop(link) && (wrapped == nullptr || wrapsSlice(link));
  if (link.opcode() == Opcode::AsyncUpdate) {
    // Contexts pass through; one that an update adds or leaves out has nothing to come from or go to.
    const size_t parts =
        std::min(link.shape().tupleShapes().size(), link.operand(0)->shape().tupleShapes().size());
    for (size_t i = throughLoop ? 1 : 2; i < parts; ++i) {
      const auto element = static_cast<int64_t>(i);
      changed |= forwardLeaves(at(link, {element}), at(*link.operand(0), {element}));
    }
    return throughLoop ? changed : updateAsyncResult(link) | changed;
  }
  if (throughLoop) return forwardLeaves(at(link), at(*link.operand(0), {1})) | changed;
  return updateAsyncResult(link) | changed;
}

bool DataflowBuilder::updateAsyncResult(const Instruction& link) {
  const bool isDone = link.opcode() == Opcode::AsyncDone;
  const Part to = isDone ? at(link) : at(link, {1});
  if (!includedAsync(link)) return forwardLeaves(to, at(*link.operand(0), {1}));
  const Instruction* wrapped = asyncWrappedInstruction(link);
  if (wrapped == nullptr || to.instruction == nullptr) return false;
  // The result may not be bound yet: then its place in the tuple is empty.
  const Shape place = tableOf(link).parts()[to.ordinal].shape;
  if (place.withoutLayout() != wrapped->shape().withoutLayout()) return false;
  return forwardLeaves(to, at(*wrapped));
}

bool DataflowBuilder::updateParameter(const Instruction& parameter) {
  const CallGraph::Node& node = result_.callGraph_.node(parameter.parent());
  if (node.context == CallContext::Embedded || node.callers.empty()) return false;
  const auto number = static_cast<size_t>(parameter.parameterNumber());
  std::vector<const Instruction*> inputs;
  bool phi = false;
  const auto add = [&](const Instruction* input) { inputs.push_back(input); };
  for (const Instruction* caller : node.callers) {
    switch (caller->opcode()) {
      case Opcode::Call:
        if (result_.options_.propagateThroughCalls && number < caller->operandCount())
          add(caller->operand(number));
        break;
      case Opcode::While: {
        const Instruction* root = caller->get<Attr::Body>()->root();
        add(caller->operand(0));
        if (root != &parameter) add(root);
        phi = true;
        break;
      }
      case Opcode::Conditional: {
        const auto branches = caller->calledComputations();
        for (size_t i = 0; i < branches.size(); ++i) {
          if (branches[i] == &parameter.parent() && i + 1 < caller->operandCount())
            add(caller->operand(i + 1));
        }
        phi = true;
        break;
      }
      case Opcode::AsyncStart: {
        const Instruction* done = asyncChainDone(*caller);
        const auto bound = asyncBoundOperands(done == nullptr ? *caller : *done);
        if (number < bound.size()) add(bound[number]);
        break;
      }
      default:
        break;  // Later links of a chain bind nothing new here; their operands are in the list above.
    }
  }
  return !inputs.empty() && join(parameter, inputs, phi && result_.options_.ssaForm);
}

}  // namespace hilo
