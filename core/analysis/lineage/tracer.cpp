#include "core/analysis/lineage/tracer.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <climits>

#include "core/analysis/diff/subgraph_fingerprints.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

// An instruction of a loop body made hundreds of times over would list hundreds of sources each.
constexpr size_t kMostSources = 64;

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

bool tellsItsOrigin(const Instruction& i) {
  return !i.opName().empty() && i.opcode() != Opcode::Tuple && i.opcode() != Opcode::GetTupleElement;
}

bool sameLine(const Instruction& a, const Instruction& b) {
  const OpMetadata* left = a.get<Attr::Metadata>();
  const OpMetadata* right = b.get<Attr::Metadata>();
  return left != nullptr && right != nullptr && left->sourceLine != 0 &&
         left->sourceLine == right->sourceLine && left->sourceFile == right->sourceFile;
}

// They are no slices, or slices of the same elements.
bool samePart(const Instruction& a, const Instruction& b) {
  return a.opcode() != Opcode::Slice || b.opcode() != Opcode::Slice ||
         std::ranges::equal(a.get<Attr::Slice>(), b.get<Attr::Slice>());
}

// What a copy of an instruction is called after: "dot.5" of "dot.5.remat2" and "dot.5.clone.1"; "" where the
// name is not one of a copy.
std::string_view originalName(std::string_view name) {
  for (const std::string_view word : {".remat", ".clone", ".sunk", ".cloned"}) {
    const size_t at = name.find(word);
    if (at != std::string_view::npos && at > 0) return name.substr(0, at);
  }
  return {};
}

// What only puts a value in another form comes from where the value came from.
bool keepsTheValue(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Bitcast:
    case Opcode::BitcastConvert:
    case Opcode::Convert:
    case Opcode::Copy:
    case Opcode::CopyStart:
    case Opcode::CopyDone:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Broadcast:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::GetTupleElement:
      return true;
    default:
      return asyncFacts(i.opcode()).step == AsyncStep::Done;
  }
}

// The instructions that read a value, looked for through calls, tuples and changes of form, a few steps far.
void addReaders(const Instruction& value, int steps, std::vector<const Instruction*>& readers) {
  constexpr size_t kMostReaders = 64;
  for (const Instruction* user : value.users()) {
    if (readers.size() >= kMostReaders) return;
    readers.push_back(user);
    if (steps == 0) continue;
    if (keepsTheValue(*user) || user->opcode() == Opcode::Tuple) addReaders(*user, steps - 1, readers);
    // A broken module's call may call nothing.
    const auto callees = user->calledComputations();
    if ((user->opcode() != Opcode::Call && user->opcode() != Opcode::Fusion) || callees.size() != 1) continue;
    const Computation& called = *callees[0];
    for (size_t n = 0; n < std::min(user->operandCount(), called.parameters().size()); ++n) {
      if (user->operand(n) == &value && called.parameters()[n] != nullptr)
        addReaders(*called.parameters()[n], steps - 1, readers);
    }
  }
}

}  // namespace

LineageTracer::LineageTracer(const Module& before, const Module& after, ModuleMatching matching)
    : before_(before),
      after_(after),
      matching_(std::move(matching)),
      throughBefore_(before),
      throughAfter_(after),
      callerAfter_(computationIdLimit(after), nullptr) {
  sources_.resize(after.idLimit());
  const std::vector<bool> withWork = computationsWithWork(before);
  for (const Computation* c : before.computations()) {
    if (!withWork[c->id().value]) continue;
    for (const Instruction* i : c->instructions()) {
      if (i->opcode() == Opcode::Parameter && c != before.entry()) continue;
      if (tellsItsOrigin(*i)) byOpName_[view(i->opName())].push_back(i);
    }
  }
  for (const Computation* c : after.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!holdsWork(*i)) continue;
      for (const Computation* called : i->calledComputations()) callerAfter_[called->id().value] = i;
    }
  }
}

Lineage LineageTracer::run() {
  traceMatched();
  traceProvenance();
  traceByMetadata();
  traceByName();
  traceBodies();
  traceByOperands();
  traceBodies();
  traceResult();
  traceByUse();
  traceBodies();
  Lineage::Links targets(before_.idLimit());
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      for (const LineageLink& source : sources_[i->id().value])
        targets[source.id.value].push_back({i->id(), source.tie});
    }
  }
  return Lineage(std::move(sources_), std::move(targets));
}

void LineageTracer::link(const Instruction& after, const Instruction& before, LineageTie tie) {
  auto& links = sources_[after.id().value];
  const bool isThere = std::ranges::find(links, before.id(), &LineageLink::id) != links.end();
  if (!isThere && links.size() < kMostSources) links.push_back({before.id(), tie});
}

// A look-alike at another line of the source, where one stands at the very line; of the parts that one line
// splits a value into, another part.
bool LineageTracer::isLookAlike(const Instruction& after, const Instruction& partner) const {
  if (!tellsItsOrigin(after) || after.name() == partner.name()) return false;
  const auto closeness = [&](const Instruction& i) {
    if (i.opcode() != after.opcode() || !sameLine(after, i)) return 0;
    return samePart(after, i) ? 2 : 1;
  };
  const int mine = closeness(partner);
  const Sources* candidates = mine == 2 ? nullptr : ofOpName(after);
  return candidates != nullptr &&
         std::ranges::any_of(*candidates, [&](const Instruction* i) { return closeness(*i) > mine; });
}

void LineageTracer::traceMatched() {
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      const Instruction* partner = before_.instruction(matching_.before(*i));
      if (partner != nullptr && !isLookAlike(*i, *partner)) link(*i, *partner, LineageTie::Same);
    }
  }
}

// What it was made from may itself have been made since the module before.
void LineageTracer::traceProvenance() {
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpen(*i)) continue;
      std::vector<InstructionId> todo = {i->id()};
      absl::flat_hash_set<InstructionId> seen;
      while (!todo.empty()) {
        const InstructionId id = todo.back();
        todo.pop_back();
        if (!seen.insert(id).second) continue;
        const Provenance* made = after_.provenance(id);
        if (made == nullptr) continue;
        for (const InstructionId from : made->from) {
          const Instruction* source = from.value < before_.idLimit() ? before_.instruction(from) : nullptr;
          source != nullptr ? link(*i, *source, LineageTie::Provenance) : todo.push_back(from);
        }
      }
    }
  }
}

const LineageTracer::Sources* LineageTracer::ofOpName(const Instruction& after) const {
  absl::string_view name = view(after.opName());
  while (!name.empty()) {
    if (const auto found = byOpName_.find(name); found != byOpName_.end()) return &found->second;
    const size_t slash = name.find('/');
    if (slash == absl::string_view::npos) break;
    name.remove_prefix(slash + 1);
  }
  return nullptr;
}

bool LineageTracer::isSourceOf(const Instruction& before, const Instruction& after) const {
  const auto& links = sources_[after.id().value];
  return std::ranges::find(links, before.id(), &LineageLink::id) != links.end();
}

int LineageTracer::likeness(const Instruction& after, const Instruction& before) const {
  int score = sameLine(after, before) ? 16 : 0;
  if (after.opcode() == before.opcode()) score += samePart(after, before) ? 8 : 7;
  if (before.opcode() == Opcode::Parameter) score -= 4;
  if (after.shape().withoutLayout() == before.shape().withoutLayout()) score += 2;
  const bool sharesOperand = std::ranges::any_of(after.operands(), [&](const Instruction* a) {
    return std::ranges::any_of(before.operands(),
                               [&](const Instruction* b) { return isSourceOf(*b, through(*a)); });
  });
  return score + (sharesOperand ? 4 : 0);
}

LineageTracer::Sources LineageTracer::mostAlike(const Instruction& after, const Sources& candidates) const {
  // One op_name may stand for thousands of instructions; a look at some of them keeps this linear.
  constexpr size_t kLooks = 256;
  Sources best;
  int most = INT_MIN;
  for (size_t n = 0; n < std::min(candidates.size(), kLooks); ++n) {
    const int score = likeness(after, *candidates[n]);
    if (score > most) best.clear();
    most = std::max(most, score);
    if (score == most) best.push_back(candidates[n]);
  }
  return best;
}

// In module order, operands before users, so that operands help to tell instructions of one line apart.
void LineageTracer::traceByMetadata() {
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpen(*i) || !tellsItsOrigin(*i)) continue;
      const Sources* found = ofOpName(*i);
      if (found == nullptr) continue;
      for (const Instruction* source : mostAlike(*i, *found)) link(*i, *source, LineageTie::Metadata);
    }
  }
}

void LineageTracer::traceByName() {
  absl::flat_hash_map<absl::string_view, const Instruction*> named;
  for (const Computation* c : before_.computations()) {
    for (const Instruction* i : c->instructions()) named.try_emplace(view(i->name()), i);
  }
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      const std::string_view original = isOpen(*i) ? originalName(i->name()) : std::string_view();
      const auto found = original.empty() ? named.end() : named.find(view(original));
      if (found != named.end() && found->second->opcode() == i->opcode())
        link(*i, *found->second, LineageTie::Name);
    }
  }
}

const Instruction* LineageTracer::inItsPlace(const Instruction& after) const {
  constexpr int kSteps = 3;
  std::vector<const Instruction*> readers;
  for (const Instruction* operand : after.operands()) {
    for (const LineageLink& source : sources_[through(*operand).id().value])
      addReaders(*before_.instruction(source.id), kSteps, readers);
  }
  const auto isLike = [&](const Instruction* i, bool anySize) {
    return i->opcode() == after.opcode() &&
           (anySize || i->shape().withoutLayout() == after.shape().withoutLayout());
  };
  for (const bool anySize : {false, true}) {
    const auto found =
        std::ranges::find_if(readers, [&](const Instruction* i) { return isLike(i, anySize); });
    if (found != readers.end()) return *found;
  }
  return nullptr;
}

void LineageTracer::linkAs(const Instruction& after, const Instruction& other, LineageTie tie) {
  if (&after == &other) return;
  for (const LineageLink& source : sources_[other.id().value])
    link(after, *before_.instruction(source.id), tie);
}

void LineageTracer::traceByOperands() {
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpen(*i) || i->operandCount() == 0) continue;
      if (const Instruction* same = inItsPlace(*i)) {
        link(*i, *same, LineageTie::Place);
      } else if (keepsTheValue(*i)) {
        linkAs(*i, through(*i->operand(0)), LineageTie::Place);
      }
    }
  }
}

// The results of the two modules are the same values, element by element where there are as many.
void LineageTracer::traceResult() {
  if (before_.entry() == nullptr || after_.entry() == nullptr) return;
  const Instruction *b = before_.entry()->root(), *a = after_.entry()->root();
  if (b == nullptr || a == nullptr) return;
  const auto linkOpen = [&](const Instruction& after, const Instruction& before) {
    if (isOpen(after)) link(after, throughBefore_.resolve(before), LineageTie::Use);
  };
  const bool sameTuples =
      b->opcode() == Opcode::Tuple && a->opcode() == Opcode::Tuple && b->operandCount() == a->operandCount();
  for (size_t n = 0; sameTuples && n < a->operandCount(); ++n) linkOpen(*a->operand(n), *b->operand(n));
  if (!sameTuples) linkOpen(*a, *b);
}

// Callers first, and the last instruction first, so that chains are followed to their end.
void LineageTracer::traceByUse() {
  const auto computations = after_.computations();
  for (auto c = computations.rbegin(); c != computations.rend(); ++c) {
    const Instruction* caller = callerAfter_[(*c)->id().value];
    for (const Instruction* i = (*c)->last(); i != nullptr; i = i->previous()) {
      if (!isOpen(*i)) continue;
      for (const Instruction* user : i->users()) {
        if (user->opcode() != Opcode::Tuple) linkAs(*i, *user, LineageTie::Use);
      }
      if (isOpen(*i) && caller != nullptr) linkAs(*i, *caller, LineageTie::Use);
    }
  }
}

// Called before caller wherever the module lists them so, as XLA and Hilo do.
void LineageTracer::traceBodies() {
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpen(*i) || !holdsWork(*i)) continue;
      for (const Computation* called : i->calledComputations()) {
        for (const Instruction* inner : called->instructions()) {
          if (isTracedKind(*inner)) linkAs(*i, *inner, LineageTie::Body);
        }
      }
    }
  }
}

}  // namespace hilo
