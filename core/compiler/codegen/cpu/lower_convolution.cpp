// Convolutions that a library does: those the pass library-dots brought into its form.
#include "core/compiler/codegen/cpu/dot_methods.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::cpu {

namespace {

int64_t sizeOf(Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); }

// Sizes that are no question of space, as of the forward convolution, and where its filter's elements are.
void describeChannels(const Instruction& convolution, ConvolutionThunk& thunk) {
  const auto& n = *convolution.get<Attr::DimLabels>();
  const Shape input = convolution.operand(0)->shape(), kernel = convolution.operand(1)->shape(),
              result = convolution.shape();
  const bool isFilterGradient = thunk.kind == ConvolutionKind::Wgrad;
  const Shape filter = isFilterGradient ? result : kernel;
  const auto strides = layoutStrides(filter);
  const auto stride = [&](int64_t d) { return strides[static_cast<size_t>(d)]; };
  thunk.groups = convolution.get<Attr::FeatureGroupCount>().value_or(1);
  if (isFilterGradient) {
    thunk.groups = convolution.get<Attr::BatchGroupCount>().value_or(1);
    thunk.batch = sizeOf(input, n.inputFeature);
    thunk.inputFeatures = sizeOf(input, n.inputBatch) / thunk.groups;
    thunk.outputFeatures = sizeOf(kernel, n.kernelOutputFeature) / thunk.groups;
    thunk.filterStrides = {thunk.outputFeatures * stride(n.outputFeature), stride(n.outputFeature),
                           stride(n.outputBatch)};
    for (const int64_t d : n.outputSpatial) thunk.filterStrides.push_back(stride(d));
    return;
  }
  thunk.batch = sizeOf(input, n.inputBatch);
  const int64_t summed = sizeOf(kernel, n.kernelInputFeature),
                made = sizeOf(kernel, n.kernelOutputFeature) / thunk.groups;
  const bool isForward = thunk.kind == ConvolutionKind::Fprop;
  thunk.inputFeatures = isForward ? summed : made;
  thunk.outputFeatures = isForward ? made : summed;
  thunk.filterStrides = {made * stride(n.kernelOutputFeature),
                         stride(isForward ? n.kernelOutputFeature : n.kernelInputFeature),
                         stride(isForward ? n.kernelInputFeature : n.kernelOutputFeature)};
  for (const int64_t d : n.kernelSpatial) thunk.filterStrides.push_back(stride(d));
}

double workOf(const ConvolutionThunk& thunk) {
  double work = static_cast<double>(thunk.batch) * static_cast<double>(thunk.groups) *
                static_cast<double>(thunk.inputFeatures) * static_cast<double>(thunk.outputFeatures);
  for (const int64_t size : thunk.outputSizes) work *= static_cast<double>(size);
  for (const int64_t size : thunk.filterSizes) work *= static_cast<double>(size);
  return work;
}

}  // namespace

static bool lowerLibraryConvolution(const Instruction& instruction, LoweringContext& context) {
  const auto plan = readyLibraryConvolution(instruction);
  if (!plan) return false;
  const Instruction &input = *instruction.operand(0), &kernel = *instruction.operand(1);
  ConvolutionThunk thunk;
  thunk.kind = plan->kind;
  thunk.type = input.shape().elementType();
  thunk.resultType = instruction.shape().elementType();
  describeChannels(instruction, thunk);
  for (const ForwardDimension& d : forwardDimensions(instruction, plan->kind)) {
    thunk.inputSizes.push_back(d.input);
    thunk.outputSizes.push_back(d.output);
    thunk.filterSizes.push_back(d.filter);
    thunk.strides.push_back(d.stride);
    thunk.dilations.push_back(d.dilation);
    thunk.paddings.push_back(d.padding);
  }
  const LeafValue result = context.newLeaf(instruction.shape());
  thunk.lhs = ReadSlice(context.leafOf(input).slab->slice);
  thunk.rhs = ReadSlice(context.leafOf(kernel).slab->slice);
  thunk.result = WriteSlice(result.slab->slice);
  const auto costNs = static_cast<int64_t>(std::min(1e15, workOf(thunk) / 50));
  context.addThunk(instruction, std::move(thunk), costNs);
  context.values[&instruction] = {result};
  return true;
}

Status lowerConvolution(const Instruction& instruction, LoweringContext& context) {
  TRY(const auto stated, dotMethodFor(instruction));
  const auto may = [&](DotMethod method) { return !stated || *stated == method; };
  if (may(DotMethod::Tiles) && lowerDepthwise(instruction, context)) return {};
  if (may(DotMethod::Library) && lowerLibraryConvolution(instruction, context)) return {};
  return lowerElementKernel(instruction, context);
}

}  // namespace hilo::cpu
