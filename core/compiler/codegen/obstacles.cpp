#include <fmt/format.h>

#include "core/compiler/codegen/compile_module.h"
#include "core/compiler/codegen/kernel_builder.h"

namespace hilo {
namespace {

Diagnostic obstacle(const Instruction& instruction, std::string kind, std::string message) {
  Diagnostic diagnostic{Severity::kError, std::move(kind), std::move(message)};
  diagnostic.place.computation = std::string(instruction.parent().name());
  diagnostic.place.instruction = std::string(instruction.name());
  return diagnostic;
}

// Opcodes with an emitter, elementwise ones aside.
bool hasEmitter(Opcode opcode) {
  switch (opcode) {
    case Opcode::AddDependency:
    case Opcode::AfterAll:
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Call:
    case Opcode::Concatenate:
    case Opcode::Conditional:
    case Opcode::Constant:
    case Opcode::Convolution:
    case Opcode::Copy:
    case Opcode::Domain:
    case Opcode::Dot:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Fusion:
    case Opcode::Gather:
    case Opcode::GetDimensionSize:
    case Opcode::GetTupleElement:
    case Opcode::Iota:
    case Opcode::Map:
    case Opcode::OptBarrier:
    case Opcode::Pad:
    case Opcode::Parameter:
    case Opcode::PartitionId:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::ReplicaId:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::RngBitGenerator:
    case Opcode::Scatter:
    case Opcode::Slice:
    case Opcode::Sort:
    case Opcode::Transpose:
    case Opcode::Tuple:
    case Opcode::While:
      return true;
    default:
      return isElementwise(opcode) && opcode != Opcode::StochasticConvert;
  }
}

// Opcodes whose result or operands may be tuples.
bool takesTuples(Opcode opcode) {
  switch (opcode) {
    case Opcode::AddDependency:
    case Opcode::AfterAll:
    case Opcode::Call:
    case Opcode::Conditional:
    case Opcode::Copy:
    case Opcode::Domain:
    case Opcode::Fusion:
    case Opcode::GetTupleElement:
    case Opcode::OptBarrier:
    case Opcode::Parameter:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::RngBitGenerator:
    case Opcode::Scatter:
    case Opcode::Sort:
    case Opcode::Tuple:
    case Opcode::While:
      return true;
    default:
      return false;
  }
}

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
  if (shape.isDynamic())
    return obstacle(instruction, "unsupported-dynamic-shape",
                    fmt::format("{} has dynamic dimensions, which are not compiled", toString(shape)));
  const Layout* layout = shape.layout();
  if (layout != nullptr &&
      (!layout->tiles.empty() || !layout->dimLevels.empty() || !layout->splitConfigs.empty()))
    return obstacle(
        instruction, "unsupported-layout",
        fmt::format("{} has a tiled, sparse or split layout, which is not compiled", toString(shape)));
  return std::nullopt;
}

// A computation that is applied element by element must be made of scalars and operations on them.
std::optional<Diagnostic> appliedObstacle(const Instruction& user, const Computation& computation) {
  for (const Instruction* inner : computation.instructions()) {
    const Opcode opcode = inner->opcode();
    const bool isCall = opcode == Opcode::Call || opcode == Opcode::Fusion;
    const bool isScalarTuple = opcode == Opcode::Tuple && inner->isRoot();
    const bool isKnown = isElementwise(opcode) || opcode == Opcode::Parameter || opcode == Opcode::Constant ||
                         opcode == Opcode::Copy || opcode == Opcode::Reshape || opcode == Opcode::Broadcast ||
                         opcode == Opcode::Bitcast || isScalarTuple || (isCall && inner->shape().isArray());
    if (!isKnown || (!isScalarTuple && !inner->shape().isScalar())) {
      return obstacle(user, "unsupported-opcode",
                      fmt::format("{} applies {}, whose {} is no operation on scalars", user.opcodeText(),
                                  computation.name(), inner->name()));
    }
    if (isCall) {
      if (auto found = appliedObstacle(user, *inner->calledComputations()[0])) return found;
    }
  }
  return std::nullopt;
}

bool appliesElementwise(Opcode opcode) {
  return opcode == Opcode::Map || opcode == Opcode::Reduce || opcode == Opcode::ReduceWindow ||
         opcode == Opcode::Scatter || opcode == Opcode::Sort;
}

std::optional<Diagnostic> specificObstacle(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (isElementwise(opcode) && !canEmitElementwise(opcode, instruction.operand(0)->shape().elementType())) {
    return obstacle(instruction, "unsupported-type",
                    fmt::format("{} has no meaning for {}", instruction.opcodeText(),
                                elementTypeName(instruction.operand(0)->shape().elementType())));
  }
  if (opcode == Opcode::Compare && isComplex(instruction.operand(0)->shape().elementType()) &&
      instruction.get<Attr::Direction>() != ComparisonDirection::Eq &&
      instruction.get<Attr::Direction>() != ComparisonDirection::Ne) {
    return obstacle(instruction, "unsupported-type", "complex numbers have no order");
  }
  if (opcode == Opcode::Constant && instruction.literal().isElided())
    return obstacle(instruction, "elided-constant", "the values of the constant are missing");
  if (opcode == Opcode::Constant && !instruction.shape().isArray())
    return obstacle(instruction, "unsupported-opcode", "a constant tuple");
  if (opcode == Opcode::RngBitGenerator) {
    const ElementType type = instruction.shape().tupleShapes()[1].elementType();
    if (isComplex(type) || type == ElementType::Pred)
      return obstacle(instruction, "unsupported-type", fmt::format("random {}", elementTypeName(type)));
  }
  if (opcode == Opcode::Bitcast) {
    const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
    if (!from.isArray() || from.elementCount() != to.elementCount() ||
        elementBits(from.elementType()) != elementBits(to.elementType())) {
      return obstacle(
          instruction, "unsupported-layout",
          fmt::format("bitcast from {} to {} regroups the bits of elements", toString(from), toString(to)));
    }
  }
  if (opcode == Opcode::Sort) {
    for (const Instruction* operand : instruction.operands()) {
      if (!sameMemoryOrder(operand->shape(), instruction.operand(0)->shape()))
        return obstacle(instruction, "unsupported-layout", "the arrays of a sort have different layouts");
    }
    for (const Shape leaf : arrayLeaves(instruction.shape())) {
      if (!sameMemoryOrder(leaf, instruction.operand(0)->shape()))
        return obstacle(instruction, "unsupported-layout", "a sort changes its layout");
    }
  }
  if (appliesElementwise(opcode)) return appliedObstacle(instruction, *instruction.get<Attr::ToApply>());
  return std::nullopt;
}

class ObstacleFinder {
 public:
  Diagnostics found;

  void visit(const Computation& computation) {
    if (!visited_.insert(&computation).second) return;
    for (const Instruction* instruction : computation.instructions()) {
      if (auto problem = obstacleOf(*instruction)) found.push_back(*std::move(problem));
      for (const Computation* called : instruction->calledComputations()) visit(*called);
    }
  }

 private:
  static std::optional<Diagnostic> obstacleOf(const Instruction& instruction) {
    if (!hasEmitter(instruction.opcode())) {
      return obstacle(
          instruction, "unsupported-opcode",
          fmt::format("the cpu engine has no emitter for {}",
                      instruction.opcodeText().empty() ? "an unknown opcode" : instruction.opcodeText()));
    }
    if (auto problem = shapeObstacle(instruction, instruction.shape())) return problem;
    const bool isOfArrays = instruction.shape().isArray() &&
                            std::ranges::all_of(instruction.operands(),
                                                [](const Instruction* o) { return o->shape().isArray(); });
    if (!isOfArrays && !takesTuples(instruction.opcode())) {
      return obstacle(instruction, "unsupported-type",
                      fmt::format("{} of a tuple is not compiled", instruction.opcodeText()));
    }
    return specificObstacle(instruction);
  }

  absl::flat_hash_set<const Computation*> visited_;
};

}  // namespace

Diagnostics codegenObstacles(const Module& module) {
  ObstacleFinder finder;
  finder.visit(*module.entry());
  return std::move(finder.found);
}

}  // namespace hilo
