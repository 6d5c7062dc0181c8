#include "core/analysis/dataflow/dataflow_builder.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/well_formed.h"
#include "core/base/buckets.h"
#include "core/base/check.h"

namespace hilo {

namespace {

bool isCall(const Instruction* caller) { return caller->opcode() == Opcode::Call; }
// Whose parameters would both be values of their own and have values passed in.
bool hasMixedCallers(const CallGraph::Node& node) {
  return std::ranges::any_of(node.callers, isCall) && !std::ranges::all_of(node.callers, isCall);
}

}  // namespace

DataflowBuilder::DataflowBuilder(const Module& module, const DataflowOptions& options) : module_(module) {
  result_.module_ = &module;
  result_.options_ = options;
  result_.tableStorage_ = std::make_unique<SubshapeTables>();
}

Result<DataflowAnalysis> DataflowBuilder::build() {
  TRY_STATUS(requireWellFormed(module_));
  TRY(result_.callGraph_, CallGraph::build(module_));
  TRY_STATUS(layOut());
  for (const Computation* computation : result_.callGraph_.postOrder()) {
    if (!included(*computation)) continue;
    for (const Instruction* instruction : computation->instructions()) defineValues(*instruction);
  }
  propagate();
  if (inconsistent_ != nullptr) {
    return fail(
        "inconsistent-shapes",
        fmt::format("the shape of '{}' does not fit what it takes its parts from", inconsistent_->name()),
        {.computation = std::string(inconsistent_->parent().name()),
         .instruction = std::string(inconsistent_->name())},
        {"hilo verify says what is wrong"});
  }
  replacePhis();
  compactValues();
  collectPositionsAndUses();
  return std::move(result_);
}

bool DataflowBuilder::included(const Computation& computation) const {
  const auto& threads = result_.options_.executionThreads;
  if (threads.empty()) return true;
  const std::string_view own = computation.attributes().get<Attr::ExecutionThread>();
  return std::ranges::find(threads, own.empty() ? "main" : own) != threads.end();
}

bool DataflowBuilder::includedAsync(const Instruction& link) const {
  const Computation* wrapped = asyncWrappedComputation(link);
  const auto& threads = result_.options_.executionThreads;
  if (threads.empty()) return true;
  const Instruction* start = asyncChainStart(link);
  std::string_view thread = start == nullptr ? std::string_view() : start->get<Attr::AsyncExecutionThread>();
  if (thread.empty() && wrapped != nullptr) thread = wrapped->attributes().get<Attr::ExecutionThread>();
  return std::ranges::find(threads, thread.empty() ? "main" : thread) != threads.end();
}

// Gives every part of every instruction's shape its place, and every computation's call context a look.
Status DataflowBuilder::layOut() {
  result_.firstSet_.resize(module_.idLimit());
  result_.tables_.resize(module_.idLimit());
  placeOf_.resize(module_.idLimit(), kNoPlace);
  inOrder_.reserve(module_.idLimit());
  queued_.resize(module_.idLimit());
  size_t positions = 0;
  for (const Computation* computation : module_.computations()) {
    if (result_.callGraph_.node(*computation).context == CallContext::Both) {
      return fail("both-contexts",
                  fmt::format("'{}' is both called and applied to elements", computation->name()),
                  {.computation = std::string(computation->name())}, {"flatten the call graph first"});
    }
    if (!result_.options_.propagateThroughCalls && hasMixedCallers(result_.callGraph_.node(*computation))) {
      return fail("mixed-callers",
                  fmt::format("'{}' is called both by a call and by other control flow", computation->name()),
                  {.computation = std::string(computation->name())});
    }
    for (const Instruction* instruction : computation->instructions()) {
      const SubshapeTable& table = result_.tableStorage_->of(instruction->shape());
      result_.tables_[instruction->id().value] = &table;
      result_.firstSet_[instruction->id().value] = static_cast<uint32_t>(positions);
      positions += table.size();
      if (positions > DataflowAnalysis::kMaxPositions) {
        return fail("module-too-large",
                    fmt::format("shapes have more than {} parts in all", DataflowAnalysis::kMaxPositions));
      }
    }
  }
  result_.sets_.resize(positions);
  return {};
}

bool DataflowBuilder::parameterDefines(const Computation& computation) const {
  const CallGraph::Node& node = result_.callGraph_.node(computation);
  if (node.callers.empty() || node.context == CallContext::Embedded) return true;
  return !result_.options_.propagateThroughCalls && std::ranges::any_of(node.callers, isCall);
}

ValueId DataflowBuilder::newValue(const Instruction& instruction, uint32_t ordinal, bool isPhi) {
  definitions_.push_back({&instruction, ordinal, isPhi});
  return {static_cast<uint32_t>(definitions_.size() - 1)};
}

void DataflowBuilder::defineValues(const Instruction& instruction) {
  const auto parts = tableOf(instruction).parts();
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (definesPart(instruction, parts[i]))
      setOf({&instruction, i}).push_back(newValue(instruction, i, false));
  }
}

// Operands before users, called computations in front of their callers: most values then arrive in one go.
void DataflowBuilder::orderInstructions(const Computation& computation) {
  for (const Instruction* instruction : computation.instructions()) {
    if (placeOf_[instruction->id().value] != kNoPlace) return;
    if (callContextOf(instruction->opcode()) == CallContext::ControlFlow) {
      for (const Computation* called : instruction->calledComputations()) orderInstructions(*called);
    }
    placeOf_[instruction->id().value] = static_cast<uint32_t>(inOrder_.size());
    inOrder_.push_back(instruction);
  }
}

void DataflowBuilder::propagate() {
  if (module_.entry() != nullptr) orderInstructions(*module_.entry());
  for (const Computation* computation : result_.callGraph_.postOrder()) {
    if (!included(*computation)) continue;
    orderInstructions(*computation);
    for (const Instruction* instruction : computation->instructions())
      queued_[instruction->id().value] = true;
  }
  while (inconsistent_ == nullptr) {
    const Instruction* instruction = nextQueued();
    if (instruction == nullptr) return;
    queued_[instruction->id().value] = false;
    if (!update(*instruction)) continue;
    enqueueUsers(*instruction);
    if (instruction->isRoot()) enqueueCallers(instruction->parent());
  }
}

// The first in the order: of those queued again, all before the sweep, or else the sweep's next.
const Instruction* DataflowBuilder::nextQueued() {
  if (!again_.empty()) {
    const Instruction* instruction = inOrder_[again_.top()];
    again_.pop();
    return instruction;
  }
  while (swept_ < inOrder_.size() && !queued_[inOrder_[swept_]->id().value]) ++swept_;
  return swept_ < inOrder_.size() ? inOrder_[swept_++] : nullptr;
}

void DataflowBuilder::enqueue(const Instruction& instruction) {
  const uint32_t id = instruction.id().value;
  if (!included(instruction.parent()) || queued_[id]) return;
  queued_[id] = true;
  if (placeOf_[id] < swept_) again_.push(placeOf_[id]);
}

void DataflowBuilder::enqueueUsers(const Instruction& instruction) {
  for (const Instruction* user : instruction.users()) {
    enqueue(*user);
    if (isAsyncLink(*user)) {
      // A later link binds parameters by their place in the whole chain.
      if (const Computation* wrapped = asyncWrappedComputation(*user)) {
        for (const Instruction* parameter : wrapped->parameters()) {
          if (parameter != nullptr) enqueue(*parameter);
        }
      }
    } else if (callContextOf(user->opcode()) == CallContext::ControlFlow) {
      for (const Computation* called : user->calledComputations()) {
        for (const Instruction* parameter : called->parameters()) {
          if (parameter != nullptr) enqueue(*parameter);
        }
      }
    }
  }
}

void DataflowBuilder::enqueueCallers(const Computation& computation) {
  for (const Instruction* caller : result_.callGraph_.node(computation).callers) {
    if (callContextOf(caller->opcode()) != CallContext::ControlFlow) continue;
    enqueue(*caller);
    if (caller->opcode() != Opcode::While) continue;
    for (const Computation* called : caller->calledComputations()) {
      if (!called->parameters().empty() && called->parameters()[0] != nullptr)
        enqueue(*called->parameters()[0]);
    }
  }
}

DataflowBuilder::Part DataflowBuilder::at(const Instruction& instruction,
                                          std::initializer_list<int64_t> index) {
  const uint32_t ordinal = tableOf(instruction).find({index.begin(), index.size()});
  if (ordinal != SubshapeTable::kNone) return {&instruction, ordinal};
  return {nullptr, 0};
}

// The whole part with all within. Both must have the same structure.
bool DataflowBuilder::forward(Part to, Part from) {
  if (to.instruction == nullptr || from.instruction == nullptr) {
    inconsistent_ = to.instruction == nullptr ? from.instruction : to.instruction;
    if (inconsistent_ == nullptr) inconsistent_ = module_.entry()->root();
    return false;
  }
  const uint32_t count = tableOf(*to.instruction).parts()[to.ordinal].count;
  if (count != tableOf(*from.instruction).parts()[from.ordinal].count) {
    inconsistent_ = to.instruction;
    return false;
  }
  bool changed = false;
  for (uint32_t i = 0; i < count; ++i) {
    ValueSet& target = setOf({to.instruction, to.ordinal + i});
    const ValueSet& source = setOf({from.instruction, from.ordinal + i});
    if (target == source) continue;
    target = source;
    changed = true;
  }
  return changed;
}

// The same, but tuples' own tables are what `to`'s instruction makes. A place that is not bound yet, an empty
// tuple, takes nothing.
bool DataflowBuilder::forwardLeaves(Part to, Part from) {
  if (to.instruction == nullptr || from.instruction == nullptr) return forward(to, from);
  const SubshapeTable::Part& place = tableOf(*to.instruction).parts()[to.ordinal];
  const uint32_t count = tableOf(*from.instruction).parts()[from.ordinal].count;
  if (place.count == 1 && place.shape.isTuple()) return false;
  if (place.count != count) {
    inconsistent_ = to.instruction;
    return false;
  }
  bool changed = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (tableOf(*to.instruction).parts()[to.ordinal + i].shape.isTuple()) continue;
    ValueSet& target = setOf({to.instruction, to.ordinal + i});
    const ValueSet& source = setOf({from.instruction, from.ordinal + i});
    if (target == source) continue;
    target = source;
    changed = true;
  }
  return changed;
}

bool DataflowBuilder::join(const Instruction& into, std::span<const Instruction* const> inputs, bool phi) {
  const uint32_t count = tableOf(into).size();
  for (const Instruction* input : inputs) {
    if (input != nullptr && tableOf(*input).size() == count) continue;
    inconsistent_ = &into;
    return false;
  }
  bool changed = false;
  for (uint32_t ordinal = 0; ordinal < count; ++ordinal) {
    ValueSet all;
    for (const Instruction* input : inputs) {
      const ValueSet& set = setOf({input, ordinal});
      all.insert(all.end(), set.begin(), set.end());
    }
    changed |= joinPart(into, ordinal, std::move(all), phi);
  }
  return changed;
}

bool DataflowBuilder::joinPart(const Instruction& into, uint32_t ordinal, ValueSet inputs, bool phi) {
  ValueSet& set = setOf({&into, ordinal});
  // With phis, an input that comes twice makes one, as in XLA; the graph of phis then finds it needless.
  if (!phi || inputs.size() < 2) {
    std::ranges::sort(inputs);
    inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
    if (set == inputs) return false;
    if (phi && set.size() == 1 && definitions_[set[0].value].instruction == &into) phis_.forget(set[0]);
    set = std::move(inputs);
    return true;
  }
  const bool ownPhi = set.size() == 1 && definitions_[set[0].value].isPhi &&
                      definitions_[set[0].value].instruction == &into &&
                      definitions_[set[0].value].ordinal == ordinal;
  if (!ownPhi) set = {newValue(into, ordinal, true)};
  return phis_.setInputs(set[0], std::move(inputs)) || !ownPhi;
}

void DataflowBuilder::replacePhis() {
  if (!result_.options_.ssaForm) return;
  phis_.optimize();
  for (ValueSet& set : result_.sets_) {
    for (ValueId& id : set) id = phis_.resolve(id);
  }
}

// Phis that came and went leave gaps in the ids; a value that stands at no position is one of them.
void DataflowBuilder::compactValues() {
  std::vector<bool> present(definitions_.size());
  for (const ValueSet& set : result_.sets_) {
    for (const ValueId id : set) present[id.value] = true;
  }
  std::vector<ValueId> renamed(definitions_.size());
  result_.values_.reserve(static_cast<size_t>(std::ranges::count(present, true)));
  for (uint32_t old = 0; old < definitions_.size(); ++old) {
    if (!present[old]) continue;
    const Definition& definition = definitions_[old];
    const SubshapeTable::Part& part = tableOf(*definition.instruction).parts()[definition.ordinal];
    renamed[old] = {static_cast<uint32_t>(result_.values_.size())};
    HloValue& value = result_.values_.emplace_back();
    value.id = renamed[old];
    value.shape = part.shape;
    value.isPhi = definition.isPhi;
    value.positions.push_back({definition.instruction, part.index});
  }
  for (ValueSet& set : result_.sets_) {
    for (ValueId& id : set) id = renamed[id.value];
    std::ranges::sort(set);
  }
}

namespace {

// Whether the user reads the value at this part of its operand, rather than pass it through.
bool mayUse(const Instruction& user, const ShapeIndex& index) {
  switch (user.opcode()) {
    case Opcode::GetTupleElement:
    case Opcode::Copy:
      return index.empty();
    case Opcode::Domain:
    case Opcode::Tuple:
      return false;
    default:
      return true;
  }
}

struct OperandUse {
  const Instruction* user;
  uint32_t operandNumber;
};

// Whether a use of a part of a tuple is one; not where the user only passes parts through, so that a tuple of
// a thousand elements is not looked at a million times.
bool mayUseParts(const Instruction& user) {
  static const ShapeIndex kPart = {0};
  return mayUse(user, kPart);
}

// By id of an instruction: who has it as which operand, in the order of the module.
Buckets<OperandUse> operandUses(const Module& module, bool (*counts)(const Instruction&)) {
  return {module.idLimit(), [&](auto put) {
            for (const Computation* computation : module.computations()) {
              for (const Instruction* user : computation->instructions()) {
                if (!counts(*user)) continue;
                for (uint32_t i = 0; i < user->operandCount(); ++i)
                  put(user->operand(i)->id().value, OperandUse{user, i});
              }
            }
          }};
}

struct OperandUses {
  explicit OperandUses(const Module& module)
      : all(operandUses(module, [](const Instruction&) { return true; })),
        ofParts(operandUses(module, mayUseParts)) {}
  Buckets<OperandUse> all, ofParts;
};

void collectUses(HloValue& value, const OperandUses& uses) {
  absl::flat_hash_set<const Instruction*> roots;
  for (const HloPosition& position : value.positions) {
    if (position.instruction->isRoot()) roots.insert(position.instruction);
  }
  for (const auto& [instruction, index] : value.positions) {
    const uint32_t id = instruction->id().value;
    for (const OperandUse& use : index.empty() ? uses.all[id] : uses.ofParts[id]) {
      if (mayUse(*use.user, index)) value.uses.push_back({use.user, use.operandNumber, index});
    }
    // A root that has the value counts as its user even where it only passes it through.
    const Instruction* root = instruction->parent().root();
    if (!roots.contains(root) || mayUse(*root, index)) continue;
    for (const OperandUse& use : uses.all[id]) {
      if (use.user == root) value.uses.push_back({root, use.operandNumber, index});
    }
  }
}

}  // namespace

void DataflowBuilder::collectPositionsAndUses() {
  for (const Computation* computation : module_.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const auto parts = tableOf(*instruction).parts();
      for (uint32_t i = 0; i < parts.size(); ++i) {
        for (const ValueId id : setOf({instruction, i})) {
          HloValue& value = result_.values_[id.value];
          if (value.definition().instruction == instruction && value.index() == parts[i].index) continue;
          value.positions.push_back({instruction, parts[i].index});
        }
      }
    }
  }
  const Instruction* result = module_.entry() == nullptr ? nullptr : module_.entry()->root();
  const OperandUses uses(module_);
  for (HloValue& value : result_.values_) {
    for (const HloPosition& position : value.positions) value.livesOut |= position.instruction == result;
    collectUses(value, uses);
  }
}

}  // namespace hilo
