#include "core/hlo/expand/dot_algorithm.h"

#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

using library::Expansion;

// Parts of an operand by place, 0 the largest.
struct Term {
  uint8_t lhs, rhs;
};
// In the order in which they are added; behind them comes the dot of the largest parts.
constexpr Term kTwoParts[] = {{1, 0}, {0, 1}};
constexpr Term kLargeTerms[] = {{1, 1}, {0, 2}, {2, 0}, {0, 1}, {1, 0}};
constexpr Term kAllTerms[] = {{2, 2}, {2, 1}, {1, 2}, {1, 1}, {0, 2}, {2, 0}, {0, 1}, {1, 0}};

struct AlgorithmForm {
  DotAlgorithm algorithm;
  ElementType factors;  // F8E5M2 stands for any float of 8 bits
  ElementType sum;
  bool isTf32 = false;
  std::span<const Term> smallTerms = {};
};

constexpr AlgorithmForm kForms[] = {
    {DotAlgorithm::AnyF8AnyF8F32, ElementType::F8E5M2, ElementType::F32},
    {DotAlgorithm::AnyF8AnyF8F32FastAccum, ElementType::F8E5M2, ElementType::F32},
    {DotAlgorithm::F16F16F16, ElementType::F16, ElementType::F16},
    {DotAlgorithm::F16F16F32, ElementType::F16, ElementType::F32},
    {DotAlgorithm::BF16BF16BF16, ElementType::BF16, ElementType::BF16},
    {DotAlgorithm::BF16BF16F32, ElementType::BF16, ElementType::F32},
    {DotAlgorithm::BF16BF16F32X3, ElementType::BF16, ElementType::F32, false, kTwoParts},
    {DotAlgorithm::BF16BF16F32X6, ElementType::BF16, ElementType::F32, false, kLargeTerms},
    {DotAlgorithm::BF16BF16F32X9, ElementType::BF16, ElementType::F32, false, kAllTerms},
    {DotAlgorithm::TF32TF32F32, ElementType::F32, ElementType::F32, true},
    {DotAlgorithm::TF32TF32F32X3, ElementType::F32, ElementType::F32, true, kTwoParts},
    {DotAlgorithm::F32F32F32, ElementType::F32, ElementType::F32},
    {DotAlgorithm::F64F64F64, ElementType::F64, ElementType::F64},
};

const AlgorithmForm* formOf(const Instruction& product) {
  const Opcode opcode = product.opcode();
  if (opcode != Opcode::Dot && opcode != Opcode::RaggedDot && opcode != Opcode::Convolution) return nullptr;
  const auto algorithm = product.get<Attr::Algorithm>();
  if (!algorithm || *algorithm == DotAlgorithm::Unset) return nullptr;
  const auto found = std::ranges::find(kForms, *algorithm, &AlgorithmForm::algorithm);
  CHECK(found != std::end(kForms), enumText(*algorithm));
  return found;
}

bool takes(const AlgorithmForm& form, ElementType type) {
  if (form.factors == ElementType::F8E5M2) return isFloat(type) && elementBits(type) == 8;
  return type == form.factors;
}

// Whether factors of the type are what they were before: products of narrow floats are summed in f32 anyway.
bool keeps(const AlgorithmForm& form, ElementType type) {
  return takes(form, type) || (form.factors == ElementType::F32 && elementBits(type) < 32);
}

Instruction* product(const Expansion& of, const AlgorithmForm& form, Instruction* lhs, Instruction* rhs) {
  Instruction& original = of.call();
  std::vector<Instruction*> operands(original.operands().begin(), original.operands().end());
  operands[0] = lhs;
  operands[1] = rhs;
  Instruction* plain = original.parent().createLike(original, operands, &original);
  plain->erase(Attr::Algorithm);
  plain->setShape(original.shape().withElementType(form.sum));
  return plain;
}

Instruction* asTf32(const Expansion& of, Instruction* value) {
  Instruction* rounded = of.unary(Opcode::ReducePrecision, value);
  rounded->set<Attr::ExponentBits>(8);
  rounded->set<Attr::MantissaBits>(10);
  return rounded;
}

Instruction* rounded(const Expansion& of, const AlgorithmForm& form, Instruction* value) {
  if (form.isTf32) return asTf32(of, of.convert(value, ElementType::F32));
  return takes(form, value->shape().elementType()) ? value : of.convert(value, form.factors);
}

// An f32's leading bits.
Instruction* cutOff(const Expansion& of, Instruction* value, bool isTf32) {
  const Shape bits = value->shape().withElementType(ElementType::U32);
  Instruction* mask = of.splat(bits, isTf32 ? 0xFFFFE000u : 0xFFFF0000u);
  Instruction* kept = of.binary(Opcode::And, of.add(Opcode::BitcastConvert, bits, {value}), mask);
  return of.add(Opcode::BitcastConvert, value->shape(), {kept});
}

// What makes up an f32, the largest first.
std::vector<Instruction*> parts(const Expansion& of, const AlgorithmForm& form, Instruction* value) {
  std::vector<Instruction*> list;
  Instruction* rest = of.convert(value, ElementType::F32);
  const size_t count = form.smallTerms.size() == std::size(kTwoParts) ? 2 : 3;
  while (list.size() + 1 < count) {
    Instruction* high = cutOff(of, rest, form.isTf32);
    list.push_back(rounded(of, form, high));
    rest = of.binary(Opcode::Subtract, rest, high);
  }
  list.push_back(rounded(of, form, rest));
  return list;
}

Instruction* zeroForNan(const Expansion& of, Instruction* value) {
  Instruction* isNumber =
      of.add(Opcode::Compare, value->shape().withElementType(ElementType::Pred), {value, value});
  isNumber->set<Attr::Direction>(ComparisonDirection::Eq);
  return of.add(Opcode::Select, value->shape(), {isNumber, value, of.zeros(value->shape())});
}

Instruction* sumOfParts(const Expansion& of, const AlgorithmForm& form) {
  const auto lhs = parts(of, form, of.operand(0)), rhs = parts(of, form, of.operand(1));
  Instruction* sum = nullptr;
  for (const Term term : form.smallTerms) {
    Instruction* next = product(of, form, lhs[term.lhs], rhs[term.rhs]);
    sum = sum == nullptr ? next : of.binary(Opcode::Add, sum, next);
  }
  return of.binary(Opcode::Add, zeroForNan(of, sum), product(of, form, lhs[0], rhs[0]));
}

bool isOfFloats(const Instruction& product) {
  return isFloat(product.operand(0)->shape().elementType()) &&
         isFloat(product.operand(1)->shape().elementType());
}

Status checkTypes(const Instruction& product, const AlgorithmForm& form) {
  for (const size_t side : {0, 1}) {
    const ElementType type = product.operand(side)->shape().elementType();
    if (form.factors != ElementType::F8E5M2 || takes(form, type)) continue;
    Place place;
    place.computation = product.parent().name();
    place.instruction = product.name();
    return fail("unsupported-type",
                fmt::format("{} of {} by {}, which multiplies floats of 8 bits", product.opcodeText(),
                            elementTypeName(type), enumText(form.algorithm)),
                std::move(place));
  }
  return {};
}

}  // namespace

bool hasAlgorithmOfItsOwn(const Instruction& instruction) {
  const AlgorithmForm* form = formOf(instruction);
  if (form == nullptr || instruction.operandCount() < 2 || !isOfFloats(instruction)) return false;
  const ElementType result = instruction.shape().elementType();
  return form->isTf32 || !form->smallTerms.empty() ||
         !keeps(*form, instruction.operand(0)->shape().elementType()) ||
         !keeps(*form, instruction.operand(1)->shape().elementType()) || !isFloat(result) ||
         elementBits(result) > elementBits(form->sum);
}

Result<Instruction*> expandDotAlgorithm(Instruction& instruction) {
  const AlgorithmForm* form = formOf(instruction);
  CHECK(form != nullptr);
  TRY_STATUS(checkTypes(instruction, *form));
  const Expansion of(instruction);
  Instruction* result = form->smallTerms.empty() ? product(of, *form, rounded(of, *form, of.operand(0)),
                                                           rounded(of, *form, of.operand(1)))
                                                 : sumOfParts(of, *form);
  return of.convert(result, instruction.shape().elementType());
}

}  // namespace hilo
