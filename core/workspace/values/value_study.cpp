#include "core/workspace/values/value_study.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "core/workspace/values/list_values.h"

namespace hilo {
namespace {

const Instruction* callerOf(const Module& module, const Computation& called) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* one : instruction->calledComputations()) {
        if (one == &called) return instruction;
      }
    }
  }
  return nullptr;
}

std::unexpected<Diagnostic> notReached(const Instruction& caller, const Computation& computation,
                                       int64_t turn) {
  if (caller.opcode() == Opcode::While)
    return fail("no-such-turn", fmt::format("{} has no turn {}", caller.name(), turn));
  return fail("no-single-value",
              fmt::format("{} applies {} to many elements: its instructions have no one value", caller.name(),
                          computation.name()));
}

// What instructions share with their operands is kept once.
bool isOwnValue(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  return opcode != Opcode::Tuple && opcode != Opcode::GetTupleElement && opcode != Opcode::While;
}

// All values are kept, of what was reached: where the machine has no room for those of the entry computation
// the system would end the program.
Status checkRoom(const Computation& entry, int64_t devices, int64_t limitBytes) {
  double bytes = 0;
  for (const Instruction* instruction : entry.instructions()) {
    if (isOwnValue(*instruction)) bytes += static_cast<double>(instruction->shape().byteSize());
  }
  bytes *= static_cast<double>(devices);
  // Of what there is others take some.
  constexpr double kShare = 0.75;
  if (limitBytes <= 0 || bytes <= kShare * static_cast<double>(limitBytes)) return {};
  return fail(
      "too-large",
      fmt::format("the values of {} take {:.3g} GB, and no more than {:.3g} GB may be kept", entry.name(),
                  bytes * 1e-9, kShare * static_cast<double>(limitBytes) * 1e-9),
      {},
      {"the part in question, copied as a module of its own (the menu of the graph, or of what a search "
       "finds), may be small enough"});
}

}  // namespace

const InstructionValue* ReachedValues::find(InstructionId id) const {
  const auto found = std::ranges::find(values, id.value, &InstructionValue::instruction);
  return found == values.end() ? nullptr : &*found;
}

struct ValueStudy::State {
  struct Known {
    std::shared_ptr<const ReachedValues> reached;
    ValueWalk::Values values;
  };
  using Key = std::pair<uint32_t, int64_t>;  // computation, turn
  State(ValueRequest asked, WalkedModule of) : request(std::move(asked)), walked(std::move(of)) {}

  std::shared_ptr<const Known> find(Key key) const {
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    return found == known.end() ? nullptr : found->second;
  }
  std::shared_ptr<const Known> keep(Key key, const Computation& computation, std::vector<std::string> path,
                                    ValueWalk::Values values) {
    auto made = std::make_shared<Known>();
    made->reached = std::make_shared<const ReachedValues>(
        ReachedValues{computation.id(), std::move(path), listValues(computation, values)});
    made->values = std::move(values);
    const std::lock_guard lock(mutex);
    return known.try_emplace(key, std::move(made)).first->second;
  }
  Result<std::shared_ptr<const Known>> reach(const Computation& computation, int64_t turn,
                                             const JobContext& context);

  const ValueRequest request;
  const WalkedModule walked;
  std::shared_ptr<const ReachedValues> entry;
  mutable std::mutex mutex;
  std::map<Key, std::shared_ptr<const Known>> known;
};

// The module was verified: calls do not recurse, and are as deep as it is nested.
Result<std::shared_ptr<const ValueStudy::State::Known>> ValueStudy::State::reach(
    const Computation& computation, int64_t turn, const JobContext& context) {
  if (&computation == walked.module->entry()) turn = 0;
  const Key key{computation.id().value, turn};
  if (auto there = find(key)) return there;
  const Instruction* caller = callerOf(*walked.module, computation);
  if (caller == nullptr) return fail("no-single-value", fmt::format("nothing calls {}", computation.name()));
  const bool isLoop = caller->opcode() == Opcode::While;
  TRY(const auto around, reach(caller->parent(), isLoop ? 0 : turn, context));
  ValueWalk walk = startWalk(walked, request, context);
  int64_t before = turn;
  TRY(const auto inner, walk.inside(*caller, around->values, [&](const auto&, const auto&, const auto&) {
    return Result<bool>(before-- == 0);
  }));
  if (!inner) return notReached(*caller, computation, turn);
  // A loop's condition is computed on what its body is given.
  if (inner->computation != &computation && !isLoop) {
    return fail("not-taken",
                fmt::format("{} takes another branch than {}", caller->name(), computation.name()));
  }
  TRY(auto values, walk.valuesOf(computation, inner->arguments));
  std::vector<std::string> path = around->reached->path;
  path.push_back(inner->step);
  return keep(key, computation, std::move(path), std::move(values));
}

ValueStudy::ValueStudy(std::unique_ptr<State> state) : state_(std::move(state)) {}
ValueStudy::~ValueStudy() = default;
const ValueRequest& ValueStudy::request() const { return state_->request; }
const ReachedValues& ValueStudy::entry() const { return *state_->entry; }

Result<std::shared_ptr<ValueStudy>> ValueStudy::make(const ValueRequest& request, const JobContext& context) {
  TRY(WalkedModule walked, walkedModule(request, context));
  auto state = std::make_unique<State>(request, std::move(walked));
  const Computation& entry = *state->walked.module->entry();
  if (request.worker)
    TRY_STATUS(checkRoom(entry, state->walked.grid.count(), request.worker->memoryLimitBytes));
  ValueWalk walk = startWalk(state->walked, state->request, context);
  TRY(auto values, walk.valuesOf(entry, state->walked.arguments));
  state->entry = state->keep({entry.id().value, 0}, entry, {}, std::move(values))->reached;
  return std::shared_ptr<ValueStudy>(new ValueStudy(std::move(state)));
}

Result<std::shared_ptr<const ReachedValues>> ValueStudy::reach(ComputationId id, int64_t turn,
                                                               const JobContext& context) {
  const Computation* computation = state_->walked.module->computation(id);
  if (computation == nullptr) return fail("no-single-value", "the module has no such computation");
  TRY(const auto known, state_->reach(*computation, turn, context));
  return known->reached;
}

std::shared_ptr<const InstructionValue> ValueStudy::known(const Instruction& instruction) const {
  const uint32_t computation = instruction.parent().id().value;
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->known.lower_bound({computation, 0});
  if (found == state_->known.end() || found->first.first != computation) return nullptr;
  const auto& reached = found->second->reached;
  const InstructionValue* value = reached->find(instruction.id());
  return value == nullptr ? nullptr : std::shared_ptr<const InstructionValue>(reached, value);
}

}  // namespace hilo
