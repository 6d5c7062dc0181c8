#include "core/compiler/passes/dots/scaled_dot_rewriter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/cudnn_scaled_dot.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

ElementType commonType(ElementType a, ElementType b) {
  if (elementBits(a) < 16 && elementBits(b) < 16) return ElementType::BF16;
  if (a == b) return a;
  if (elementBits(a) == elementBits(b)) return ElementType::F32;
  return elementBits(a) > elementBits(b) ? a : b;
}

// Whatever size an element had in memory, it has the new type's own.
Instruction* inType(Instruction* value, ElementType type, Instruction& before) {
  if (value->shape().elementType() == type) return value;
  Instruction* made = convertTo(value, type, before);
  if (const Layout* layout = made->shape().layout()) {
    const Layout order{.minorToMajor = layout->minorToMajor};
    made->setShape(made->shape().withLayout(&order));
  }
  return made;
}

bool fits(const Instruction& values, const Instruction& scales) {
  const Shape of = values.shape(), by = scales.shape();
  if (by.rank() == 0) return true;
  if (by.rank() != of.rank()) return false;
  for (size_t d = 0; d < of.rank(); ++d) {
    if (by.dimension(d) <= 0 || of.dimension(d) % by.dimension(d) != 0) return false;
  }
  return true;
}

// Each scale as often as it has elements, in the order of `values`.
Instruction* spread(Instruction* scales, const Instruction& values, Instruction& before) {
  std::vector<int64_t> sizes, own;
  for (size_t d = 0; d < values.shape().rank(); ++d) {
    const int64_t count = scales->shape().dimension(d), size = values.shape().dimension(d) / count;
    own.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(count);
    if (size != 1) sizes.push_back(size);
  }
  return reshapedAs(broadcastTo(scales, sizes, own, before), values.shape(), before);
}

Instruction* dequantized(Instruction& dot, size_t side) {
  Instruction *values = dot.operand(side), *scales = dot.operand(side + 2);
  if (scales->shape().rank() == 0) return values;  // a scalar says that there are none
  const ElementType type = commonType(values->shape().elementType(), scales->shape().elementType());
  values = inType(values, type, dot);
  Instruction* factors = spread(inType(scales, type, dot), *values, dot);
  if (factors->shape() != values->shape()) factors = reshapedAs(factors, values->shape(), dot);
  return dot.parent().create(Opcode::Multiply, values->shape(), {values, factors}, {}, &dot);
}

Instruction* rewritten(Instruction& scaled) {
  Instruction *lhs = dequantized(scaled, 0), *rhs = dequantized(scaled, 1);
  const ElementType type = commonType(lhs->shape().elementType(), rhs->shape().elementType());
  lhs = inType(lhs, type, scaled);
  rhs = inType(rhs, type, scaled);
  const ElementType result = commonType(type, scaled.shape().elementType());
  Instruction* dot =
      scaled.parent().create(Opcode::Dot, scaled.shape().withElementType(result), {lhs, rhs}, {}, &scaled);
  setDotSide(*dot, 0, scaled.get<Attr::LhsBatchDims>(), scaled.get<Attr::LhsContractingDims>());
  setDotSide(*dot, 1, scaled.get<Attr::RhsBatchDims>(), scaled.get<Attr::RhsContractingDims>());
  if (const auto stated = scaled.get<Attr::OperandPrecision>(); !stated.empty())
    dot->set<Attr::OperandPrecision>(stated.first(std::min<size_t>(2, stated.size())));
  if (scaled.has(Attr::Algorithm)) dot->set<Attr::Algorithm>(*scaled.get<Attr::Algorithm>());
  if (const OpMetadata* metadata = scaled.get<Attr::Metadata>()) dot->set<Attr::Metadata>(metadata);
  return inType(dot, scaled.shape().elementType(), scaled);
}

Status checkScales(const Instruction& dot) {
  for (const size_t side : {0, 1}) {
    if (fits(*dot.operand(side), *dot.operand(side + 2))) continue;
    return fail("malformed-instruction",
                fmt::format("scales {} do not divide {}", toString(dot.operand(side + 2)->shape()),
                            toString(dot.operand(side)->shape())),
                {.computation = std::string(dot.parent().name()), .instruction = std::string(dot.name())});
  }
  return {};
}

}  // namespace

Result<bool> rewriteScaledDots(Module& module, PassContext& context, const ScaledDotSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::ScaledDot || i->has(Attr::ControlPredecessors)) continue;
      if (settings.leavesCudnn && !cudnnFusionRefusal(*i)) {
        context.remark(*i, "kept", "a fusion of cuDNN computes it");
        continue;
      }
      TRY_STATUS(checkScales(*i));
      if (!context.mayChange(*i)) return changed;
      Instruction* instead = rewritten(*i);
      context.remark(*i, "rewritten", fmt::format("now %{}", instead->name()));
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
