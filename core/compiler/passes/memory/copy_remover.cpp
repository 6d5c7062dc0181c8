#include "core/compiler/passes/memory/copy_remover.h"

#include "core/compiler/passes/memory/deep_copy.h"

namespace hilo {
namespace {

bool isFused(const Computation& computation, const CallGraph& calls) {
  return std::ranges::any_of(calls.node(computation).callers,
                             [](const Instruction* caller) { return caller->opcode() == Opcode::Fusion; });
}

// A scatter of several operands must have a buffer for each: one copy of an operand it gets twice
// has to stay.
bool isVariadicScatter(const Instruction& instruction) {
  if (!instruction.shape().isTuple()) return false;
  if (instruction.opcode() == Opcode::Scatter) return true;
  const Computation* body = instruction.opcode() == Opcode::Fusion ? instruction.get<Attr::Calls>() : nullptr;
  return body != nullptr && body->root()->opcode() == Opcode::Scatter;
}

}  // namespace

CopyRemover::CopyRemover(const AliasAnalysis& aliases, ValueOrder& order, uint32_t firstNew)
    : dataflow_(aliases.dataflow()),
      order_(order),
      firstNew_(firstNew),
      nodeOf_(dataflow_.values().size()),
      instructionNumber_(dataflow_.module().idLimit()) {
  if (dataflow_.module().entry() != nullptr) numberInstructions(*dataflow_.module().entry());
  for (const Computation* computation : dataflow_.module().computations()) numberInstructions(*computation);
  for (const HloBuffer& buffer : aliases.buffers()) {
    const Computation& home = dataflow_.value(buffer.values[0]).instruction().parent();
    if (!isFused(home, dataflow_.callGraph())) makeList(buffer);
  }
  for (const Computation* computation : dataflow_.module().computations()) {
    if (isFused(*computation, dataflow_.callGraph())) continue;
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::Copy) continue;
      const auto sources = dataflow_.valuesAt(*instruction->operand(0));
      if (sources.size() != 1) continue;
      const ValueId made = dataflow_.uniqueValueAt(*instruction).id;
      copies_[instruction] = {nodeOf_[sources[0].value], nodeOf_[made.value]};
    }
  }
}

// Parameters first, called computations in front of their callers, a loop's condition in front of its body: a
// value with a lower number is never written after one with a higher.
void CopyRemover::numberInstructions(const Computation& computation) {
  if (computation.first() == nullptr || instructionNumber_[computation.first()->id().value] != 0) return;
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter != nullptr) instructionNumber_[parameter->id().value] = nextNumber_++;
  }
  for (const Instruction* instruction : computation.instructions()) {
    if (instruction->opcode() == Opcode::Parameter) continue;
    if (instruction->opcode() == Opcode::While) {
      numberInstructions(*instruction->get<Attr::Condition>());
      numberInstructions(*instruction->get<Attr::Body>());
    } else {
      for (const Computation* called : instruction->calledComputations()) numberInstructions(*called);
    }
    instructionNumber_[instruction->id().value] = nextNumber_++;
  }
}

void CopyRemover::makeList(const HloBuffer& buffer) {
  absl::InlinedVector<ValueId, 2> values = buffer.values;
  const auto written = [&](ValueId id) {
    return std::pair(instructionNumber_[dataflow_.value(id).instruction().id().value], id);
  };
  std::ranges::sort(values, {}, written);
  Node* first = nullptr;
  Node* last = nullptr;
  for (const ValueId id : values) {
    Node& node = nodes_.emplace_back();
    node.value = id;
    const auto& uses = dataflow_.value(id).uses;
    node.uses.assign(uses.begin(), uses.end());
    node.previous = last;
    if (last != nullptr) last->next = &node;
    if (first == nullptr) first = &node;
    last = nodeOf_[id.value] = &node;
  }
  first->isHead = true;
  first->previous = last;
  last->next = first;
}

std::string CopyRemover::nameOf(const Instruction& instruction) const {
  const bool isAddedCopy = instruction.opcode() == Opcode::Copy && instruction.id().value >= firstNew_;
  return (isAddedCopy ? "the copy of " : "") + nameBefore(instruction, firstNew_);
}

std::string CopyRemover::valueName(const Node& node) const {
  const HloValue& value = dataflow_.value(node.value);
  return value.instruction().id().value < firstNew_ ? "%" + toString(value.definition())
                                                    : nameOf(value.instruction());
}

std::string CopyRemover::tryElide(const Instruction& copy) {
  const auto found = copies_.find(&copy);
  if (found == copies_.end()) return "what it copies is one of several values";
  if (copy.shape() != copy.operand(0)->shape()) return "it changes layout or memory space";
  const Ends ends = found->second;
  std::string reason;
  if (ends.source->next == ends.destination && !ends.destination->isHead) {
    // Already in one buffer, one right after the other.
  } else if (ends.destination->isHead) {
    reason = elideFirstDestination(ends);
  } else if (isTail(ends.source)) {
    reason = elideLastSource(ends);
  } else {
    return elideWithinOneBuffer(ends);
  }
  if (reason.empty()) removeNode(ends.destination, ends.destination->previous);
  return reason;
}

// The copy starts a buffer: its other values go in between the source and what overwrites it.
std::string CopyRemover::elideFirstDestination(Ends ends) {
  if (Node* next = after(ends.destination)) {
    const Instruction& writer = dataflow_.value(next->value).instruction();
    const auto readsSource = [&](const HloUse& use) { return use.instruction == &writer; };
    if (isVariadicScatter(writer) && std::ranges::any_of(ends.source->uses, readsSource))
      return fmt::format("%{} needs a buffer for each of its operands", writer.name());
  }
  std::string reason = whyNotBefore(ends.source, after(ends.destination));
  if (reason.empty()) reason = whyNotBefore(ends.destination->previous, after(ends.source));
  if (reason.empty()) splice(ends.destination, ends.source);
  return reason;
}

// The copy takes the last value of a buffer: that buffer goes in front of the copy's place.
std::string CopyRemover::elideLastSource(Ends ends) {
  Node* first = ends.source->next;
  std::string reason = whyNotBefore(before(ends.destination), first);
  if (reason.empty()) reason = whyNotBefore(ends.source, after(ends.destination));
  if (reason.empty()) splice(first, before(ends.destination));
  return reason;
}

std::string CopyRemover::elideWithinOneBuffer(Ends ends) {
  bool same = false;
  for (Node* node = ends.source->next; node != ends.source && !same; node = node->next)
    same = node == ends.destination;
  if (!same) {
    return fmt::format("{} is overwritten later and {} holds something earlier", valueName(*ends.source),
                       valueName(*ends.destination));
  }
  Node merged;
  merged.value = ends.source->value;
  merged.uses = ends.destination->uses;
  for (Node* node = ends.source->next; node != ends.destination; node = node->next) {
    if (std::string reason = whyNotBefore(merged, *node); !reason.empty()) return reason;
  }
  removeNode(ends.destination, ends.source);
  return "";
}

// Every value from `sources` back against every one from `destinations` on.
std::string CopyRemover::whyNotBefore(Node* sources, Node* destinations) {
  for (Node* next = destinations; next != nullptr; next = after(next)) {
    for (Node* previous = sources; previous != nullptr; previous = before(previous)) {
      if (std::string reason = whyNotBefore(*previous, *next); !reason.empty()) return reason;
    }
  }
  return "";
}

std::string CopyRemover::whyNotBefore(const Node& a, const Node& b) {
  const HloValue &first = dataflow_.value(a.value), &second = dataflow_.value(b.value);
  if (a.uses.empty()) {
    if (order_.isDefinedBefore(first, second)) return "";
    return fmt::format("{} may be written after {}", valueName(a), valueName(b));
  }
  if (isRootOf(first, second.instruction().parent())) {
    return fmt::format("{} is the result of %{}, in which {} is written", valueName(a),
                       second.instruction().parent().name(), valueName(b));
  }
  const HloUse* blocking = nullptr;
  if (order_.usesBeforeDefinition(a.uses, second, false, &blocking)) return "";
  return fmt::format("{} may read {} after {} is written", nameOf(*blocking->instruction), valueName(a),
                     valueName(b));
}

void CopyRemover::splice(Node* list, Node* after) {
  list->isHead = false;
  Node* tail = list->previous;
  tail->next = after->next;
  after->next->previous = tail;
  after->next = list;
  list->previous = after;
}

void CopyRemover::removeNode(Node* copy, Node* operand) {
  const Instruction* instruction = &dataflow_.value(copy->value).instruction();
  copy->previous->next = copy->next;
  copy->next->previous = copy->previous;
  std::erase_if(operand->uses, [&](const HloUse& use) { return use.instruction == instruction; });
  for (const HloUse& use : copy->uses) {
    operand->uses.push_back(use);
    if (const auto known = copies_.find(use.instruction); known != copies_.end())
      known->second.source = operand;
  }
  copies_.erase(instruction);
}

}  // namespace hilo
