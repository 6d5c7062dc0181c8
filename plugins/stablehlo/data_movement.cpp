#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/constants.h"
#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/literals.h"

namespace hilo::stablehlo {
namespace {

bool isStatic(const pb::ShapeProto& shape) {
  return llvm::none_of(shape.is_dynamic_dimension(), [](bool dynamic) { return dynamic; });
}

Hlo withDimensions(Hlo made, Dims dims) {
  made->mutable_dimensions()->Add(dims.begin(), dims.end());
  return made;
}

}  // namespace

bool isResultKnown(OpConversion& c) { return isStatic(c.resultShape()); }

LogicalResult convertConstant(OpConversion& c) {
  if (failed(c.needs(0))) return llvm::failure();
  const auto value = llvm::dyn_cast_or_null<mlir::ElementsAttr>(c.attribute("value"));
  if (!value) return c.error("has a value that is not a list of elements");
  if (isElided(value)) {
    pb::LiteralProto literal;
    *literal.mutable_shape() = c.resultShape();
    return c.done(c.to.literal(std::move(literal)));
  }
  Hlo made = makeConstant(c.to, value, c.resultShape());
  if (made == nullptr) return c.error("has elements HLO cannot hold, or none");
  return c.done(made);
}

LogicalResult convertIota(OpConversion& c) {
  if (failed(c.needs(0))) return llvm::failure();
  if (!isResultKnown(c)) return convertToCustomCall(c);
  return c.done(withDimensions(c.make("iota", {}), {c.integer("iota_dimension")}));
}

LogicalResult convertBroadcast(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const int64_t added = static_cast<int64_t>(c.integersOr("broadcast_sizes", 0, 0).size());
  Integers dims;
  for (int n = 0; n < c.operand(0)->shape().dimensions_size(); ++n) dims.push_back(added + n);
  if (added + c.operand(0)->shape().dimensions_size() != c.resultShape().dimensions_size())
    return c.error("has broadcast sizes that do not fit its shapes");
  return c.done(c.to.broadcast(c.operand(0), dims, c.resultShape()));
}

LogicalResult convertBroadcastInDim(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  if (!isResultKnown(c) || !isStatic(c.operand(0)->shape())) return convertToCustomCall(c);
  const Integers dims = c.integersOr("broadcast_dimensions", 0, 0);
  const int rank = c.resultShape().dimensions_size();
  if (static_cast<int>(dims.size()) != c.operand(0)->shape().dimensions_size() ||
      llvm::any_of(dims, [&](int64_t dim) { return dim < 0 || dim >= rank; }))
    return c.error("has broadcast dimensions that do not fit its shapes");
  return c.done(c.to.broadcast(c.operand(0), dims, c.resultShape()));
}

LogicalResult convertReshape(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  if (!isResultKnown(c) || !isStatic(c.operand(0)->shape())) {
    return c.operandCount() == 1 ? c.done(c.make("reshape", c.operands())) : convertToCustomCall(c);
  }
  return c.done(c.make("reshape", {c.operand(0)}));
}

LogicalResult convertTranspose(OpConversion& c) {
  return c.done(withDimensions(c.make(), c.integersOr("permutation", 0, 0)));
}

LogicalResult convertCast(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  if (dimsOf(c.operand(0)->shape()) == dimsOf(c.resultShape())) return c.done(c.operand(0));
  return convertToCustomCall(c);
}

LogicalResult convertReverse(OpConversion& c) {
  return c.done(withDimensions(c.make(), c.integersOr("dimensions", 0, 0)));
}

LogicalResult convertConcatenate(OpConversion& c) {
  return c.done(withDimensions(c.make(), {c.integer("dimension")}));
}

namespace {

LogicalResult makeSlice(OpConversion& c, const Integers& starts, const Integers& limits,
                        const Integers& strides) {
  if (starts.size() != limits.size() || starts.size() != strides.size())
    return c.error("has starts, limits and strides of different number");
  Hlo made = c.make("slice", {c.operand(0)});
  for (size_t n = 0; n < starts.size(); ++n) {
    auto* dimension = made->add_slice_dimensions();
    dimension->set_start(starts[n]);
    dimension->set_limit(limits[n]);
    dimension->set_stride(strides[n]);
  }
  return c.done(made);
}

LogicalResult makePad(OpConversion& c, const Integers& low, const Integers& high, const Integers& interior) {
  if (low.size() != high.size() || low.size() != interior.size())
    return c.error("has paddings of different number");
  Hlo made = c.make("pad", {c.operand(0), c.operand(1)});
  for (size_t n = 0; n < low.size(); ++n) {
    auto* dimension = made->mutable_padding_config()->add_dimensions();
    dimension->set_edge_padding_low(low[n]);
    dimension->set_edge_padding_high(high[n]);
    dimension->set_interior_padding(interior[n]);
  }
  return c.done(made);
}

}  // namespace

LogicalResult convertSlice(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const auto starts = c.integersOr("start_indices", 0, 0), limits = c.integersOr("limit_indices", 0, 0);
  return makeSlice(c, starts, limits, c.integersOr("strides", static_cast<int64_t>(starts.size()), 1));
}

LogicalResult convertRealDynamicSlice(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const auto starts = constantOperand(c, 1), limits = constantOperand(c, 2), strides = constantOperand(c, 3);
  if (!starts || !limits || !strides || !isResultKnown(c)) return convertToCustomCall(c);
  return makeSlice(c, *starts, *limits, *strides);
}

LogicalResult convertDynamicSlice(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo made = c.make();
  const Integers sizes = c.integersOr("slice_sizes", 0, 0);
  made->mutable_dynamic_slice_sizes()->Add(sizes.begin(), sizes.end());
  return c.done(made);
}

LogicalResult convertPad(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const auto low = c.integersOr("edge_padding_low", 0, 0);
  return makePad(c, low, c.integersOr("edge_padding_high", 0, 0),
                 c.integersOr("interior_padding", static_cast<int64_t>(low.size()), 0));
}

LogicalResult convertDynamicPad(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const auto low = constantOperand(c, 2), high = constantOperand(c, 3), interior = constantOperand(c, 4);
  if (!low || !high || !interior || !isResultKnown(c)) return convertToCustomCall(c);
  return makePad(c, *low, *high, *interior);
}

LogicalResult convertDimensionSize(OpConversion& c) {
  return c.done(withDimensions(c.make(), {c.integer("dimension")}));
}

LogicalResult convertGather(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  auto sizes = c.integers("slice_sizes");
  if (!sizes) sizes = constantOperand(c, 2);  // dynamic_gather
  if (!sizes || !isResultKnown(c)) return convertToCustomCall(c);
  Hlo made = c.make("gather", {c.operand(0), c.operand(1)});
  auto* numbers = made->mutable_gather_dimension_numbers();
  const auto put = [&](llvm::StringRef name, auto* list) {
    const Integers dims = c.fieldIntegers("dimension_numbers", name);
    list->Add(dims.begin(), dims.end());
  };
  put("offset_dims", numbers->mutable_offset_dims());
  put("collapsed_slice_dims", numbers->mutable_collapsed_slice_dims());
  put("operand_batching_dims", numbers->mutable_operand_batching_dims());
  put("start_indices_batching_dims", numbers->mutable_start_indices_batching_dims());
  put("start_index_map", numbers->mutable_start_index_map());
  const Integers vector = c.fieldIntegers("dimension_numbers", "index_vector_dim");
  numbers->set_index_vector_dim(vector.empty() ? 0 : vector[0]);
  made->mutable_gather_slice_sizes()->Add(sizes->begin(), sizes->end());
  made->set_indices_are_sorted(c.flag("indices_are_sorted"));
  return c.done(made);
}

// A gather whose indices each pick one slice of dimension `dim`; the first `batch_dims` go along with them.
LogicalResult convertTorchIndexSelect(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const int64_t dim = c.integer("dim"), batch = c.integer("batch_dims");
  const auto operandDims = dimsOf(c.operand(0)->shape()), indexDims = dimsOf(c.operand(1)->shape());
  if (dim < 0 || batch < 0 || std::max(dim, batch) >= static_cast<int64_t>(operandDims.size()))
    return c.error("selects along no dimension of its operand");
  Hlo made = c.make("gather", c.operands());
  auto* numbers = made->mutable_gather_dimension_numbers();
  const auto operandRank = static_cast<int64_t>(operandDims.size()),
             indexRank = static_cast<int64_t>(indexDims.size());
  for (int64_t n = 0; n < batch; ++n) {
    numbers->add_operand_batching_dims(n);
    numbers->add_start_indices_batching_dims(n);
  }
  for (int64_t n = batch; n < operandRank; ++n) {
    if (n != dim) numbers->add_offset_dims(n < dim ? n : n - 1 + indexRank - batch);
  }
  numbers->add_collapsed_slice_dims(dim);
  numbers->add_start_index_map(dim);
  numbers->set_index_vector_dim(indexRank);
  for (int64_t n = 0; n < operandRank; ++n)
    made->add_gather_slice_sizes(n < batch || n == dim ? 1 : operandDims[static_cast<size_t>(n)]);
  return c.done(made);
}

}  // namespace hilo::stablehlo
