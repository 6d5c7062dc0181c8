#include "core/compiler/passes/convolutions/f8_fallback.h"

#include <algorithm>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/dots/f8_operand.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kHasF8 = 89, kHasBf16 = 80, kWantsWideGroups = 120, kWideGroup = 16;

bool hasF8(Shape shape) {
  if (shape.isTuple()) return std::ranges::any_of(shape.tupleShapes(), hasF8);
  return shape.isArray() && isF8(shape.elementType());
}

Shape inBf16(Shape shape) {
  if (!shape.isTuple()) return hasF8(shape) ? shape.withElementType(ElementType::BF16) : shape;
  std::vector<Shape> elements;
  for (const Shape element : shape.tupleShapes()) elements.push_back(inBf16(element));
  return Shape::tuple(elements);
}

// Of a fusion for cuDNN with 8 bit floats; null where it is none.
const Instruction* convolutionOf(const Instruction& i) {
  if (gpuFusionKind(i) != "__cudnn$fusion") return nullptr;
  const auto& inside = i.get<Attr::Calls>()->instructions();
  const auto found = std::ranges::find(inside, Opcode::Convolution, &Instruction::opcode);
  const bool isOne = found != inside.end() && std::ranges::any_of(inside, [](const Instruction* each) {
                       return hasF8(each->shape());
                     });
  return isOne ? *found : nullptr;
}

bool hasF8Plan(const Instruction& convolution, int64_t capability) {
  if (capability < kHasF8) return false;
  const bool isGrouped = convolution.get<Attr::FeatureGroupCount>().value_or(1) > 1;
  if (!isGrouped || capability < kWantsWideGroups) return true;
  const auto features = static_cast<size_t>(convolution.get<Attr::DimLabels>()->kernelInputFeature);
  return convolution.operand(1)->shape().dimension(features) >= kWideGroup;
}

// Why an instruction has no form in bf16; "" where it has.
std::string_view whyOnlyF8(const Instruction& i) {
  const bool takesF8 =
      std::ranges::any_of(i.operands(), [](const Instruction* operand) { return hasF8(operand->shape()); });
  if (!takesF8 && !hasF8(i.shape())) return "";
  if (i.opcode() == Opcode::Constant) return "it has constants of 8 bit floats";
  if (i.opcode() == Opcode::BitcastConvert) return "it looks at the bits of 8 bit floats";
  return i.calledComputations().empty() ? "" : "it applies a computation to 8 bit floats";
}

bool takesAndGivesArrays(const Instruction& fusion) {
  const auto isArray = [](const Instruction* operand) { return operand->shape().isArray(); };
  const Shape given = fusion.shape();
  return std::ranges::all_of(fusion.operands(), isArray) &&
         (given.isArray() || std::ranges::all_of(given.tupleShapes(), &Shape::isArray));
}

// Why it stays as it is; "" where it does not.
std::string_view whyKept(const Instruction& fusion, const Instruction& convolution, int64_t capability) {
  if (hasF8Plan(convolution, capability)) return "the device has plans for it";
  if (capability < kHasBf16) return "the device has no plans in bf16 either";
  if (!takesAndGivesArrays(fusion)) return "it takes tuples, or gives tuples of tuples";
  for (const Instruction* i : fusion.get<Attr::Calls>()->instructions()) {
    if (const std::string_view why = whyOnlyF8(*i); !why.empty()) return why;
  }
  return "";
}

Instruction* fusionInBf16(Instruction& fusion) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : fusion.operands())
    operands.push_back(hasF8(operand->shape()) ? convertTo(operand, ElementType::BF16, fusion) : operand);
  Computation* inside = cloneComputation(*fusion.get<Attr::Calls>(), &fusion.parent());
  for (Instruction* i : inside->instructions()) i->setShape(inBf16(i->shape()));
  Instruction* made = fusion.parent().createLike(fusion, operands, &fusion);
  made->set<Attr::Calls>(inside);
  made->setShape(inBf16(fusion.shape()));
  return made;
}

// The same values in the types that the fusion gave.
Instruction* inTypesOf(Instruction& fusion, Instruction* made) {
  if (!fusion.shape().isTuple()) return convertTo(made, fusion.shape().elementType(), fusion);
  std::vector<Instruction*> elements;
  for (const Shape element : fusion.shape().tupleShapes()) {
    Instruction* value = elementOfTuple(made, static_cast<int64_t>(elements.size()), fusion);
    elements.push_back(convertTo(value, element.elementType(), fusion));
  }
  return fusion.parent().create(Opcode::Tuple, fusion.shape(), elements, {}, &fusion);
}

void replace(Instruction& fusion) {
  Computation& computation = fusion.parent();
  Instruction* made = fusionInBf16(fusion);
  computation.replaceAllUses(&fusion, inTypesOf(fusion, made));
  redirectControlPredecessors(computation, {{&fusion, made}});
  computation.remove(&fusion);
}

}  // namespace

Result<bool> computeF8ConvolutionsInBf16(Module& module, PassContext& context,
                                         const F8FallbackSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      const Instruction* convolution = convolutionOf(*i);
      if (convolution == nullptr) continue;
      if (const std::string_view why = whyKept(*i, *convolution, settings.capability); !why.empty()) {
        context.remark(*i, "left", fmt::format("it stays in 8 bit floats: {}", why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "widened", "the device has no plans for it in 8 bit floats: computed in bf16");
      replace(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
