#include "core/compiler/passes/canonicalize/convolution_4d_expander.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// One place, which the window covers once: its size is 1 too, or the result would be empty.
bool isTrivial(const Instruction& convolution, size_t n) {
  const auto& numbers = *convolution.get<Attr::DimLabels>();
  const WindowDimension& window = convolution.get<Attr::Window>()->dimensions[n];
  return convolution.operand(0)->shape().dimension(static_cast<size_t>(numbers.inputSpatial[n])) == 1 &&
         window.size == 1 && window.paddingLow == 0 && window.paddingHigh == 0;
}

bool isReducible(const Instruction& i) {
  if (i.opcode() != Opcode::Convolution || i.get<Attr::DimLabels>() == nullptr ||
      i.get<Attr::Window>() == nullptr || i.get<Attr::Window>()->dimensions.size() != 4 ||
      i.get<Attr::DimLabels>()->inputSpatial.size() != 4)
    return false;
  for (const Shape shape : {i.shape(), i.operand(0)->shape(), i.operand(1)->shape()}) {
    if (!liesRowMajor(shape)) return false;
  }
  return isTrivial(i, 0) || isTrivial(i, 1) || isTrivial(i, 2) || isTrivial(i, 3);
}

// One array's dimensions: which spatial ones go, and what the others are called then.
class Kept {
 public:
  Kept(const Instruction& convolution, std::span<const int64_t> spatial) {
    for (size_t n = 0; n < spatial.size(); ++n)
      (isTrivial(convolution, n) ? gone_ : spatial_).push_back(spatial[n]);
    for (int64_t& d : spatial_) d = (*this)(d);
  }
  int64_t operator()(int64_t dimension) const {
    return dimension - std::ranges::count_if(gone_, [&](int64_t d) { return d < dimension; });
  }
  const std::vector<int64_t>& spatial() const { return spatial_; }
  std::vector<int64_t> sizesOf(Shape shape) const {
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < shape.rank(); ++d) {
      if (std::ranges::find(gone_, static_cast<int64_t>(d)) == gone_.end())
        sizes.push_back(shape.dimension(d));
    }
    return sizes;
  }

 private:
  std::vector<int64_t> gone_, spatial_;
};

Instruction* reduced(Instruction& i) {
  const ConvolutionDimensionNumbers& was = *i.get<Attr::DimLabels>();
  const Kept input(i, was.inputSpatial), kernel(i, was.kernelSpatial), output(i, was.outputSpatial);
  std::vector<WindowDimension> dimensions;
  for (size_t n = 0; n < 4; ++n) {
    if (!isTrivial(i, n)) dimensions.push_back(i.get<Attr::Window>()->dimensions[n]);
  }
  Instruction* operands[] = {reshapeTo(i.operand(0), input.sizesOf(i.operand(0)->shape()), i),
                             reshapeTo(i.operand(1), kernel.sizesOf(i.operand(1)->shape()), i)};
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->setShape(arrayLike(i.shape(), i.shape().elementType(), output.sizesOf(i.shape())));
  const Window window{dimensions};
  made->set<Attr::Window>(&window);
  const ConvolutionDimensionNumbers numbers = {
      input(was.inputBatch),          input(was.inputFeature),         input.spatial(),
      kernel(was.kernelInputFeature), kernel(was.kernelOutputFeature), kernel.spatial(),
      output(was.outputBatch),        output(was.outputFeature),       output.spatial()};
  made->set<Attr::DimLabels>(&numbers);
  return reshapedAs(made, i.shape(), i);
}

}  // namespace

Result<bool> expandConvolutions4d(Module& module, PassContext& context) {
  return rewriteEach(module, context, "reduced", isReducible, reduced);
}

}  // namespace hilo
