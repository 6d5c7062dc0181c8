#include "core/hlo/expand/dynamic_expansion.h"

#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

// Sizes are s32, and so is what is computed from them.
constexpr int64_t kLongest = int64_t{1} << 30;

struct Row {
  Opcode opcode;
  Result<Instruction*> (*expand)(DynamicExpansion&);
};
constexpr Row kRows[] = {
#define PADDED(opcode, function) {Opcode::opcode, function},
#include "core/hlo/expand/dynamic_padding.def"
};

const Row* findRow(Opcode opcode) {
  const auto found = std::ranges::find(kRows, opcode, &Row::opcode);
  return found == std::end(kRows) ? nullptr : &*found;
}

bool isDynamicArray(const Instruction* operand) {
  return operand->shape().isArray() && operand->shape().isDynamic();
}

}  // namespace

bool takesPadding(const Instruction& instruction) {
  if (isElementwise(instruction.opcode())) return mayDifferInSizes(instruction);
  return findRow(instruction.opcode()) != nullptr &&
         std::ranges::any_of(instruction.operands(), isDynamicArray);
}

Result<Instruction*> expandDynamicPadding(Instruction& instruction) {
  DynamicExpansion expansion(instruction);
  std::vector<Shape> operands;
  for (const Instruction* operand : instruction.operands()) operands.push_back(operand->shape());
  // So that attributes fit operands.
  TRY(const Shape inferred, inferShape(instruction.opcode(), operands, instruction.attributeList(),
                                       instruction.shape(), &instruction.module()));
  const auto bounds = [](Shape shape) { return shape.withStaticDimensions().withoutLayout(); };
  if (bounds(inferred) != bounds(instruction.shape()))
    return expansion.refuse(fmt::format("gives {}", toString(inferred)));
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().isArray()) return expansion.refuse("takes what is no array");
    for (const int64_t bound : operand->shape().dimensions()) {
      if (bound < 0 || bound > kLongest) return expansion.refuse("has no bound");
    }
  }
  if (isElementwise(instruction.opcode())) return padElementwise(expansion);
  return findRow(instruction.opcode())->expand(expansion);
}

std::unexpected<Diagnostic> DynamicExpansion::refuse(std::string_view why) const {
  Place place;
  place.computation = std::string(call().parent().name());
  place.instruction = std::string(call().name());
  return fail("unsupported-dynamic-shape",
              fmt::format("{} of an array with fewer elements than its bounds {}", call().opcodeText(), why),
              place);
}

Instruction* DynamicExpansion::number(int64_t value) const {
  return call().parent().createConstant(
      Literal::scalar<int32_t>(ElementType::S32,
                               static_cast<int32_t>(std::clamp(value, -kLongest, kLongest))),
      &call());
}

Instruction* DynamicExpansion::zero(ElementType type) const {
  return call().parent().createConstant(Literal(Shape::scalar(type)), &call());
}

RealSizes DynamicExpansion::sizesOf(size_t n) const {
  const Shape shape = operand(n)->shape();
  RealSizes sizes(shape.rank());
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (!shape.isDynamicDimension(d)) continue;
    sizes[d] = add(Opcode::GetDimensionSize, Shape::scalar(ElementType::S32), {operand(n)});
    sizes[d]->set<Attr::Dimensions>(std::array{static_cast<int64_t>(d)});
  }
  return sizes;
}

namespace {

Instruction* withSize(const DynamicExpansion& expansion, Instruction* value, size_t dimension,
                      Instruction* size, bool isDynamic) {
  const Shape from = value->shape();
  std::vector<char> flags(from.rank());
  for (size_t d = 0; d < from.rank(); ++d) flags[d] = d == dimension ? isDynamic : from.isDynamicDimension(d);
  const Shape shape = Shape::dynamicArray(
      from.elementType(), from.dimensions(),
      std::span(reinterpret_cast<const bool*>(flags.data()), flags.size()), from.layout());
  Instruction* sized = expansion.add(Opcode::SetDimensionSize, shape, {value, size});
  sized->set<Attr::Dimensions>(std::array{static_cast<int64_t>(dimension)});
  return sized;
}

}  // namespace

Instruction* DynamicExpansion::whole(size_t n) const {
  Instruction* value = operand(n);
  const Shape shape = value->shape();
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape.isDynamicDimension(d)) value = withSize(*this, value, d, number(shape.dimension(d)), false);
  }
  return value;
}

Instruction* DynamicExpansion::places(Shape shape, size_t dimension) const {
  Instruction* iota = add(Opcode::Iota, shape.withElementType(ElementType::S32), {});
  iota->set<Attr::IotaDimension>(static_cast<int64_t>(dimension));
  return iota;
}

Instruction* DynamicExpansion::filled(Instruction* whole, size_t dimension, Instruction* size,
                                      Instruction* fill) const {
  const Shape shape = whole->shape();
  Instruction* at = places(shape, dimension);
  Instruction* isReal = add(Opcode::Compare, shape.withElementType(ElementType::Pred),
                            {at, broadcastScalar(size, at->shape())});
  isReal->set<Attr::Direction>(ComparisonDirection::Lt);
  return add(Opcode::Select, shape, {isReal, whole, broadcastScalar(fill, shape)});
}

Instruction* DynamicExpansion::size(const RealSizes& sizes, Shape bounds, size_t dimension) const {
  return sizes[dimension] != nullptr ? sizes[dimension] : number(bounds.dimension(dimension));
}

Instruction* DynamicExpansion::atLeast(Instruction* a, int64_t least) const {
  return binary(Opcode::Maximum, a, number(least));
}

Instruction* DynamicExpansion::equals(Instruction* a, Instruction* b) const {
  Instruction* same = add(Opcode::Compare, a->shape().withElementType(ElementType::Pred), {a, b});
  same->set<Attr::Direction>(ComparisonDirection::Eq);
  return same;
}

Instruction* DynamicExpansion::dividedUp(Instruction* a, int64_t b) const {
  return b == 1 ? a : binary(Opcode::Divide, plus(a, number(b - 1)), number(b));
}

Instruction* DynamicExpansion::again(std::span<Instruction* const> operands) const {
  Instruction* made = call().parent().createLike(call(), operands, &call());
  made->setShape(shape().withStaticDimensions());
  return made;
}

Result<Instruction*> DynamicExpansion::give(Instruction* value, const RealSizes& sizes, Shape shape) const {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr) continue;
    if (!shape.isDynamicDimension(d))
      return refuse(fmt::format("gives one too, and its shape does not say so of dimension {}", d));
    value = withSize(*this, value, d, sizes[d], true);
  }
  // Dimensions that are called dynamic and are not.
  value->setShape(shape);
  return value;
}

Result<Instruction*> DynamicExpansion::giveElements(Instruction* value,
                                                    std::span<const RealSizes> sizes) const {
  if (shape().isArray()) return give(value->shape().isTuple() ? element(value, 0) : value, sizes[0]);
  std::vector<Instruction*> elements;
  for (size_t n = 0; n < sizes.size(); ++n) {
    TRY(Instruction * given,
        give(element(value, static_cast<int64_t>(n)), sizes[n], shape().tupleShapes()[n]));
    elements.push_back(given);
  }
  return add(Opcode::Tuple, shape(), elements);
}

}  // namespace hilo
