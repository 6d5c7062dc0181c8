#include "core/workspace/reduce/module_size.h"

#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"

namespace hilo {
namespace {

int64_t elementsOf(Shape shape) {
  if (shape.isArray()) return shape.elementCount();
  int64_t elements = 0;
  for (const Shape element : shape.isTuple() ? shape.tupleShapes() : std::span<const Shape>())
    elements = saturatingAdd(elements, elementsOf(element));
  return elements;
}

}  // namespace

ModuleSize sizeOf(const Module& module) {
  ModuleSize size{};
  auto& [work, parameters, constants, trips, elements, attributes] = size;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      ++(opcode == Opcode::Parameter ? parameters : opcode == Opcode::Constant ? constants : work);
      if (opcode == Opcode::While) trips = saturatingAdd(trips, tripCount(*instruction).value_or(0));
      elements = saturatingAdd(elements, elementsOf(instruction->shape()));
      attributes += static_cast<int64_t>(instruction->attributes().size());
    }
  }
  attributes += static_cast<int64_t>(module.attributes().all().size());
  return size;
}

}  // namespace hilo
