// The values of a module by one engine, kept for whoever looks at them: of the entry at once, of what the
// entry calls when it is asked for.
#pragma once

#include <memory>

#include "core/workspace/values/instruction_values.h"

namespace hilo {

// One computation as the entry comes to it.
struct ReachedValues {
  ComputationId computation;
  std::vector<std::string> path;  // "while.3 (turn 17)", "fusion.2"; empty: the entry
  std::vector<InstructionValue> values;
  const InstructionValue* find(InstructionId id) const;
};

class ValueStudy {
 public:
  ~ValueStudy();
  // Computes the entry. Errors as execute(), and "too-large" where its values, which are all kept, take more
  // memory than the request's worker may.
  static Result<std::shared_ptr<ValueStudy>> make(const ValueRequest& request, const JobContext& context);

  const ValueRequest& request() const;
  const ReachedValues& entry() const;

  // What a computation has, where the first way from the entry leads to it; of a loop around it turn `turn`,
  // of loops farther out the first. Kept: the second time it is there at once. Any thread. Error kinds:
  // "no-single-value" (it is applied to many elements, or nothing calls it), "not-taken" (a branch),
  // "no-such-turn", and those of execute().
  Result<std::shared_ptr<const ReachedValues>> reach(ComputationId computation, int64_t turn,
                                                     const JobContext& context);
  // The value where it is computed already; null else. The instruction is of any clone of the module.
  std::shared_ptr<const InstructionValue> known(const Instruction& instruction) const;

 private:
  struct State;
  explicit ValueStudy(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace hilo
