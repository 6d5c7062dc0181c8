// Rules on the shape of an instruction and what goes with it.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/op_facts.h"
#include "core/hlo/verify/rules.h"
#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

std::string splitProblem(Shape shape, const Layout& layout) {
  std::vector<bool> split(shape.rank(), false);
  for (const SplitConfig& config : layout.splitConfigs) {
    if (config.dimension < 0 || config.dimension >= static_cast<int64_t>(shape.rank())) {
      return fmt::format("a split names physical dimension {}, the rank is {}", config.dimension,
                         shape.rank());
    }
    const auto physical = static_cast<size_t>(config.dimension);
    if (split[physical]) return fmt::format("physical dimension {} is split twice", physical);
    split[physical] = true;
    const int64_t logical = layout.minorToMajor[layout.minorToMajor.size() - 1 - physical];
    int64_t last = 0;
    for (int64_t index : config.splitIndices) {
      if (index <= last || index >= shape.dimension(static_cast<size_t>(logical))) {
        return fmt::format("split index {} of a dimension of {} does not ascend inside it", index,
                           shape.dimension(static_cast<size_t>(logical)));
      }
      last = index;
    }
  }
  return {};
}

// What is wrong with the layout of an array; empty when nothing is.
std::string layoutProblem(Shape shape) {
  const Layout* layout = shape.layout();
  if (layout == nullptr) return {};
  const size_t rank = shape.rank();
  const auto& order = layout->minorToMajor;
  if (order.size() != rank)
    return fmt::format("the layout orders {} dimensions, the array has {}", order.size(), rank);
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(rank)) {
      return fmt::format("the layout orders dimension {}, expected 0 to {}", dimension,
                         static_cast<int64_t>(rank) - 1);
    }
    if (seen[static_cast<size_t>(dimension)])
      return fmt::format("the layout orders dimension {} twice", dimension);
    seen[static_cast<size_t>(dimension)] = true;
  }
  for (const Tile& tile : layout->tiles) {
    const bool valid = !tile.dimensions.empty() && std::ranges::all_of(tile.dimensions, [](int64_t size) {
      return size > 0 || size == Tile::kCombineDimension;
    });
    if (!valid) return "a tile has no or non-positive sizes";
  }
  if (layout->tailPaddingAlignment <= 0)
    return fmt::format("tail padding alignment is {}", layout->tailPaddingAlignment);
  if (layout->elementSizeInBits < 0) return fmt::format("element size is {} bits", layout->elementSizeInBits);
  const bool isSparse = !layout->dimLevels.empty();
  if (!isSparse &&
      (layout->indexPrimitiveType || layout->pointerPrimitiveType || !layout->physicalShape.empty())) {
    return "a dense layout has an index type, pointer type or physical shape";
  }
  return splitProblem(shape, *layout);
}

void addShapeFacts(Shape shape, ShapeFacts& facts) {
  if (shape.isBuffer()) {
    facts.hasBuffer = true;
    addShapeFacts(shape.bufferShape(), facts);
  }
  for (Shape element : shape.tupleShapes()) addShapeFacts(element, facts);
  if (shape.isArray() && facts.layoutProblem.empty()) facts.layoutProblem = layoutProblem(shape);
}

}  // namespace

ShapeFacts shapeFacts(Shape shape) {
  ShapeFacts facts{.hasUnbounded = shape.isDynamic() && shape.hasUnboundedDimension()};
  addShapeFacts(shape, facts);
  return facts;
}

void verifyLayouts(const Instruction& instruction, VerifyContext& context) {
  const ShapeFacts& facts = context.facts(instruction.shape());
  if (!facts.layoutProblem.empty()) {
    context.report.error(VerifyKind::LayoutInvalid, instruction,
                         fmt::format("{} has the shape {}: {}", instruction.name(),
                                     toString(instruction.shape()), facts.layoutProblem));
  }
  if (facts.hasUnbounded && !context.options.allowUnboundedShapes) {
    context.report.error(
        VerifyKind::UnboundedShape, instruction,
        fmt::format("{} has the unbounded shape {}", instruction.name(), toString(instruction.shape())));
  }
}

namespace {

// How closely the written shape must follow the inferred one.
enum class Follows : uint8_t { AnyFloatWidth, Exactly, ExactlyWithLayout, ExactlyWithOrder };

Follows follows(Opcode opcode) {
  if (hasFact(opcode, OpFact::ExactLayout)) return Follows::ExactlyWithLayout;
  if (hasFact(opcode, OpFact::ExactOrder)) return Follows::ExactlyWithOrder;
  return hasFact(opcode, OpFact::ExactType) ? Follows::Exactly : Follows::AnyFloatWidth;
}

// A tuple of its operands' very shapes is right without interning another.
bool isPlainlyRight(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  if (instruction.opcode() == Opcode::Tuple) {
    const auto elements = shape.tupleShapes();
    return shape.isTuple() && std::ranges::equal(elements, instruction.operands(),
                                                 [](Shape element, const Instruction* operand) {
                                                   return element == operand->shape();
                                                 });
  }
  return false;
}

bool layoutAgrees(const InferredShape& inferred, const Instruction& instruction, Follows how) {
  const Shape* shape = std::get_if<Shape>(&inferred);
  if (shape == nullptr || (how != Follows::ExactlyWithLayout && how != Follows::ExactlyWithOrder))
    return true;
  // A literal has no layout of its own.
  if (instruction.opcode() == Opcode::Constant) return true;
  LayoutComparison comparison{.onlyMinorToMajor = how == Follows::ExactlyWithOrder};
  if (instruction.opcode() == Opcode::DynamicUpdateSlice)
    comparison = {.ignoreTiles = true, .ignoreMemorySpace = true};
  return sameWithLayout(*shape, instruction.shape(), comparison);
}

void reportMismatch(const InferredShape& inferred, const Instruction& instruction, VerifyContext& context) {
  const bool isConstant = instruction.opcode() == Opcode::Constant;
  context.report.error(
      isConstant ? VerifyKind::LiteralShape : VerifyKind::ResultShape, instruction,
      fmt::format("{} {}: expected {}, got {}", isConstant ? "the literal of" : instruction.opcodeText(),
                  instruction.name(), toString(internShape(inferred).withoutLayout()),
                  toString(instruction.shape().withoutLayout())));
}

}  // namespace

void verifyResultShape(const Instruction& instruction, VerifyContext& context) {
  if (isPlainlyRight(instruction)) return;
  std::vector<Shape>& operands = context.operandShapes;
  operands.clear();
  for (const Instruction* operand : instruction.operands()) operands.push_back(operand->shape());
  const OpView op{.opcode = instruction.opcode(),
                  .opcodeText = instruction.opcodeText(),
                  .operands = operands,
                  .attributes = instruction.attributeList(),
                  .declared = instruction.shape(),
                  .replicaCount = context.replicaCount,
                  .partitionCount = context.partitionCount};
  if (op.opcode == Opcode::Opaque) {
    context.report.warning(VerifyKind::UnknownOpcode, instruction,
                           fmt::format("opcode {} is not known", op.opcodeText));
    return;
  }
  if (const auto arity = opcodeArity(op.opcode); arity && static_cast<size_t>(*arity) != operands.size()) {
    context.report.add(std::move(expectOperands(op, static_cast<size_t>(*arity)).error()), instruction);
    return;
  }
  InferResult inferred = shapeRule(op.opcode)(op);
  if (!inferred) {
    context.report.add(std::move(inferred.error()), instruction);
    return;
  }
  const Follows how = follows(op.opcode);
  if (!agrees(*inferred, instruction.shape(), how == Follows::AnyFloatWidth)) {
    reportMismatch(*inferred, instruction, context);
  } else if (context.options.layoutSensitive && !layoutAgrees(*inferred, instruction, how)) {
    context.report.error(VerifyKind::LayoutChanged, instruction,
                         fmt::format("{} hands on {}, got {}", instruction.name(),
                                     toString(internShape(*inferred)), toString(instruction.shape())));
  }
  if (!context.options.allowMixedPrecision) verifyOnePrecision(instruction, context);
}

void verifyOnePrecision(const Instruction& instruction, VerifyContext& context) {
  if (hasFact(instruction.opcode(), OpFact::MixesPrecision)) return;
  switch (opcodeClass(instruction.opcode())) {
    case OpcodeClass::Collective:
    case OpcodeClass::Communication:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::Fusion:
    case OpcodeClass::CustomCall:
    case OpcodeClass::Async:
    case OpcodeClass::Tuple:
    case OpcodeClass::Leaf:
    case OpcodeClass::Ordering:
      return;
    default:
      break;
  }
  const Instruction* first = nullptr;
  for (const Instruction* operand : instruction.operands()) {
    if (!isFloat(operand->shape().elementType())) continue;
    if (first == nullptr) first = operand;
    if (operand->shape().elementType() == first->shape().elementType()) continue;
    context.report.error(
        VerifyKind::MixedPrecision, instruction,
        fmt::format("operands of {} are {} and {}; mixed precision is not allowed", instruction.name(),
                    toString(first->shape()), toString(operand->shape())));
    return;
  }
}

void verifyComparisonType(const Instruction& instruction, VerifyContext& context) {
  const auto type = instruction.get<Attr::ComparisonTypeKind>();
  if (!type || instruction.operandCount() != 2) return;
  const ElementType element = instruction.operand(1)->shape().elementType();
  bool fits = false;
  switch (elementClass(element)) {
    case ElementClass::Float:
      fits = *type == ComparisonType::Float || *type == ComparisonType::TotalOrder;
      break;
    case ElementClass::Complex:
      fits = *type == ComparisonType::Float;
      break;
    case ElementClass::Signed:
      fits = *type == ComparisonType::Signed;
      break;
    case ElementClass::Unsigned:
    case ElementClass::Pred:
      fits = *type == ComparisonType::Unsigned;
      break;
    case ElementClass::Other:
      return;  // not an array: the shape rule says so
  }
  if (fits) return;
  context.report.error(
      VerifyKind::ComparisonType, instruction,
      fmt::format("type={} does not compare {} values", enumText(*type), elementTypeName(element)),
      "leave type out for the usual comparison");
}

void verifyResultAccuracy(const Instruction& instruction, VerifyContext& context) {
  if (hasFact(instruction.opcode(), OpFact::Accurate)) return;
  context.report.error(VerifyKind::ResultAccuracy, instruction,
                       fmt::format("{} takes no result_accuracy", instruction.opcodeText()));
}

namespace {

bool hasStructureOf(const OriginalValueNode& node, Shape shape) {
  if (node.isTuple != shape.isTuple()) return false;
  return std::ranges::equal(node.elements, shape.tupleShapes(), hasStructureOf);
}

}  // namespace

void verifyOriginalValue(const Instruction& instruction, VerifyContext& context) {
  const OriginalValue* origin = instruction.get<Attr::Origin>();
  if (origin == nullptr || origin->isSyntheticCall || hasStructureOf(origin->root, instruction.shape()))
    return;
  context.report.error(VerifyKind::OriginalValue, instruction,
                       fmt::format("origin of {} has not the tuple structure of its shape {}",
                                   instruction.name(), toString(instruction.shape().withoutLayout())));
}

void verifyBitcast(const Instruction& instruction, VerifyContext& context) {
  constexpr int64_t kHostMemorySpace = 5;
  if (!context.options.layoutSensitive || instruction.operandCount() != 1) return;
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (!from.isArray() || !to.isArray()) return;
  if (from.byteSize() != to.byteSize()) {
    context.report.error(VerifyKind::ElementCount, instruction,
                         fmt::format("bitcast of {} ({} bytes) gives {} ({} bytes)", toString(from),
                                     from.byteSize(), toString(to), to.byteSize()));
  }
  if (from.layout() == nullptr || to.layout() == nullptr) return;
  const Instruction* source = instruction.operand(0);
  while (source->opcode() == Opcode::Copy && source->operandCount() == 1) source = source->operand(0);
  const bool crosses =
      (from.layout()->memorySpace == kHostMemorySpace) != (to.layout()->memorySpace == kHostMemorySpace);
  if (source->opcode() == Opcode::Constant || !crosses) return;
  context.report.error(VerifyKind::MemorySpace, instruction,
                       fmt::format("bitcast goes from memory space {} to {}", from.layout()->memorySpace,
                                   to.layout()->memorySpace),
                       "move it with a copy");
}

}  // namespace hilo
