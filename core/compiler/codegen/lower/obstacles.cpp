#include "core/compiler/codegen/lower/obstacles.h"

#include <fmt/format.h>

#include "core/compiler/codegen/emit/applied_computation.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/library_calls.h"
#include "core/runtime/program/program.h"

namespace hilo {

Diagnostic obstacle(const Instruction& instruction, std::string kind, std::string message) {
  Diagnostic diagnostic{Severity::kError, std::move(kind), std::move(message)};
  diagnostic.place.computation = std::string(instruction.parent().name());
  diagnostic.place.instruction = std::string(instruction.name());
  return diagnostic;
}

Diagnostic typeObstacle(const Instruction& instruction, ElementType type) {
  return obstacle(instruction, "unsupported-type",
                  fmt::format("{} has no meaning for {}", instruction.opcodeText(), elementTypeName(type)));
}

std::optional<Diagnostic> appliedObstacle(const Instruction& instruction, const HasHandler&) {
  for (const Computation* applied : instruction.calledComputations()) {
    const Instruction* inner = firstNotApplicable(*applied);
    if (inner == nullptr) continue;
    return obstacle(instruction, "unsupported-opcode",
                    fmt::format("{} applies {}, whose {} is no operation on single elements",
                                instruction.opcodeText(), inner->parent().name(), inner->name()));
  }
  return std::nullopt;
}

std::optional<Diagnostic> integerObstacle(const Instruction& instruction, const HasHandler&) {
  const ElementType type = instruction.operand(0)->shape().elementType();
  return isFloat(type) || isComplex(type) ? std::nullopt : std::optional(typeObstacle(instruction, type));
}

std::optional<Diagnostic> complexObstacle(const Instruction& instruction, const HasHandler&) {
  const ElementType type = instruction.operand(0)->shape().elementType();
  return isComplex(type) ? std::optional(typeObstacle(instruction, type)) : std::nullopt;
}

namespace {

// Of one array.
constexpr int64_t kMostBytes = int64_t{1} << 42;

// What stands in the way of one shape, leaves included.
std::optional<Diagnostic> shapeObstacle(const Instruction& instruction, Shape shape) {
  if (shape.isTuple()) {
    for (const Shape element : shape.tupleShapes()) {
      if (auto found = shapeObstacle(instruction, element)) return found;
    }
    return std::nullopt;
  }
  if (shape.isToken()) return std::nullopt;
  if (!shape.isArray()) {
    return obstacle(instruction, "unsupported-type",
                    fmt::format("{} has no place in memory", elementTypeName(shape.elementType())));
  }
  if (shape.hasUnboundedDimension())
    return obstacle(instruction, "unsupported-dynamic-shape",
                    fmt::format("{} has a dimension without a bound", toString(shape)));
  if (bufferBytes(shape) > kMostBytes)
    return obstacle(instruction, "too-large", fmt::format("{} is larger than any memory", toString(shape)));
  // Tiles and memory spaces say where a device keeps an array; here it lies in the order of its dimensions.
  return std::nullopt;
}

// The arrays of which an operation that moves, orders or keeps values makes its results, one for one; nothing
// of operations that compute new ones, which round to what they declare.
std::vector<Shape> keptArrays(const Instruction& instruction) {
  std::vector<Shape> kept;
  const auto add = [&](Shape shape) { std::ranges::copy(arrayLeaves(shape), std::back_inserter(kept)); };
  switch (instruction.opcode()) {
    case Opcode::AddDependency:
    case Opcode::Copy:
    case Opcode::DynamicReshape:
    case Opcode::Reshape:
    case Opcode::SelectAndScatter:
    case Opcode::SetDimensionSize:
    case Opcode::TopK:
      add(instruction.operand(0)->shape());
      break;
    case Opcode::Rng:
    case Opcode::Sort:
      for (const Instruction* operand : instruction.operands()) add(operand->shape());
      break;
    case Opcode::Scatter:
      for (size_t i = 0; i < instruction.operandCount() / 2; ++i) add(instruction.operand(i)->shape());
      break;
    case Opcode::Scan:
      add(instruction.get<Attr::ToApply>()->root()->shape());
      break;
    default:
      break;
  }
  return kept;
}

// XLA takes any float in place of another; of what is only moved here nothing rounds on the way.
std::optional<Diagnostic> precisionObstacle(const Instruction& instruction) {
  const auto differ = [&](Shape from, Shape to) -> std::optional<Diagnostic> {
    if (from.elementType() == to.elementType()) return std::nullopt;
    return obstacle(instruction, "unsupported-type",
                    fmt::format("{} keeps its values, and makes {} of {}", instruction.opcodeText(),
                                elementTypeName(to.elementType()), elementTypeName(from.elementType())));
  };
  const std::vector<Shape> kept = keptArrays(instruction);
  const auto made = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < std::min<size_t>(kept.size(), made.size()); ++i) {
    if (auto found = differ(kept[i], made[i])) return found;
  }
  if (instruction.opcode() != Opcode::Scan) return std::nullopt;
  const auto taken = instruction.get<Attr::ToApply>()->parameters();
  for (size_t i = 0; i < taken.size(); ++i) {
    if (auto found = differ(instruction.operand(i)->shape(), taken[i]->shape())) return found;
  }
  return std::nullopt;
}

class ObstacleFinder {
 public:
  ObstacleFinder(const CodegenEngine& engine, const HasHandler& hasHandler)
      : engine_(engine), hasHandler_(hasHandler) {}

  Diagnostics found;

  void visit(const Computation& computation) {
    if (!visited_.insert(&computation).second) return;
    for (const Instruction* instruction : computation.instructions()) {
      if (auto problem = obstacleOf(*instruction)) found.push_back(*std::move(problem));
      for (const Computation* called : instruction->calledComputations()) visit(*called);
    }
  }

 private:
  std::optional<Diagnostic> obstacleOf(const Instruction& instruction) const {
    const auto lowering = loweringOf(instruction.opcode(), engine_);
    if (!lowering) {
      return obstacle(
          instruction, "unsupported-opcode",
          fmt::format("the {} engine has no emitter for {}", engine_.name,
                      instruction.opcodeText().empty() ? "an unknown opcode" : instruction.opcodeText()));
    }
    if (auto problem = shapeObstacle(instruction, instruction.shape())) return problem;
    if (const auto options = llvmKernelOptions(instruction); !options) return options.error();
    if (auto problem = engine_.findObstacle(instruction, hasHandler_)) return problem;
    const bool isOfArrays = instruction.shape().isArray() &&
                            std::ranges::all_of(instruction.operands(),
                                                [](const Instruction* o) { return o->shape().isArray(); });
    if (!isOfArrays && lowering->values == LoweredValues::Arrays) {
      return obstacle(instruction, "unsupported-type",
                      fmt::format("{} of a tuple is not compiled", instruction.opcodeText()));
    }
    if (auto problem = precisionObstacle(instruction)) return problem;
    const bool isExpanded = hasAlgorithmOfItsOwn(instruction) || takesPadding(instruction);
    if (isExpanded && !isElementwise(instruction.opcode())) return expansionRefusal(instruction);
    if (auto problem = lowering->findObstacle(instruction, hasHandler_)) return problem;
    return isExpanded ? expansionRefusal(instruction) : std::nullopt;
  }

  const CodegenEngine& engine_;
  const HasHandler& hasHandler_;
  absl::flat_hash_set<const Computation*> visited_;
};

}  // namespace

Diagnostics codegenObstacles(const Module& module, const CodegenEngine& engine,
                             const HasHandler& hasHandler) {
  ObstacleFinder finder(engine, hasHandler);
  const auto [fewest, most] = std::minmax({module.replicaCount(), module.partitionCount()});
  if (fewest < 1 || most > kMostDevices) {
    finder.found.push_back(
        {Severity::kError, fewest < 1 ? "no-devices" : "too-many-devices",
         fmt::format("the module is for {} replicas of {} partitions, a program for 1 to {} of each",
                     module.replicaCount(), module.partitionCount(), kMostDevices)});
  }
  finder.visit(*module.entry());
  return std::move(finder.found);
}

}  // namespace hilo
