#include "core/compiler/passes/canonicalize/dynamic_padder.h"

#include <limits>

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

// The size that was set of the dimension, through sizes set of others; null where none was.
Instruction* sizeSet(const Instruction& i) {
  const int64_t dimension = i.dimensions()[0];
  Instruction* array = i.operand(0);
  while (array->opcode() == Opcode::SetDimensionSize && array->dimensions()[0] != dimension)
    array = array->operand(0);
  const bool isSet = array->opcode() == Opcode::SetDimensionSize;
  return isSet && array->operand(1)->shape() == i.shape() ? array->operand(1) : nullptr;
}

bool isKnownSize(const Instruction& i) {
  if (i.opcode() != Opcode::GetDimensionSize || !i.operand(0)->shape().isArray()) return false;
  if (sizeSet(i) != nullptr) return true;
  const Shape shape = i.operand(0)->shape();
  const auto dimension = static_cast<size_t>(i.dimensions()[0]);
  const bool isStatic =
      !shape.isDynamicDimension(dimension) && i.operand(0)->opcode() != Opcode::SetDimensionSize;
  return isStatic && i.shape() == Shape::scalar(ElementType::S32).withLayout(i.shape().layout()) &&
         shape.dimension(dimension) <= std::numeric_limits<int32_t>::max();
}

Instruction* knownSize(Instruction& i) {
  if (Instruction* set = sizeSet(i)) return set;
  const int64_t size = i.operand(0)->shape().dimension(static_cast<size_t>(i.dimensions()[0]));
  Instruction* constant =
      i.parent().createConstant(Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(size)), &i);
  constant->setShape(i.shape());
  return constant;
}

}  // namespace

Result<bool> padDynamically(Module& module, PassContext& context) {
  TRY(const bool padded, expandInstructions(module,
                                            {.applies = takesPadding,
                                             .refusal = expansionRefusal,
                                             .expand = expandDynamicPadding,
                                             .what = [](const Instruction& i) { return i.opcodeText(); }},
                                            context));
  return rewriteEach(module, context, "simplified", isKnownSize, knownSize) || padded;
}

}  // namespace hilo
