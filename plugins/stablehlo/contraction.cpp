#include "plugins/stablehlo/constants.h"
#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/dimension_numbers.h"

namespace hilo::stablehlo {

LogicalResult convertDot(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const int lhsRank = c.operand(0)->shape().dimensions_size(),
            rhsRank = c.operand(1)->shape().dimensions_size();
  if (lhsRank < 1 || rhsRank < 1) return c.error("has an operand without dimensions");
  Hlo made = c.make();
  made->mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(lhsRank - 1);
  made->mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(0);
  readPrecision(c, made);
  return c.done(made);
}

LogicalResult convertDotGeneral(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  Hlo made = c.make();
  if (!readDotDimensions(c, "dot_dimension_numbers", *made->mutable_dot_dimension_numbers()))
    return llvm::failure();
  readPrecision(c, made);
  return c.done(made);
}

LogicalResult convertRaggedDot(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  Hlo made = c.make();
  constexpr llvm::StringLiteral kNumbers = "ragged_dot_dimension_numbers";
  auto* ragged = made->mutable_ragged_dot_dimension_numbers();
  if (!readDotDimensions(c, kNumbers, *ragged->mutable_dot_dimension_numbers())) return llvm::failure();
  const Integers lhs = c.fieldIntegers(kNumbers, "lhs_ragged_dimensions");
  const Integers rhs = c.fieldIntegers(kNumbers, "rhs_group_dimensions");
  ragged->mutable_lhs_ragged_dimensions()->Add(lhs.begin(), lhs.end());
  ragged->mutable_rhs_group_dimensions()->Add(rhs.begin(), rhs.end());
  readPrecision(c, made);
  return c.done(made);
}

// "ab,bc->ac": letters in both operands and the result are batch, in both operands alone contracted. The
// dot's result has batch, left and right letters; a transpose puts them as written.
LogicalResult convertEinsum(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const std::string config = c.text("einsum_config");
  const auto [inputs, result] = llvm::StringRef(config).split("->");
  const auto [lhs, rhs] = inputs.split(',');
  if (c.operandCount() != 2 || lhs.size() != static_cast<size_t>(c.operand(0)->shape().dimensions_size()) ||
      rhs.size() != static_cast<size_t>(c.operand(1)->shape().dimensions_size()))
    return c.error("has an einsum_config that does not fit its operands");
  pb::DotDimensionNumbers numbers;
  std::string batch, left, right;
  for (size_t n = 0; n < lhs.size(); ++n) {
    const size_t there = rhs.find(lhs[n]);
    const bool kept = result.contains(lhs[n]);
    if (there == llvm::StringRef::npos) {
      if (!kept) return convertToCustomCall(c);
      left += lhs[n];
    } else if (kept) {
      numbers.add_lhs_batch_dimensions(static_cast<int64_t>(n));
      numbers.add_rhs_batch_dimensions(static_cast<int64_t>(there));
      batch += lhs[n];
    } else {
      numbers.add_lhs_contracting_dimensions(static_cast<int64_t>(n));
      numbers.add_rhs_contracting_dimensions(static_cast<int64_t>(there));
    }
  }
  for (const char letter : rhs) {
    if (lhs.contains(letter)) continue;
    if (!result.contains(letter)) return convertToCustomCall(c);
    right += letter;
  }
  const std::string order = batch + left + right;
  if (order.size() != result.size() || static_cast<int>(order.size()) != c.resultShape().dimensions_size())
    return convertToCustomCall(c);
  Integers sizes(order.size()), permutation(order.size());
  const pb::ShapeProto shape = c.resultShape();
  for (size_t n = 0; n < result.size(); ++n) {
    const size_t from = order.find(result[n]);
    if (from == std::string::npos) return convertToCustomCall(c);
    permutation[n] = static_cast<int64_t>(from);
    sizes[from] = shape.dimensions(static_cast<int>(n));
  }
  Hlo dot = c.to.add("dot", withDims(shape, sizes), c.operands());
  *dot->mutable_dot_dimension_numbers() = numbers;
  readPrecision(c, dot);
  Hlo made = c.make("transpose", {dot});
  made->mutable_dimensions()->Add(permutation.begin(), permutation.end());
  return c.done(made);
}

namespace {

// dynamic_conv whose padding is not known yet. The many spellings of its dimensions become one.
LogicalResult convertDynamicConvolution(OpConversion& c) {
  pb::ConvolutionDimensionNumbers numbers;
  if (!readConvolutionDimensions(c, numbers)) return llvm::failure();
  mlir::Builder builder(c.op->getContext());
  mlir::NamedAttrList fields;
  const auto put = [&](llvm::StringRef name, int64_t value) {
    fields.set(name, builder.getI64IntegerAttr(value));
  };
  const auto putList = [&](llvm::StringRef name, const auto& list) {
    fields.set(name, builder.getDenseI64ArrayAttr(Integers(list.begin(), list.end())));
  };
  put("input_batch", numbers.input_batch_dimension());
  put("input_feature", numbers.input_feature_dimension());
  putList("input_spatial", numbers.input_spatial_dimensions());
  put("kernel_input_feature", numbers.kernel_input_feature_dimension());
  put("kernel_output_feature", numbers.kernel_output_feature_dimension());
  putList("kernel_spatial", numbers.kernel_spatial_dimensions());
  put("output_batch", numbers.output_batch_dimension());
  put("output_feature", numbers.output_feature_dimension());
  putList("output_spatial", numbers.output_spatial_dimensions());
  c.op->setAttr("convolution_dimensions", fields.getDictionary(c.op->getContext()));
  return convertToCustomCall(c);
}

}  // namespace

LogicalResult convertConvolution(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  std::optional<Integers> padding;
  if (c.operandCount() == 3 && !(padding = constantOperand(c, 2))) return convertDynamicConvolution(c);
  Hlo made = c.make("convolution", {c.operand(0), c.operand(1)});
  auto* numbers = made->mutable_convolution_dimension_numbers();
  if (!readConvolutionDimensions(c, *numbers)) return llvm::failure();
  Integers sizes;
  for (const int64_t dim : numbers->kernel_spatial_dimensions()) {
    if (dim < 0 || dim >= c.operand(1)->shape().dimensions_size())
      return c.error("has dimension numbers outside of its operands");
    sizes.push_back(c.operand(1)->shape().dimensions(static_cast<int>(dim)));
  }
  const WindowNames names{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"};
  if (!readWindow(c, sizes, names, padding, *made->mutable_window())) return llvm::failure();
  made->set_feature_group_count(c.integer("feature_group_count", 1));
  made->set_batch_group_count(c.integer("batch_group_count", 1));
  readPrecision(c, made);
  return c.done(made);
}

LogicalResult convertFft(OpConversion& c) {
  Hlo made = c.make();
  const std::string type = c.text("fft_type");
  made->set_fft_type(type == "IFFT"    ? pb::IFFT
                     : type == "RFFT"  ? pb::RFFT
                     : type == "IRFFT" ? pb::IRFFT
                                       : pb::FFT);
  const Integers length = c.integersOr("fft_length", 0, 0);
  made->mutable_fft_length()->Add(length.begin(), length.end());
  return c.done(made);
}

LogicalResult convertCholesky(OpConversion& c) {
  Hlo made = c.make();
  made->mutable_cholesky_options()->set_lower(c.flag("lower"));
  return c.done(made);
}

LogicalResult convertTriangularSolve(OpConversion& c) {
  Hlo made = c.make();
  auto* options = made->mutable_triangular_solve_options();
  options->set_left_side(c.flag("left_side"));
  options->set_lower(c.flag("lower"));
  options->set_unit_diagonal(c.flag("unit_diagonal"));
  const std::string transpose = c.text("transpose_a");
  options->set_transpose_a(transpose == "TRANSPOSE" ? pb::TriangularSolveOptions::TRANSPOSE
                           : transpose == "ADJOINT" ? pb::TriangularSolveOptions::ADJOINT
                                                    : pb::TriangularSolveOptions::NO_TRANSPOSE);
  return c.done(made);
}

}  // namespace hilo::stablehlo
