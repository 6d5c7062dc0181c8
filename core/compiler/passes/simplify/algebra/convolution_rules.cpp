// Convolutions of which windows are one element, and zeros around what is convolved.
#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// For each role of the output (batch, feature, spatial 0, ...) its dimension in the output, and in the input.
struct Roles {
  std::vector<int64_t> input, output;
};
Roles rolesOf(const ConvolutionDimensionNumbers& of) {
  Roles roles{{of.inputBatch, of.inputFeature}, {of.outputBatch, of.outputFeature}};
  roles.input.insert(roles.input.end(), of.inputSpatial.begin(), of.inputSpatial.end());
  roles.output.insert(roles.output.end(), of.outputSpatial.begin(), of.outputSpatial.end());
  return roles;
}

// Zeros that lie around the array, as window padding; nullopt where pad does more.
bool addsZeros(const Instruction& pad) {
  return pad.opcode() == Opcode::Pad && isAll(*pad.operand(1), 0) &&
         std::ranges::all_of(pad.get<Attr::Padding>(),
                             [](const PaddingDimension& p) { return p.low >= 0 && p.high >= 0; });
}

bool padsOnly(const Instruction& pad, std::span<const int64_t> dimensions) {
  for (size_t d = 0; d < pad.shape().rank(); ++d) {
    if (pad.get<Attr::Padding>()[d] != PaddingDimension{} && !contains(dimensions, static_cast<int64_t>(d)))
      return false;
  }
  return true;
}

}  // namespace

// Each feature by itself, times one number of the kernel.
Instruction* convolutionIsProduct(Instruction& i) {
  const ConvolutionDimensionNumbers& numbers = *i.get<Attr::DimLabels>();
  const Shape input = i.operand(0)->shape(), kernel = i.operand(1)->shape();
  const int64_t features = input.dimension(static_cast<size_t>(numbers.inputFeature));
  const auto outputs = kernel.dimension(static_cast<size_t>(numbers.kernelOutputFeature));
  if (!liesRowMajor(input) || !liesRowMajor(kernel) || !liesRowMajor(i.shape()) || features != outputs ||
      i.get<Attr::FeatureGroupCount>().value_or(1) != features ||
      i.get<Attr::BatchGroupCount>().value_or(1) != 1 ||
      kernel.dimension(static_cast<size_t>(numbers.kernelInputFeature)) != 1 || i.shape().elementCount() == 0)
    return nullptr;
  for (const WindowDimension& d : i.get<Attr::Window>()->dimensions) {
    if (d != WindowDimension{.size = 1}) return nullptr;
  }
  const Roles roles = rolesOf(numbers);
  std::vector<int64_t> permutation(roles.output.size());
  for (size_t k = 0; k < permutation.size(); ++k)
    permutation[static_cast<size_t>(roles.output[k])] = roles.input[k];
  Instruction* left = transposeBy(convertTo(i.operand(0), i.shape().elementType(), i), permutation, i);
  Instruction* scale =
      reshapeTo(convertTo(i.operand(1), i.shape().elementType(), i), std::vector{features}, i);
  Instruction* right = madeBroadcast(i, scale, left->shape(), std::vector{numbers.outputFeature});
  return madeBinary(i, Opcode::Multiply, left, right);
}

Instruction* convolutionOfPad(Instruction& i) {
  const Instruction& pad = *i.operand(0);
  const auto spatial = i.get<Attr::DimLabels>()->inputSpatial;
  if (!addsZeros(pad) || !padsOnly(pad, spatial)) return nullptr;
  const auto written = i.get<Attr::Window>()->dimensions;
  std::vector<WindowDimension> window(written.begin(), written.end());
  for (size_t k = 0; k < spatial.size(); ++k) {
    const PaddingDimension& by = pad.get<Attr::Padding>()[static_cast<size_t>(spatial[k])];
    if (by.interior != 0 && window[k].baseDilation != 1) return nullptr;
    if (window[k].paddingLow < 0 || window[k].paddingHigh < 0) return nullptr;
    window[k].paddingLow += by.low * window[k].baseDilation;
    window[k].paddingHigh += by.high * window[k].baseDilation;
    if (by.interior != 0) window[k].baseDilation = by.interior + 1;
  }
  Instruction* made = i.parent().createLike(i, {{pad.operand(0), i.operand(1)}}, &i);
  const Window wider{window};
  made->set<Attr::Window>(&wider);
  return made;
}

Instruction* convolutionWithPaddedKernel(Instruction& i) {
  const Instruction& pad = *i.operand(1);
  const auto spatial = i.get<Attr::DimLabels>()->kernelSpatial;
  if (!addsZeros(pad) || !padsOnly(pad, spatial)) return nullptr;
  const auto written = i.get<Attr::Window>()->dimensions;
  std::vector<WindowDimension> window(written.begin(), written.end());
  for (size_t k = 0; k < spatial.size(); ++k) {
    const PaddingDimension& by = pad.get<Attr::Padding>()[static_cast<size_t>(spatial[k])];
    if (by.low != 0 || by.high != 0 || (by.interior != 0 && window[k].windowDilation != 1)) return nullptr;
    if (by.interior == 0) continue;
    window[k].windowDilation = by.interior + 1;
    window[k].size = pad.operand(0)->shape().dimension(static_cast<size_t>(spatial[k]));
  }
  Instruction* made = i.parent().createLike(i, {{i.operand(0), pad.operand(0)}}, &i);
  const Window sparser{window};
  made->set<Attr::Window>(&sparser);
  return made;
}

// Two constants that are added one after the other are added first.
Instruction* addToBiasedConvolution(Instruction& i) {
  for (const size_t side : {0, 1}) {
    const Instruction &sum = *i.operand(side), &last = *i.operand(1 - side);
    if (sum.opcode() != Opcode::Add || sum.users().size() != 1 || last.opcode() != Opcode::Broadcast)
      continue;
    for (const size_t k : {0, 1}) {
      const Instruction& first = *sum.operand(1 - k);
      if (sum.operand(k)->opcode() != Opcode::Convolution || first.opcode() != Opcode::Broadcast ||
          first.operand(0)->shape() != last.operand(0)->shape() ||
          !std::ranges::equal(first.dimensions(), last.dimensions()))
        continue;
      Instruction* both = madeBinary(i, Opcode::Add, first.operand(0), last.operand(0));
      return madeBinary(i, Opcode::Add, sum.operand(k),
                        madeBroadcast(i, both, i.shape(), first.dimensions()));
    }
  }
  return nullptr;
}

// A scale of output features goes into the constant kernel, and onto the bias.
Instruction* scaledConvolution(Instruction& i) {
  Instruction &sum = *i.operand(0), &scale = *i.operand(1);
  if (sum.opcode() != Opcode::Add || sum.users().size() != 1 || scale.opcode() != Opcode::Broadcast ||
      scale.dimensions().size() != 1 || scale.operand(0)->opcode() != Opcode::Constant)
    return nullptr;
  for (const size_t side : {0, 1}) {
    const Instruction& convolution = *sum.operand(side);
    if (convolution.opcode() != Opcode::Convolution || convolution.users().size() != 1 ||
        convolution.operand(1)->opcode() != Opcode::Constant ||
        convolution.operand(1)->shape().elementType() != i.shape().elementType() ||
        scale.dimensions()[0] != convolution.get<Attr::DimLabels>()->outputFeature)
      continue;
    Instruction* kernel = convolution.operand(1);
    const std::vector<int64_t> along{convolution.get<Attr::DimLabels>()->kernelOutputFeature};
    Instruction* scaled =
        madeBinary(i, Opcode::Multiply, kernel, madeBroadcast(i, scale.operand(0), kernel->shape(), along));
    Instruction* made = i.parent().createLike(convolution, {{convolution.operand(0), scaled}}, &i);
    return madeBinary(i, Opcode::Add, made, madeBinary(i, Opcode::Multiply, sum.operand(1 - side), &scale));
  }
  return nullptr;
}

// A convolution with an array that has no elements adds up nothing.
Instruction* convolutionOfNothing(Instruction& i) {
  const bool isEmpty = i.operand(0)->shape().elementCount() == 0 || i.operand(1)->shape().elementCount() == 0;
  return isEmpty && !i.shape().isDynamic() ? makeSplat(i, i.shape(), 0) : nullptr;
}

}  // namespace hilo::algebra
