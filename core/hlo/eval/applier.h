// Applies the computation of reduce, map, scatter and their kin to scalars: by its ScalarProgram where it has
// one, else by running the computation on scalar literals, one element at a time.
#pragma once

#include "core/hlo/eval/eval_context.h"

namespace hilo {

class Applier {
 public:
  // Checks that the computation takes scalars of these types and gives scalars of those, alone or as a tuple.
  static Result<Applier> make(const Instruction& instruction, const Computation* computation,
                              std::span<const ElementType> parameters, std::span<const ElementType> results,
                              EvalContext& context);

  // Lanes side by side: parameters[i] points at `count` elements, results[i] receives as many. A result may
  // be the same array as a parameter.
  Status apply(const void* const* parameters, void* const* results, int64_t count);

  const ScalarProgram* program() const { return program_; }

 private:
  Applier(const Computation& computation, EvalContext& context)
      : computation_(&computation), context_(&context) {}
  Status applyByLiterals(const void* const* parameters, void* const* results, int64_t count);

  const Computation* computation_;
  EvalContext* context_;
  const ScalarProgram* program_ = nullptr;
  std::unique_ptr<ScalarProgram::Scratch> scratch_;
  std::vector<ElementType> parameterTypes_;
  std::vector<ElementType> resultTypes_;
};

}  // namespace hilo
