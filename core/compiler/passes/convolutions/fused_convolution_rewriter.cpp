#include "core/compiler/passes/convolutions/fused_convolution_rewriter.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/convolutions/convolution_fuser.h"
#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/convolutions/f8_convolution_graph.h"

namespace hilo {
namespace {

using Rewrite = ConvolutionFuser::Rewrite;

// From the convolution outwards. Sums twice: a bias and a side input.
constexpr Rewrite kInnermost[] = {&ConvolutionFuser::fuseConvert, &ConvolutionFuser::fuseScale};
constexpr Rewrite kSums[] = {&ConvolutionFuser::fuseSum, &ConvolutionFuser::fuseSum,
                             &ConvolutionFuser::fuseSideScale, &ConvolutionFuser::fuseRelu};
constexpr Rewrite kCompiledFunctions[] = {&ConvolutionFuser::fuseElu, &ConvolutionFuser::fuseRelu6,
                                          &ConvolutionFuser::fuseLeakyRelu};
constexpr Rewrite kTypes[] = {&ConvolutionFuser::fuseHalf, &ConvolutionFuser::fuseBytes};

bool fuseAll(Computation& computation, PassContext& context, const FusedConvolutionSettings& settings) {
  ConvolutionFuser fuser(computation, context);
  bool changed = false;
  const auto run = [&](std::span<const Rewrite> rewrites) {
    for (const Rewrite rewrite : rewrites) changed |= fuser.onEach(rewrite);
  };
  run(kInnermost);
  run(kSums);
  if (settings.runtimeFusion) run(kCompiledFunctions);
  run(kTypes);
  // Sums and functions may stand in front of the conversion or behind it.
  run(kSums);
  if (settings.runtimeFusion) run(kCompiledFunctions);
  return changed;
}

bool isForeignInteger(Shape shape) {
  return shape.isArray() && isIntegral(shape.elementType()) && shape.elementType() != ElementType::S8;
}

// Integers that cuDNN does not have.
bool hasForeignIntegers(const Instruction& i) {
  const bool isForward = isCudnnConvolution(i) && (i.get<Attr::CustomCallTarget>() == kConvForward ||
                                                   i.get<Attr::CustomCallTarget>() == kConvBiasActivation);
  if (!isForward || i.operandCount() < 2 || !i.shape().isTuple() || i.shape().tupleShapes().empty())
    return false;
  return isForeignInteger(i.shape().tupleShapes()[0]) || isForeignInteger(i.operand(0)->shape()) ||
         isForeignInteger(i.operand(1)->shape()) ||
         (i.operandCount() > 3 && isForeignInteger(i.operand(3)->shape()));
}

bool hasConvolution(const Computation& computation) {
  return std::ranges::any_of(computation.instructions(),
                             [](const Instruction* i) { return isCudnnConvolution(*i); });
}

}  // namespace

Result<bool> fuseConvolutions(Module& module, PassContext& context,
                              const FusedConvolutionSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!hasConvolution(*computation)) continue;
    if (settings.f8Graphs) changed |= makeF8ConvolutionGraphs(*computation, context);
    changed |= fuseAll(*computation, context, settings);
    for (const Instruction* i : computation->instructions()) {
      if (hasForeignIntegers(*i) && (!i->users().empty() || i->isRoot()))
        return fail(
            "unsupported-type",
            fmt::format("cuDNN convolves no integers but s8, with a result of s8 or f32: %{}", i->name()));
    }
  }
  return changed;
}

}  // namespace hilo
