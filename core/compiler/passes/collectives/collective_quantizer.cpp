#include "core/compiler/passes/collectives/collective_quantizer.h"

#include "core/compiler/passes/collectives/same_on_devices.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// A conversion with what scales, and what stands between it and the collective, in order of the data.
struct Quantization {
  Instruction* collective = nullptr;
  Instruction* convert = nullptr;
  Instruction* scaling = nullptr;  // null: a conversion alone
  Instruction* scale = nullptr;    // the broadcast number
  Instruction* clamp = nullptr;    // behind the scaling, in front of a conversion to a narrower type
  std::vector<Instruction*> shapes;
};

bool isCollective(const Instruction& i) {
  return i.operandCount() == 1 && i.shape().isArray() &&
         (i.opcode() == Opcode::AllGather || i.opcode() == Opcode::AllToAll ||
          i.opcode() == Opcode::CollectiveBroadcast || i.opcode() == Opcode::CollectivePermute);
}

bool onlyMoves(const Instruction& i) {
  return i.opcode() == Opcode::Copy || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Slice ||
         (i.opcode() == Opcode::Bitcast && i.shape().elementType() == i.operand(0)->shape().elementType());
}

int bitsOf(const Instruction& i) { return elementBits(i.shape().elementType()); }

bool widens(const Instruction& i) {
  return i.opcode() == Opcode::Convert && bitsOf(i) > bitsOf(*i.operand(0));
}

bool narrows(const Instruction& i) {
  return i.opcode() == Opcode::Convert && bitsOf(i) < bitsOf(*i.operand(0));
}

bool repeatsNumber(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast && i.operand(0)->shape().elementCount() == 1;
}

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

// Of a product or quotient with one number, which operand is the number; nullopt: it is none.
std::optional<size_t> scaleOf(const Instruction& i) {
  if (i.opcode() != Opcode::Multiply && i.opcode() != Opcode::Divide) return std::nullopt;
  if (repeatsNumber(*i.operand(1))) return 1;
  return i.opcode() == Opcode::Multiply && repeatsNumber(*i.operand(0)) ? std::optional<size_t>(0)
                                                                        : std::nullopt;
}

bool mayScaleElsewhere(const Quantization& found) {
  return found.scaling == nullptr || isSameOnDevicesOf(*found.scale, *found.collective);
}

std::optional<Quantization> wideningBefore(const Instruction& collective) {
  if (!isCollective(collective)) return std::nullopt;
  Quantization found{.collective = const_cast<Instruction*>(&collective)};
  Instruction* value = collective.operand(0);
  for (; onlyMoves(*value); value = value->operand(0)) found.shapes.insert(found.shapes.begin(), value);
  if (const auto scale = scaleOf(*value)) {
    found.scaling = value;
    found.scale = value->operand(*scale);
    value = value->operand(1 - *scale);
  }
  if (!widens(*value)) return std::nullopt;
  found.convert = value;
  return mayScaleElsewhere(found) ? std::optional(found) : std::nullopt;
}

bool clampsToNumbers(const Instruction& i) {
  const auto isNumber = [](const Instruction& bound) {
    return repeatsNumber(bound) && bound.operand(0)->opcode() == Opcode::Constant;
  };
  return i.opcode() == Opcode::Clamp && isNumber(*i.operand(0)) && isNumber(*i.operand(2)) && isReadOnce(i);
}

std::optional<Quantization> narrowingBehind(const Instruction& convert) {
  if (!narrows(convert)) return std::nullopt;
  Quantization found{.convert = const_cast<Instruction*>(&convert)};
  Instruction* value = convert.operand(0);
  if (clampsToNumbers(*value)) {
    found.clamp = value;
    found.scaling = value->operand(1);
    const auto scale = scaleOf(*found.scaling);
    if (!scale || !isReadOnce(*found.scaling)) return std::nullopt;
    found.scale = found.scaling->operand(*scale);
    value = found.scaling->operand(1 - *scale);
  }
  for (; onlyMoves(*value) && isReadOnce(*value); value = value->operand(0))
    found.shapes.insert(found.shapes.begin(), value);
  if (!isCollective(*value) || !isReadOnce(*value) || value->has(Attr::ControlPredecessors))
    return std::nullopt;
  found.collective = value;
  return mayScaleElsewhere(found) ? std::optional(found) : std::nullopt;
}

bool isWidened(const Instruction& i) { return wideningBefore(i).has_value(); }
bool isNarrowed(const Instruction& i) { return narrowingBehind(i).has_value(); }

// The same operation of other operands and another shape.
Instruction* again(const Instruction& i, std::initializer_list<Instruction*> operands, Shape shape,
                   Instruction& before) {
  Instruction* made = before.parent().createLike(
      i, std::span<Instruction* const>(operands.begin(), operands.size()), &before);
  made->setShape(shape);
  return made;
}

Instruction* numberAs(const Instruction& broadcast, Shape shape, Instruction& before) {
  return again(broadcast, {reshapeTo(broadcast.operand(0), {}, before)}, shape, before);
}

Instruction* scaledAgain(const Quantization& found, Instruction* value, Instruction& before) {
  Instruction* scale = numberAs(*found.scale, value->shape(), before);
  return found.scaling->operand(1) == found.scale
             ? again(*found.scaling, {value, scale}, value->shape(), before)
             : again(*found.scaling, {scale, value}, value->shape(), before);
}

Instruction* movedAgain(const Quantization& found, Instruction* value, Instruction& before) {
  for (const Instruction* move : found.shapes)
    value = again(*move, {value}, move->shape().withElementType(value->shape().elementType()), before);
  return value;
}

Instruction* widenedBehind(Instruction& collective) {
  const Quantization found = *wideningBefore(collective);
  Instruction* value = movedAgain(found, found.convert->operand(0), collective);
  const ElementType narrow = value->shape().elementType();
  value = again(collective, {value}, collective.shape().withElementType(narrow), collective);
  value = again(*found.convert, {value}, collective.shape(), collective);
  return found.scaling == nullptr ? value : scaledAgain(found, value, collective);
}

Instruction* narrowedBefore(Instruction& convert) {
  const Quantization found = *narrowingBehind(convert);
  Instruction* value = found.collective->operand(0);
  const Shape shape = value->shape();
  if (found.scaling != nullptr) {
    value = scaledAgain(found, value, convert);
    Instruction* least = numberAs(*found.clamp->operand(0), shape, convert);
    Instruction* most = numberAs(*found.clamp->operand(2), shape, convert);
    value = again(*found.clamp, {least, value, most}, shape, convert);
  }
  const ElementType narrow = convert.shape().elementType();
  value = again(convert, {value}, shape.withElementType(narrow), convert);
  value = again(*found.collective, {value}, found.collective->shape().withElementType(narrow), convert);
  return movedAgain(found, value, convert);
}

}  // namespace

Result<bool> quantizeCollectives(Module& module, PassContext& context) {
  const bool widened = rewriteEach(module, context, "widened later", isWidened, widenedBehind);
  return rewriteEach(module, context, "narrowed earlier", isNarrowed, narrowedBefore) || widened;
}

}  // namespace hilo
