#include "core/compiler/passes/memory/interference_copies.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_rules.h"
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/memory/deep_copy.h"

namespace hilo {
namespace {

void note(CopyReasons& reasons, const std::vector<Instruction*>& copies, const std::string& reason) {
  for (const Instruction* copy : copies) {
    if (copy != nullptr) reasons[copy->id()] = reason;
  }
}

bool holdsBuffer(Shape shape) {
  return shape.isBuffer() || std::ranges::any_of(shape.tupleShapes(), holdsBuffer);
}

// What is under way while a loop turns, and buffers, cannot be copied.
bool isNotCopyable(const Instruction& init, const SubshapeTable::Part& part) {
  if (holdsBuffer(part.shape)) return true;
  if (part.index.empty() || init.opcode() != Opcode::Tuple) return false;
  const Opcode opcode = init.operand(static_cast<size_t>(part.index[0]))->opcode();
  return opcode == Opcode::Send || opcode == Opcode::Recv || opcode == Opcode::CopyStart;
}

// Elements that the body passes through need no copy.
PartsToCopy changedByLoop(const DataflowAnalysis& dataflow, const Instruction& loop) {
  PartsToCopy parts(loop.shape());
  const Instruction& init = *loop.operand(0);
  const auto before = dataflow.valueSetsOf(init), after = dataflow.valueSetsOf(loop);
  for (uint32_t i = 0; i < parts.table().size(); ++i) {
    if (isNotCopyable(init, parts.table().parts()[i])) continue;
    if (before[i].size() != 1 || before[i] != after[i]) parts.mark(i);
  }
  return parts;
}

void addLoopCopies(Instruction* loop, const DataflowAnalysis& dataflow, CopyReasons& reasons) {
  if (hasFrontendAttribute(*loop, kDisableLoopCopies, "true")) return;
  const PartsToCopy parts = changedByLoop(dataflow, *loop);
  if (!parts.any()) return;
  std::vector<Instruction*> copies, rootCopies;
  Instruction* init = loop->operand(0);
  replaceUsesBy(loop, init, deepCopy(init, parts, loop, copies));
  note(reasons, copies, fmt::format("%{} changes its state in place", loop->name()));

  Computation& body = *loop->get<Attr::Body>();
  Instruction* parameter = body.parameters()[0];
  Instruction* root = body.root();
  const std::vector<Instruction*> users(parameter->users().begin(), parameter->users().end());
  Instruction* entered = deepCopy(parameter, parts, parameter->next(), copies);
  for (Instruction* user : users) replaceUsesBy(user, parameter, entered);
  if (root == parameter) root = entered;
  body.setRoot(deepCopy(root, parts, nullptr, rootCopies));
  note(reasons, copies, fmt::format("%{} writes its next state over this one", body.name()));
  note(reasons, rootCopies, fmt::format("the next state of %{} takes the place of the last", loop->name()));
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] != nullptr && rootCopies[i] != nullptr) addControlPredecessor(*rootCopies[i], *copies[i]);
  }
}

void addBranchCopies(Instruction* conditional, const DataflowAnalysis& dataflow, CopyReasons& reasons) {
  PartsToCopy parts(conditional->shape());
  const auto sets = dataflow.valueSetsOf(*conditional);
  for (uint32_t i = 0; i < parts.table().size(); ++i) {
    const bool merges = std::ranges::any_of(sets[i], [&](ValueId id) {
      return dataflow.value(id).isPhi && &dataflow.value(id).instruction() == conditional;
    });
    if (merges) parts.mark(i);
  }
  if (!parts.any()) return;
  for (Computation* branch : conditional->calledComputations()) {
    std::vector<Instruction*> copies;
    Instruction* root = branch->root();
    const std::vector<Instruction*> users(root->users().begin(), root->users().end());
    branch->setRoot(deepCopy(root, parts, nullptr, copies));
    note(reasons, copies,
         fmt::format("all branches of %{} give their result in one place", conditional->name()));
  }
}

// XLA's hint that an update in place writes where nothing reads.
bool readsAndWritesApart(const Instruction& instruction) {
  return hasFrontendAttribute(instruction, "xla_disjoint_read_write_regions", "true");
}

// Values of type b(...) are handed on without copies; one is made where such a value begins.
bool handsBuffersOn(const Instruction& instruction) {
  const auto holds = [](const Instruction* operand) { return holdsBuffer(operand->shape()); };
  return instruction.get<Attr::CustomCallTarget>() != kPinTarget &&
         (holdsBuffer(instruction.shape()) || std::ranges::any_of(instruction.operands(), holds));
}

void addInPlaceCopies(Instruction* instruction, Backend backend, CopyReasons& reasons) {
  if (handsBuffersOn(*instruction)) return;
  const bool isLaterLink =
      instruction->opcode() == Opcode::AsyncUpdate || instruction->opcode() == Opcode::AsyncDone;
  const Instruction* source = instruction;
  if (instruction->opcode() == Opcode::AsyncStart &&
      instruction->get<Attr::OutputToOperandAliasing>().empty()) {
    source = asyncWrappedInstruction(*instruction);
    if (source == nullptr) return;
  }
  absl::flat_hash_set<uint32_t> copied;
  for (const InPlacePair& pair : inPlacePairs(*source, backend)) {
    if (pair.operandNumber >= instruction->operandCount() || (isLaterLink && pair.operandNumber == 0))
      continue;
    Instruction* operand = instruction->operand(pair.operandNumber);
    const auto isApart = [&](const Instruction* user) {
      return user == instruction || readsAndWritesApart(*user);
    };
    if (readsAndWritesApart(*instruction) && std::ranges::all_of(operand->users(), isApart)) continue;
    if (holdsBuffer(operand->shape()) || !copied.insert(pair.operandNumber).second) continue;
    PartsToCopy all(operand->shape());
    all.markAll();
    std::vector<Instruction*> copies;
    instruction->setOperand(pair.operandNumber, deepCopy(operand, all, instruction, copies));
    note(reasons, copies, fmt::format("%{} writes over it", instruction->name()));
  }
}

void addAliasedEntryCopies(Module& module, CopyReasons& reasons) {
  Computation& entry = *module.entry();
  const auto aliases = module.get<Attr::InputOutputAlias>();
  if (aliases.empty()) return;
  PartsToCopy outputs(entry.root()->shape());
  absl::flat_hash_map<int64_t, std::vector<Instruction*>> copiesOf;
  for (Instruction* parameter : entry.parameters()) {
    if (parameter == nullptr) continue;
    PartsToCopy parts(parameter->shape());
    for (const AliasEntry& alias : aliases) {
      const uint32_t input = parts.table().find(alias.parameterIndex);
      const uint32_t output = outputs.table().find(alias.outputIndex);
      if (alias.parameter != parameter->parameterNumber() || input == SubshapeTable::kNone ||
          output == SubshapeTable::kNone)
        continue;
      parts.mark(input);
      outputs.mark(output);
    }
    if (!parts.any()) continue;
    const std::vector<Instruction*> users(parameter->users().begin(), parameter->users().end());
    std::vector<Instruction*>& copies = copiesOf[parameter->parameterNumber()];
    Instruction* copied = deepCopy(parameter, parts, parameter->next(), copies);
    for (Instruction* user : users) replaceUsesBy(user, parameter, copied);
    if (entry.root() == parameter) entry.setRoot(copied);
    note(reasons, copies, "the result is written over this parameter");
  }
  std::vector<Instruction*> rootCopies;
  entry.setRoot(deepCopy(entry.root(), outputs, nullptr, rootCopies));
  note(reasons, rootCopies, "the result goes to a parameter's place");
  for (const AliasEntry& alias : aliases) {
    const auto found = copiesOf.find(alias.parameter);
    if (found == copiesOf.end()) continue;
    const Shape shape = entry.parameters()[static_cast<size_t>(alias.parameter)]->shape();
    const uint32_t input = SubshapeTable(shape).find(alias.parameterIndex);
    const uint32_t output = outputs.table().find(alias.outputIndex);
    if (input == SubshapeTable::kNone || output == SubshapeTable::kNone) continue;
    if (found->second[input] != nullptr && rootCopies[output] != nullptr)
      addControlPredecessor(*rootCopies[output], *found->second[input]);
  }
}

bool isInFlight(const Instruction& start) {
  return start.opcode() == Opcode::Send || start.opcode() == Opcode::Recv ||
         start.opcode() == Opcode::CopyStart;
}
bool endsFlight(const Instruction& instruction) {
  return instruction.opcode() == Opcode::SendDone || instruction.opcode() == Opcode::RecvDone ||
         instruction.opcode() == Opcode::CopyDone;
}

// What ends, at the head of the next turn of a loop, the operation that `start` hands to it through
// the body's root.
Instruction* endInNextTurn(const Instruction& start) {
  const Instruction* root = start.users()[0];
  if (root->opcode() != Opcode::Tuple || !root->isRoot()) return nullptr;
  const auto element = std::ranges::find(root->operands(), &start) - root->operands().begin();
  for (const Instruction* taken : start.parent().parameters()[0]->users()) {
    if (taken->opcode() != Opcode::GetTupleElement || taken->tupleIndex() != element) continue;
    if (taken->users().size() == 1 && endsFlight(*taken->users()[0])) return taken->users()[0];
  }
  return nullptr;
}

Instruction* copyOperand(Instruction* start, CopyReasons& reasons) {
  if (start->operandCount() == 0 || !start->operand(0)->shape().isArray()) return nullptr;
  Instruction* copy =
      start->parent().create(Opcode::Copy, start->operand(0)->shape(), {start->operand(0)}, {}, start);
  start->setOperand(0, copy);
  reasons[copy->id()] = fmt::format("%{} keeps it while the loop goes on", start->name());
  return copy;
}

bool standsBefore(const Instruction* a, const Instruction* b) {
  for (const Instruction* at = a->next(); at != nullptr; at = at->next()) {
    if (at == b) return true;
  }
  return false;
}

// An operation that one turn of a loop starts and the next ends has its buffers to itself: what it sends is
// copied in front of it, what it received is copied out, and the end comes before the next start.
void addInFlightCopies(Instruction* start, const CallGraph& calls, CopyReasons& reasons) {
  if (start->users().size() != 1 || endsFlight(*start->users()[0])) return;
  const Instruction* user = start->users()[0];
  if (user->opcode() == Opcode::Tuple && user->users().size() == 1 &&
      user->users()[0]->opcode() == Opcode::While) {
    copyOperand(start, reasons);
    return;
  }
  const auto isLoop = [](const Instruction* caller) { return caller->opcode() == Opcode::While; };
  if (std::ranges::none_of(calls.node(start->parent()).callers, isLoop)) return;
  Instruction* end = endInNextTurn(*start);
  if (end == nullptr) return;
  // The root alone takes the start, so it may stand right in front of it.
  if (!standsBefore(end, start)) start->parent().moveBefore(start, start->parent().root());
  if (Instruction* copy = copyOperand(start, reasons)) addControlPredecessor(*copy, *end);
  addControlPredecessor(*start, *end);
  const std::vector<Instruction*> users(end->users().begin(), end->users().end());
  if (users.empty()) return;
  PartsToCopy all(end->shape());
  all.markAll();
  std::vector<Instruction*> copies;
  Instruction* copied = deepCopy(end, all, end->next(), copies);
  note(reasons, copies, fmt::format("%{} takes the place it was received in", start->name()));
  for (Instruction* copy : copies) {
    if (copy != nullptr) addControlPredecessor(*start, *copy);
  }
  for (Instruction* later : users) replaceUsesBy(later, end, copied);
}

bool isWrappedAsync(const Computation& computation, const CallGraph& calls) {
  return std::ranges::any_of(calls.node(computation).callers,
                             [](const Instruction* c) { return isAsyncLink(*c); });
}

}  // namespace

void addInterferenceCopies(Module& module, const AliasAnalysis& aliases, CopyReasons& reasons) {
  const DataflowAnalysis& dataflow = aliases.dataflow();
  for (Computation* computation : dataflow.callGraph().postOrder()) {
    if (dataflow.callGraph().node(*computation).context == CallContext::Embedded) continue;
    if (isWrappedAsync(*computation, dataflow.callGraph())) continue;
    // Copies made on the way are not looked at themselves.
    std::vector<Instruction*> instructions;
    for (Instruction* instruction : computation->instructions()) instructions.push_back(instruction);
    for (Instruction* instruction : instructions) {
      switch (instruction->opcode()) {
        case Opcode::While:
          addLoopCopies(instruction, dataflow, reasons);
          break;
        case Opcode::Conditional:
          addBranchCopies(instruction, dataflow, reasons);
          break;
        default:
          if (isInFlight(*instruction)) {
            addInFlightCopies(instruction, dataflow.callGraph(), reasons);
          } else {
            addInPlaceCopies(instruction, aliases.backend(), reasons);
          }
      }
    }
  }
  addAliasedEntryCopies(module, reasons);
}

}  // namespace hilo
