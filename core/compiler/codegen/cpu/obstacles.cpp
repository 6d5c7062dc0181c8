#include <fmt/format.h>

#include "core/compiler/codegen/cpu/product_methods.h"
#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/lower/backend_attributes.h"
#include "core/compiler/codegen/lower/collective_lowering.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/random_bits.h"
#include "core/runtime/program/program.h"

namespace hilo {
namespace {

// Of one array, and of a line that is transformed, which takes tables of its length.
constexpr int64_t kMostBytes = int64_t{1} << 42, kLongestTransform = int64_t{1} << 24;

Diagnostic obstacle(const Instruction& instruction, std::string kind, std::string message) {
  Diagnostic diagnostic{Severity::kError, std::move(kind), std::move(message)};
  diagnostic.place.computation = std::string(instruction.parent().name());
  diagnostic.place.instruction = std::string(instruction.name());
  return diagnostic;
}

// Opcodes whose result or operands may be tuples.
bool takesTuples(Opcode opcode) {
  switch (opcodeClass(opcode)) {
    case OpcodeClass::Async:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::CustomCall:
    case OpcodeClass::Fusion:
    case OpcodeClass::Ordering:
    case OpcodeClass::Tuple:
      return true;
    default:
      break;
  }
  switch (opcode) {
    case Opcode::BatchNormGrad:
    case Opcode::BatchNormTraining:
    case Opcode::Constant:
    case Opcode::Copy:
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::Parameter:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::RngBitGenerator:
    case Opcode::Scan:
    case Opcode::Scatter:
    case Opcode::Sort:
    case Opcode::TopK:
      return true;
    default:
      return isCommunication(opcode);
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
  if (shape.hasUnboundedDimension())
    return obstacle(instruction, "unsupported-dynamic-shape",
                    fmt::format("{} has a dimension without a bound", toString(shape)));
  if (bufferBytes(shape) > kMostBytes)
    return obstacle(instruction, "too-large", fmt::format("{} is larger than any memory", toString(shape)));
  // Tiles and memory spaces say where a device keeps an array; here it lies in the order of its dimensions.
  return std::nullopt;
}

// What a computation that is applied element by element may be made of: what has a meaning one element at a
// time.
bool isApplicable(const Instruction& inner) {
  switch (inner.opcode()) {
    case Opcode::Constant:
      return inner.shape().isArray() && inner.shape().elementCount() == 1;
    case Opcode::Parameter:
      return inner.shape().isScalar();
    case Opcode::Conditional:
    case Opcode::Call:
    case Opcode::Fusion:
      return std::ranges::all_of(inner.operands(),
                                 [](const Instruction* o) { return o->shape().isScalar(); });
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::Copy:
    case Opcode::Dot:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::GetTupleElement:
    case Opcode::Iota:
    case Opcode::Map:
    case Opcode::OptBarrier:
    case Opcode::Pad:
    case Opcode::PartitionId:
    case Opcode::Reduce:
    case Opcode::ReplicaId:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    case Opcode::Tuple:
      return std::ranges::all_of(inner.operands(), [](const Instruction* o) { return o->shape().isArray(); });
    case Opcode::Bitcast:
      return inner.shape().isScalar() && inner.operand(0)->shape().isScalar();
    default:
      return isElementwise(inner.opcode());
  }
}

std::optional<Diagnostic> appliedObstacle(const Instruction& user, const Computation& computation) {
  for (const Instruction* inner : computation.instructions()) {
    if (!isApplicable(*inner)) {
      return obstacle(user, "unsupported-opcode",
                      fmt::format("{} applies {}, whose {} is no operation on single elements",
                                  user.opcodeText(), computation.name(), inner->name()));
    }
    for (const Computation* called : inner->calledComputations()) {
      if (auto found = appliedObstacle(user, *called)) return found;
    }
  }
  return std::nullopt;
}

bool appliesElementwise(Opcode opcode) {
  return opcode == Opcode::AllReduce || opcode == Opcode::AllReduceStart || opcode == Opcode::ReduceScatter ||
         opcode == Opcode::Map || opcode == Opcode::Reduce || opcode == Opcode::ReduceWindow ||
         opcode == Opcode::Scatter || opcode == Opcode::SelectAndScatter || opcode == Opcode::Sort;
}

// Whole operations on types they have no meaning for.
std::optional<Diagnostic> typeObstacle(const Instruction& instruction) {
  const ElementType type = instruction.operand(0)->shape().elementType(),
                    to = arrayLeaves(instruction.shape())[0].elementType();
  const auto isFit = [&] {
    switch (instruction.opcode()) {
      case Opcode::Rng:
        return !isComplex(type);
      case Opcode::TopK:
        return !isComplex(type);
      case Opcode::StochasticConvert:
        return isFloat(type) && isSigned(to);
      default:
        return isFloat(type) || isComplex(type);
    }
  };
  if (isFit()) return std::nullopt;
  return obstacle(instruction, "unsupported-type",
                  fmt::format("{} has no meaning for {}", instruction.opcodeText(), elementTypeName(type)));
}

// Calls to libraries are expanded before anything is compiled; what others do only a plug-in knows.
using HasHandler = std::function<bool(std::string_view)>;

std::optional<Diagnostic> customCallObstacle(const Instruction& instruction, const HasHandler& hasHandler) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  const bool isOfPlugin = !isLibraryCall(target) && hasHandler && hasHandler(target);
  if (!isOfPlugin) return expansionRefusal(instruction);
  if (instruction.get<Attr::ApiVersion>() != CustomCallApiVersion::TypedFfi) return std::nullopt;
  const auto attributes = parseBackendAttributes(instruction.get<Attr::BackendConfig>());
  if (attributes) return std::nullopt;
  return obstacle(instruction, attributes.error().kind, attributes.error().message);
}

// What crosses to the host or from there has no sizes beside it.
std::optional<Diagnostic> hostObstacle(const Instruction& instruction) {
  const bool isInfeed = instruction.opcode() == Opcode::Infeed;
  for (const Shape leaf : arrayLeaves(isInfeed ? instruction.shape() : instruction.operand(0)->shape())) {
    if (leaf.isDynamic()) {
      return obstacle(instruction, "unsupported-dynamic-shape",
                      fmt::format("{} of {}, which may have fewer elements than its bounds",
                                  instruction.opcodeText(), toString(leaf)));
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> specificObstacle(const Instruction& instruction, const HasHandler& hasHandler) {
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
  if (opcode == Opcode::RngBitGenerator) {
    if (!randomBitsShape(instruction).isArray())
      return obstacle(instruction, "unsupported-opcode", "rng-bit-generator that gives no array");
    const ElementType type = randomBitsShape(instruction).elementType();
    if (isComplex(type) || type == ElementType::Pred)
      return obstacle(instruction, "unsupported-type", fmt::format("random {}", elementTypeName(type)));
  }
  if (opcode == Opcode::Bitcast &&
      (!instruction.operand(0)->shape().isArray() ||
       bufferBytes(instruction.shape()) != bufferBytes(instruction.operand(0)->shape()))) {
    return obstacle(instruction, "unsupported-layout",
                    fmt::format("bitcast from {} to {} changes the number of bytes",
                                toString(instruction.operand(0)->shape()), toString(instruction.shape())));
  }
  if (opcode == Opcode::CustomCall) return customCallObstacle(instruction, hasHandler);
  if (hasAlgorithmOfItsOwn(instruction) || takesPadding(instruction)) return expansionRefusal(instruction);
  if (opcode == Opcode::Infeed || opcode == Opcode::Outfeed) return hostObstacle(instruction);
  if (isCommunication(opcode)) {
    if (auto why = communicationObstacle(instruction))
      return obstacle(instruction, "unsupported-opcode",
                      fmt::format("{}: {}", instruction.opcodeText(), *why));
  }
  if (opcode == Opcode::Fft) {
    for (const int64_t length : instruction.get<Attr::FftLength>()) {
      if (length > kLongestTransform)
        return obstacle(instruction, "too-large", fmt::format("a transform of {} numbers", length));
    }
  }
  if (opcode == Opcode::Rng || opcode == Opcode::Cholesky || opcode == Opcode::TriangularSolve ||
      opcode == Opcode::TopK || opcode == Opcode::StochasticConvert) {
    return typeObstacle(instruction);
  }
  if (appliesElementwise(opcode)) {
    for (const Computation* applied : instruction.calledComputations()) {
      if (auto found = appliedObstacle(instruction, *applied)) return found;
    }
  }
  return std::nullopt;
}

// Whether what is stated can be done is seen when the arrays lie as they are to.
std::optional<Diagnostic> methodObstacle(const Instruction& instruction) {
  const bool isProduct = instruction.opcode() == Opcode::Dot || instruction.opcode() == Opcode::Convolution;
  const auto stated = isProduct ? statedProductMethod(instruction) : productMethodFor(instruction);
  return stated ? std::nullopt : std::optional(stated.error());
}

class ObstacleFinder {
 public:
  explicit ObstacleFinder(const HasHandler& hasHandler) : hasHandler_(hasHandler) {}

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
    if (instruction.opcode() == Opcode::Opaque) {
      return obstacle(
          instruction, "unsupported-opcode",
          fmt::format("the cpu engine has no emitter for {}",
                      instruction.opcodeText().empty() ? "an unknown opcode" : instruction.opcodeText()));
    }
    if (auto problem = shapeObstacle(instruction, instruction.shape())) return problem;
    if (const auto options = llvmKernelOptions(instruction); !options) return options.error();
    if (auto problem = methodObstacle(instruction)) return problem;
    const bool isOfArrays = instruction.shape().isArray() &&
                            std::ranges::all_of(instruction.operands(),
                                                [](const Instruction* o) { return o->shape().isArray(); });
    if (!isOfArrays && !takesTuples(instruction.opcode())) {
      return obstacle(instruction, "unsupported-type",
                      fmt::format("{} of a tuple is not compiled", instruction.opcodeText()));
    }
    return specificObstacle(instruction, hasHandler_);
  }

  const HasHandler& hasHandler_;
  absl::flat_hash_set<const Computation*> visited_;
};

}  // namespace

Diagnostics codegenObstacles(const Module& module, const HasHandler& hasHandler) {
  ObstacleFinder finder(hasHandler);
  finder.visit(*module.entry());
  return std::move(finder.found);
}

}  // namespace hilo
