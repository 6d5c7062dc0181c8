#include "core/compiler/passes/dots/block_scaling_rewriter.h"

#include <fmt/format.h>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/cudnn_scaled_dot.h"
#include "core/compiler/passes/dots/cudnn_scales.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/block_scaling.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

using library::ScaledDot;
using library::ScaledOperand;

constexpr std::string_view kDot = "__op$block_scaled_dot", kCudnnDot = "__cudnn$blockScaledDot";

bool isOfBlocks(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == "__op$quantize" || target == "__op$dequantize" || target == kDot;
}

CudnnOperand cudnnOperand(const ScaledDot& dot, const ScaledOperand& side) {
  const Shape values = side.values->shape(), scales = side.scales->shape();
  const int64_t implied = library::blockSizeOf(values, scales).value_or(0);
  return {values, scales, dot.blockSize.value_or(implied)};
}

// Why the target's cuDNN does not compute it.
std::optional<std::string> whyNotCudnn(const ScaledDot& dot, int64_t version) {
  if (version == 0) return "there is no cuDNN of a Blackwell GPU";
  if (version < kCudnnOfScaledDots)
    return fmt::format("cuDNN {} is needed, the target has {}", cudnnVersionText(kCudnnOfScaledDots),
                       cudnnVersionText(version));
  if (dot.rhs.scales == nullptr) return "the right operand has no scales";
  return cudnnRefusal(cudnnOperand(dot, dot.lhs), cudnnOperand(dot, dot.rhs));
}

// As the kernel reads it.
ScaledOperand forCudnn(ScaledOperand side, Instruction& before) {
  const Shape values = side.values->shape();
  const int64_t rows = roundedUp(values.dimension(values.rank() - 2), 128);
  side.values = paddedWith(side.values, withRows(values, rows, values.dimensions().back()), 0, before);
  side.scales = scalesForCudnn(side.scales, rows, reshapeTo, before);
  return side;
}

Instruction* scaledBy(Instruction* value, Instruction* scale, Instruction& before) {
  Instruction* factors = broadcastTo(scale, value->shape().dimensions(), {}, before);
  return before.parent().create(Opcode::Multiply, value->shape(), {value, factors}, {}, &before);
}

Instruction* cudnnForm(Instruction& call, const ScaledDot& dot, int64_t version) {
  const ScaledOperand lhs = forCudnn(dot.lhs, call), rhs = forCudnn(dot.rhs, call);
  const Shape result = call.shape(), left = lhs.values->shape(), right = rhs.values->shape();
  const std::vector<int64_t> sizes =
      withRows(result, left.dimension(left.rank() - 2), right.dimension(right.rank() - 2));
  const std::array shapes = {arrayLike(result, result.elementType(), sizes),
                             arrayLike(result, ElementType::U8, std::array<int64_t, 1>{0})};
  std::vector<Instruction*> operands = {lhs.values, rhs.values, lhs.scales, rhs.scales};
  const bool scalesInside = dot.globalScale != nullptr && version >= kCudnnOfGlobalScales;
  if (scalesInside) operands.push_back(dot.globalScale);
  Instruction* made = call.parent().create(Opcode::CustomCall, Shape::tuple(shapes), operands, {}, &call);
  made->set<Attr::CustomCallTarget>(kCudnnDot);
  if (const OpMetadata* metadata = call.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
  Instruction* product = elementOfTuple(made, 0, call);
  if (dot.globalScale != nullptr && !scalesInside) product = scaledBy(product, dot.globalScale, call);
  return cutTo(product, result.dimensions(), call);
}

// What an expansion makes has layouts only where its operands have.
void layOut(Module& module) {
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) i->setShape(i->shape().withDefaultLayout());
  }
}

Result<Instruction*> rewritten(Instruction& call, PassContext& context, int64_t version) {
  std::string why;
  if (call.get<Attr::CustomCallTarget>() == kDot) {
    const library::Expansion expansion(call);
    TRY(const ScaledDot dot, library::readScaledDot(expansion));
    const auto refusal = whyNotCudnn(dot, version);
    if (!refusal) {
      context.remark(call, "cudnn", "cuDNN's kernel for block-scaled dots");
      return cudnnForm(call, dot, version);
    }
    why = ", not cuDNN's: " + *refusal;
  }
  TRY(Instruction * given, expandLibraryCall(call));
  context.remark(call, "expanded", fmt::format("now %{}{}", given->name(), why));
  return given;
}

}  // namespace

Result<bool> rewriteBlockScaling(Module& module, PassContext& context, const BlockScalingSettings& settings) {
  bool changed = false, hasLayouts = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->has(Attr::ControlPredecessors) || !isOfBlocks(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      TRY(Instruction * instead, rewritten(*i, context, settings.cudnnVersion));
      hasLayouts |= i->operand(0)->shape().layout() != nullptr;
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      changed = true;
    }
  }
  if (hasLayouts) layOut(module);
  return changed;
}

}  // namespace hilo
