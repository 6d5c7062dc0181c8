#include "core/workspace/reduce/module_size.h"

#include <ranges>

#include "core/analysis/call_graph.h"
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

// By id of a computation, how often it would be there if every call had one of its own, and so at least once.
std::vector<int64_t> waysInto(const Module& module) {
  uint32_t limit = 0;
  for (const Computation* computation : module.computations())
    limit = std::max(limit, computation->id().value + 1);
  const auto graph = CallGraph::build(module);
  if (!graph) return std::vector<int64_t>(limit, 1);
  std::vector<int64_t> ways(limit, 0);
  for (const Computation* computation : graph->postOrder() | std::views::reverse) {
    int64_t& own = ways[computation->id().value];
    own = std::max<int64_t>(own, 1);
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations())
        ways[called->id().value] = saturatingAdd(ways[called->id().value], own);
    }
  }
  return ways;
}

}  // namespace

ModuleSize sizeOf(const Module& module) {
  ModuleSize size{};
  auto& [work, parameters, constants, trips, elements, attributes] = size;
  const std::vector<int64_t> ways = waysInto(module);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      int64_t& kind = opcode == Opcode::Parameter  ? parameters
                      : opcode == Opcode::Constant ? constants
                                                   : work;
      kind = saturatingAdd(kind, ways[computation->id().value]);
      if (opcode == Opcode::While) trips = saturatingAdd(trips, tripCount(*instruction).value_or(0));
      elements = saturatingAdd(elements, elementsOf(instruction->shape()));
      attributes += static_cast<int64_t>(instruction->attributes().size());
    }
  }
  attributes +=
      static_cast<int64_t>(module.attributes().all().size()) + (module.stackFrames().empty() ? 0 : 1);
  return size;
}

}  // namespace hilo
