// What a handler of one opcode sees of the running evaluation.
#pragma once

#include <memory>

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/scalar_program.h"

namespace hilo {

class DeviceExchange;
struct ComputationPlan;
struct PlanStep;

// What joins a device to others and to its host (devices.h). Null: it is alone, or has no host.
struct DeviceLinks {
  DeviceExchange* exchange = nullptr;
  HostFeed* host = nullptr;
};

class EvalContext {
 public:
  // Without links the device is alone.
  explicit EvalContext(const EvalOptions& options, DeviceLinks links = {});
  ~EvalContext();

  const EvalOptions& options() const { return options_; }
  // Null when the device is alone.
  DeviceExchange* exchange() const { return links_.exchange; }
  HostFeed* host() const { return links_.host; }
  // This device's number in the exchange's grid; 0 when it is alone.
  int64_t device() const;

  // A zero-filled literal of the shape (layout dropped), within the memory limit.
  Result<Literal> make(Shape shape) const;

  // Runs a computation. `arguments` are consumed.
  Result<Literal> call(const Computation& computation, std::vector<Literal> arguments);

  // What an instruction stands for (core/hlo/expand): a computation of its operands. Cached.
  Result<const Computation*> expansion(const Instruction& instruction);

  // The computation as a program over scalars, or null when it is not one (it uses arrays,
  // loops, ...). Cached.
  const ScalarProgram* scalarProgram(const Computation& computation);

  // Counts `steps` and fails when a limit is reached or cancellation was asked for. Handlers with long loops
  // call it now and then.
  Status poll(int64_t steps = 1);

  // The 128-bit state of rng-get-and-update-state and of rng: the value before `delta` is added.
  unsigned __int128 takeRandomState(int64_t delta);

 private:
  const ComputationPlan* plan(const Computation& computation, Diagnostic& error);
  using OperandRoom = absl::InlinedVector<Literal, 4>;
  Result<Literal> runStep(const PlanStep& step, std::vector<Literal>& slots, OperandRoom& operands);
  Result<Literal> run(const ComputationPlan& plan, std::vector<Literal>& slots, bool observed);

  const EvalOptions& options_;
  DeviceLinks links_;
  int64_t steps_ = 0;
  int64_t liveBytes_ = 0;
  int depth_ = 0;
  unsigned __int128 randomState_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<ComputationPlan>> plans_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<ScalarProgram>> scalarPrograms_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Module>> expansions_;
};

// Evaluates one instruction. Operands may be moved from.
using Handler = Result<Literal> (*)(const Instruction& instruction, std::span<Literal> operands,
                                    EvalContext& context);

// The handler of an opcode; never null (opcodes without meaning here have one that refuses by name).
Handler handlerOf(Opcode opcode);
// Why an instruction cannot be evaluated on a grid of devices, judged from the instruction alone; nullopt
// when it can.
std::optional<Diagnostic> refusal(const Instruction& instruction, DeviceGrid grid);

// Errors that name the instruction.
Place placeOf(const Instruction& instruction);
std::unexpected<Diagnostic> malformed(const Instruction& instruction, std::string message);
std::unexpected<Diagnostic> unsupportedType(const Instruction& instruction, ElementType type);
std::unexpected<Diagnostic> unsupportedOpcode(const Instruction& instruction, std::string why);

// Returns a "malformed-instruction" error from the handler unless the condition holds.
#define EVAL_REQUIRE(condition, message) \
  if (!(condition)) return malformed(instruction, message)

}  // namespace hilo
