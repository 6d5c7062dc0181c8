#include "core/hlo/eval/evaluate.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/exchange.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool sharesStorage(Opcode opcode) {
  switch (opcode) {
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Copy:
    case Opcode::Reshape:
      return true;
    default:
      return hasFact(opcode, OpFact::Forwards);
  }
}

// Same element types and dimensions at every level; layouts and dynamic marks aside.
bool sameData(Shape a, Shape b) {
  if (a == b) return true;
  if (a.elementType() != b.elementType() || !std::ranges::equal(a.dimensions(), b.dimensions())) return false;
  const auto left = a.tupleShapes(), right = b.tupleShapes();
  return left.size() == right.size() && std::ranges::equal(left, right, sameData);
}

// Bounds what index arithmetic can come to: an empty array may claim dimensions whose product overflows.
bool hasSaneDimensions(Shape shape) {
  constexpr int64_t kMaxElements = int64_t{1} << 48;
  int64_t product = 1;
  for (const int64_t size : shape.dimensions()) {
    if (size < 0 || size > kMaxElements) return false;
    if (std::max<int64_t>(size, 1) > kMaxElements / product) return false;
    product *= std::max<int64_t>(size, 1);
  }
  return std::ranges::all_of(shape.tupleShapes(), hasSaneDimensions);
}

// What every handler takes for granted.
Status checkForm(const Instruction& instruction) {
  const auto arity = opcodeArity(instruction.opcode());
  if (arity && *arity != static_cast<int>(instruction.operandCount())) {
    return malformed(instruction,
                     fmt::format("takes {} operands, not {}", *arity, instruction.operandCount()));
  }
  EVAL_REQUIRE(hasSaneDimensions(instruction.shape()), "its dimensions are too large or unbounded");
  return {};
}

// An instruction may declare floats of another precision than its operands have: what it gives is
// rounded to that.
Status roundToDeclared(Literal& value, Shape declared, EvalContext& context) {
  if (value.isTuple() && declared.isTuple() && value.elements().size() == declared.tupleShapes().size()) {
    for (size_t i = 0; i < value.elements().size(); ++i)
      TRY_STATUS(roundToDeclared(value.mutableElements()[i], declared.tupleShapes()[i], context));
  } else if (differInPrecisionAlone(value.shape(), declared)) {
    TRY(value, converted(value, declared.elementType(), context));
  }
  return {};
}

Result<Literal> checkedResult(const Instruction& instruction, Result<Literal> result, EvalContext& context) {
  if (!result) {
    Diagnostic& error = result.error();
    if (error.place.instruction.empty()) error.place = placeOf(instruction);
    return result;
  }
  if (sameData(result->shape(), instruction.shape())) return result;
  TRY_STATUS(roundToDeclared(*result, instruction.shape(), context));
  if (!sameData(result->shape(), instruction.shape())) {
    return malformed(instruction, fmt::format("declares shape {} but gives {}", toString(instruction.shape()),
                                              toString(result->shape())));
  }
  return result;
}

}  // namespace

struct PlanStep {
  const Instruction* instruction = nullptr;
  Handler handler = nullptr;
  absl::InlinedVector<int, 3> operands;   // slots
  absl::InlinedVector<bool, 3> consumes;  // whether this is the operand's last use
  int64_t ownedBytes = 0;
  bool resultUnused = false;
  // Of a get-tuple-element: nobody else needs this element of the tuple, so it is moved out.
  bool takesElement = false;
};

// A computation made ready to run: its list with slots for names and the place of each value's last use.
struct ComputationPlan {
  const Computation* computation = nullptr;
  std::vector<PlanStep> steps;
  std::vector<int> parameterSlots;
  int rootSlot = 0;
};

namespace {

// Where all users of a tuple take elements out of it, the last taker of each element may have it for itself.
// Loop bodies depend on this to update their state in place.
void markTakenElements(ComputationPlan& plan) {
  absl::flat_hash_set<std::pair<int, int64_t>> taken;
  for (size_t s = plan.steps.size(); s-- > 0;) {
    PlanStep& step = plan.steps[s];
    if (step.instruction->opcode() != Opcode::GetTupleElement || step.operands[0] == plan.rootSlot) continue;
    const Instruction& tuple = *step.instruction->operand(0);
    const auto index = step.instruction->get<Attr::Index>();
    if (!index || !std::ranges::all_of(tuple.users(), [](const Instruction* user) {
          return user->opcode() == Opcode::GetTupleElement;
        })) {
      continue;
    }
    step.takesElement = taken.emplace(step.operands[0], *index).second;
  }
}

Result<std::unique_ptr<ComputationPlan>> makePlan(const Computation& computation) {
  auto plan = std::make_unique<ComputationPlan>();
  plan->computation = &computation;
  absl::flat_hash_map<const Instruction*, int> slots;
  std::vector<int> lastUse;
  plan->parameterSlots.assign(computation.parameters().size(), -1);
  for (const Instruction* instruction : computation.instructions()) {
    const int slot = static_cast<int>(plan->steps.size());
    PlanStep step{.instruction = instruction, .handler = handlerOf(instruction->opcode())};
    for (const Instruction* operand : instruction->operands()) {
      const auto found = slots.find(operand);
      if (found == slots.end()) return malformed(*instruction, "an operand does not come before its use");
      step.operands.push_back(found->second);
      lastUse[found->second] = slot;
    }
    step.consumes.resize(step.operands.size(), false);
    step.ownedBytes = sharesStorage(instruction->opcode()) ? 0 : instruction->shape().byteSize();
    TRY_STATUS(checkForm(*instruction));
    if (instruction->opcode() == Opcode::Parameter) {
      const auto number = instruction->get<Attr::ParameterNumber>();
      if (!number || *number < 0 || static_cast<size_t>(*number) >= plan->parameterSlots.size() ||
          plan->parameterSlots[*number] != -1) {
        return malformed(*instruction, "parameter numbers must be distinct and dense");
      }
      plan->parameterSlots[*number] = slot;
    }
    slots.emplace(instruction, slot);
    lastUse.push_back(-1);
    plan->steps.push_back(std::move(step));
  }
  if (computation.root() == nullptr || !slots.contains(computation.root()) ||
      std::ranges::count(plan->parameterSlots, -1) != 0) {
    Place place;
    place.computation = std::string(computation.name());
    return fail("malformed-instruction", "the computation lacks its root or a parameter", place);
  }
  plan->rootSlot = slots[computation.root()];
  lastUse[plan->rootSlot] = static_cast<int>(plan->steps.size());
  for (int s = 0; s < static_cast<int>(plan->steps.size()); ++s) {
    PlanStep& step = plan->steps[s];
    step.resultUnused = lastUse[s] == -1;
    // When a value is used twice by its last user, only the second use may take it.
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const bool usedAgain = std::find(step.operands.begin() + k + 1, step.operands.end(),
                                       step.operands[k]) != step.operands.end();
      step.consumes[k] = lastUse[step.operands[k]] == s && !usedAgain;
    }
  }
  markTakenElements(*plan);
  return plan;
}

}  // namespace

namespace {

// Whether an operation's handler knows what lies within a dynamic dimension's real size. The others would
// take padding for data.
bool heedsDynamicSizes(Opcode opcode) {
  if (hasFact(opcode, OpFact::HeedsSizes)) return true;
  // Their handlers run computations or plain instructions, each of which is asked in turn.
  const OpcodeClass family = opcodeClass(opcode);
  return family == OpcodeClass::Async || family == OpcodeClass::CustomCall || family == OpcodeClass::Ordering;
}

// Handlers see arrays at their bounds, but those that know better: for others padding is put out of the way.
Result<Literal> handle(Handler handler, const Instruction& instruction, std::span<Literal> operands,
                       EvalContext& context) {
  const bool isDynamic =
      std::ranges::any_of(operands, [](const Literal& o) { return !o.dynamicSizes().empty(); });
  if (isDynamic && takesPadding(instruction)) return eval::expanded(instruction, operands, context);
  if (!isDynamic || heedsDynamicSizes(instruction.opcode())) return handler(instruction, operands, context);
  return fail("unsupported-dynamic-shape",
              fmt::format("{} of an array with fewer elements than its bounds", instruction.opcodeText()));
}

Result<Literal> elementOf(const Instruction& instruction, Literal& tuple, bool take, bool last) {
  const auto index = instruction.get<Attr::Index>();
  EVAL_REQUIRE(
      tuple.isTuple() && index && *index >= 0 && static_cast<size_t>(*index) < tuple.elements().size(),
      "index is not one of the operand's elements");
  Literal& element = tuple.mutableElements()[static_cast<size_t>(*index)];
  Literal result = take || last ? std::move(element) : element;
  if (last) tuple = Literal();
  return result;
}

}  // namespace

EvalContext::EvalContext(const EvalOptions& options, DeviceLinks links)
    : options_(options), links_(links), randomState_(0x7012395u + options.seed) {}
EvalContext::~EvalContext() = default;

int64_t EvalContext::device() const {
  if (exchange() == nullptr) return 0;
  return options_.replicaId * exchange()->grid().partitions + options_.partitionId;
}

Result<Literal> EvalContext::make(Shape shape) const {
  auto made =
      Literal::tryMake(shape.withoutLayout(), std::max<int64_t>(0, options_.maxLiveBytes - liveBytes_));
  if (!made && made.error().kind == "literal-too-large") {
    return fail("memory-limit", fmt::format("a value of shape {} exceeds the limit of {} live bytes",
                                            toString(shape), options_.maxLiveBytes));
  }
  return made;
}

Status EvalContext::poll(int64_t steps) {
  steps_ += steps;
  if (steps_ > options_.maxSteps)
    return fail("step-limit", fmt::format("stopped after {} steps", options_.maxSteps));
  if (options_.cancel.cancelled()) return fail("cancelled", "evaluation was cancelled");
  if (exchange() != nullptr && exchange()->stopped()) return std::unexpected(exchange()->failure());
  return {};
}

unsigned __int128 EvalContext::takeRandomState(int64_t delta) {
  const auto before = randomState_;
  randomState_ += static_cast<unsigned __int128>(static_cast<__int128>(delta));
  return before;
}

Result<const Computation*> EvalContext::expansion(const Instruction& instruction) {
  if (const auto found = expansions_.find(&instruction); found != expansions_.end())
    return found->second->entry();
  TRY(auto made, expandedAlone(instruction));
  return expansions_.emplace(&instruction, std::move(made)).first->second->entry();
}

const ScalarProgram* EvalContext::scalarProgram(const Computation& computation) {
  auto [found, isNew] = scalarPrograms_.try_emplace(&computation);
  if (isNew) found->second = ScalarProgram::compile(computation);
  return found->second.get();
}

const ComputationPlan* EvalContext::plan(const Computation& computation, Diagnostic& error) {
  if (const auto found = plans_.find(&computation); found != plans_.end()) return found->second.get();
  auto made = makePlan(computation);
  if (!made) {
    error = made.error();
    return nullptr;
  }
  return plans_.emplace(&computation, *std::move(made)).first->second.get();
}

Result<Literal> EvalContext::call(const Computation& computation, std::vector<Literal> arguments) {
  Diagnostic error;
  const ComputationPlan* plan = this->plan(computation, error);
  if (plan == nullptr) return std::unexpected(std::move(error));
  if (depth_ >= options_.maxDepth) {
    return fail("depth-limit", fmt::format("calls nest over {} deep", options_.maxDepth));
  }
  if (arguments.size() != plan->parameterSlots.size()) {
    return fail("wrong-argument", fmt::format("computation {} takes {} arguments, not {}", computation.name(),
                                              plan->parameterSlots.size(), arguments.size()));
  }
  std::vector<Literal> slots(plan->steps.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Instruction& parameter = *plan->steps[plan->parameterSlots[i]].instruction;
    if (!sameData(arguments[i].shape(), parameter.shape())) {
      return fail("wrong-argument",
                  fmt::format("argument {} has shape {}, the parameter {}", i, toString(arguments[i].shape()),
                              toString(parameter.shape())),
                  placeOf(parameter));
    }
    slots[plan->parameterSlots[i]] = std::move(arguments[i]);
  }
  const bool observed = depth_ == 0 && options_.observe;
  const int64_t liveBefore = liveBytes_;
  ++depth_;
  auto result = run(*plan, slots, observed);
  --depth_;
  liveBytes_ = liveBefore;
  return result;
}

Result<Literal> EvalContext::runStep(const PlanStep& step, std::vector<Literal>& slots,
                                     OperandRoom& operands) {
  if (step.instruction->opcode() == Opcode::GetTupleElement) {
    return elementOf(*step.instruction, slots[step.operands[0]], step.takesElement, step.consumes[0]);
  }
  operands.clear();
  for (size_t k = 0; k < step.operands.size(); ++k) {
    Literal& slot = slots[step.operands[k]];
    operands.push_back(step.consumes[k] ? std::exchange(slot, Literal()) : slot);
  }
  return handle(step.handler, *step.instruction, std::span<Literal>(operands.data(), operands.size()), *this);
}

Result<Literal> EvalContext::run(const ComputationPlan& plan, std::vector<Literal>& slots, bool observed) {
  OperandRoom operands;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    const Instruction& instruction = *step.instruction;
    if (instruction.opcode() != Opcode::Parameter) {
      TRY_STATUS(poll());
      auto result = checkedResult(instruction, runStep(step, slots, operands), *this);
      if (!result) return result;
      for (size_t k = 0; k < step.operands.size(); ++k) {
        if (step.consumes[k]) liveBytes_ -= plan.steps[step.operands[k]].ownedBytes;
      }
      slots[s] = *std::move(result);
      liveBytes_ += step.ownedBytes;
      if (liveBytes_ > options_.maxLiveBytes) {
        return fail("memory-limit", fmt::format("over {} bytes of values are alive", options_.maxLiveBytes),
                    placeOf(instruction));
      }
    }
    if (observed) options_.observe(instruction, slots[s]);
    if (step.resultUnused) {
      slots[s] = Literal();
      liveBytes_ -= step.ownedBytes;
    }
  }
  return std::move(slots[plan.rootSlot]);
}

Place placeOf(const Instruction& instruction) {
  Place place;
  place.computation = std::string(instruction.parent().name());
  place.instruction = std::string(instruction.name());
  return place;
}

std::unexpected<Diagnostic> malformed(const Instruction& instruction, std::string message) {
  return fail("malformed-instruction", fmt::format("{}: {}", instruction.opcodeText(), message),
              placeOf(instruction));
}

std::unexpected<Diagnostic> unsupportedType(const Instruction& instruction, ElementType type) {
  return fail("unsupported-type",
              fmt::format("{} has no meaning for {}", instruction.opcodeText(), elementTypeName(type)),
              placeOf(instruction));
}

std::unexpected<Diagnostic> unsupportedOpcode(const Instruction& instruction, std::string why) {
  return fail("unsupported-opcode", std::move(why), placeOf(instruction));
}

namespace {

Result<Literal> evaluateWithHost(const Computation& computation, std::span<const Literal> arguments,
                                 const EvalOptions& options, HostFeed& host) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isElided()) return fail("wrong-argument", fmt::format("argument {} has no values", i));
  }
  EvalContext context(options, {.host = &host});
  return context.call(computation, {arguments.begin(), arguments.end()});
}

}  // namespace

Result<Literal> evaluateComputation(const Computation& computation, std::span<const Literal> arguments,
                                    const EvalOptions& options) {
  HostFeed host(infeedOf(options.infeeds, 0));
  return evaluateWithHost(computation, arguments, options, host);
}

Result<Literal> evaluate(const Module& module, std::span<const Literal> arguments,
                         const EvalOptions& options) {
  if (module.entry() == nullptr) return fail("malformed-module", "the module has no entry computation");
  HostFeed host(infeedOf(options.infeeds, 0));
  TRY(Literal output, evaluateWithHost(*module.entry(), arguments, options, host));
  return hasOutfeed(module) ? withOutfeed(std::move(output), host.takeOutfeed()) : output;
}

Result<Literal> evaluateInstruction(const Instruction& instruction, std::span<const Literal* const> operands,
                                    const EvalOptions& options) {
  EVAL_REQUIRE(operands.size() == instruction.operandCount(), "wrong number of operand values");
  TRY_STATUS(checkForm(instruction));
  std::vector<Literal> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    EVAL_REQUIRE(hasSaneDimensions(operands[i]->shape()),
                 "an operand's dimensions are too large or unbounded");
    EVAL_REQUIRE(sameData(operands[i]->shape(), instruction.operand(i)->shape()),
                 "an operand value has another shape");
    EVAL_REQUIRE(!operands[i]->isElided(), "an operand value is elided");
    values.push_back(*operands[i]);
  }
  EvalContext context(options);
  TRY_STATUS(context.poll());
  return checkedResult(instruction, handle(handlerOf(instruction.opcode()), instruction, values, context),
                       context);
}

Diagnostics checkRunnable(const Module& module, DeviceGrid grid) {
  Diagnostics found;
  if (module.entry() == nullptr) {
    found.push_back({.kind = "malformed-module", .message = "the module has no entry computation"});
    return found;
  }
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  std::vector<const Computation*> pending = {module.entry()};
  while (!pending.empty()) {
    const Computation& computation = *pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation.instructions()) {
      if (auto reason = refusal(*instruction, grid)) found.push_back(*std::move(reason));
      for (const Computation* called : instruction->calledComputations()) {
        if (called != nullptr && seen.insert(called).second) pending.push_back(called);
      }
    }
  }
  return found;
}

}  // namespace hilo
