#include "core/hlo/ir/parameters.h"

namespace hilo {

void registerParameters(Computation& computation, std::span<Instruction* const> parameters) {
  for (Instruction* parameter : parameters) {
    const int64_t number = parameter->parameterNumber();
    if (number < static_cast<int64_t>(parameters.size())) computation.registerParameter(parameter, number);
  }
}

}  // namespace hilo
