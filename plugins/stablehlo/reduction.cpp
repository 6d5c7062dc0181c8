#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/dimension_numbers.h"

namespace hilo::stablehlo {
namespace {

// An instruction that calls region 0.
Hlo makeCalling(OpConversion& c, llvm::StringRef name) {
  const auto computation = c.region(0, name);
  if (!computation) return nullptr;
  Hlo made = c.make();
  made->add_called_computation_ids(*computation);
  return made;
}

Hlo withDimensions(Hlo made, const Integers& dims) {
  made->mutable_dimensions()->Add(dims.begin(), dims.end());
  return made;
}

}  // namespace

LogicalResult convertReduce(OpConversion& c) {
  Hlo made = makeCalling(c, "reducer");
  if (made == nullptr) return llvm::failure();
  return c.done(withDimensions(made, c.integersOr("dimensions", 0, 0)));
}

LogicalResult convertReduceWindow(OpConversion& c) {
  Hlo made = makeCalling(c, "window_reducer");
  if (made == nullptr) return llvm::failure();
  const WindowNames names{"window_strides", "padding", "base_dilations", "window_dilations", ""};
  const Integers sizes = c.integersOr("window_dimensions", 0, 0);
  if (!readWindow(c, sizes, names, {}, *made->mutable_window())) return llvm::failure();
  return c.done(made);
}

LogicalResult convertSelectAndScatter(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const auto select = c.region(0, "select"), scatter = c.region(1, "scatter");
  if (!select || !scatter) return llvm::failure();
  Hlo made = c.make();
  made->add_called_computation_ids(*select);
  made->add_called_computation_ids(*scatter);
  const int64_t rank = c.operand(0)->shape().dimensions_size();
  const WindowNames names{"window_strides", "padding", "", "", ""};
  if (!readWindow(c, c.integersOr("window_dimensions", rank, 1), names, {}, *made->mutable_window()))
    return llvm::failure();
  return c.done(made);
}

LogicalResult convertMap(OpConversion& c) {
  Hlo made = makeCalling(c, "map");
  if (made == nullptr) return llvm::failure();
  return c.done(withDimensions(made, c.integersOr("dimensions", 0, 0)));
}

LogicalResult convertSort(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  if (c.operandCount() == 0) return c.error("sorts nothing");
  Hlo made = makeCalling(c, "comparator");
  if (made == nullptr) return llvm::failure();
  const int64_t rank = c.operand(0)->shape().dimensions_size();
  int64_t dimension = c.integer("dimension", -1);
  if (dimension < 0) dimension += rank;
  made->set_is_stable(c.flag("is_stable"));
  return c.done(withDimensions(made, {dimension}));
}

LogicalResult convertScatter(OpConversion& c) {
  Hlo made = makeCalling(c, "update");
  if (made == nullptr) return llvm::failure();
  auto* numbers = made->mutable_scatter_dimension_numbers();
  const auto put = [&](llvm::StringRef name, auto* list) {
    const Integers dims = c.fieldIntegers("scatter_dimension_numbers", name);
    list->Add(dims.begin(), dims.end());
  };
  put("update_window_dims", numbers->mutable_update_window_dims());
  put("inserted_window_dims", numbers->mutable_inserted_window_dims());
  put("input_batching_dims", numbers->mutable_input_batching_dims());
  put("scatter_indices_batching_dims", numbers->mutable_scatter_indices_batching_dims());
  put("scatter_dims_to_operand_dims", numbers->mutable_scatter_dims_to_operand_dims());
  const Integers vector = c.fieldIntegers("scatter_dimension_numbers", "index_vector_dim");
  numbers->set_index_vector_dim(vector.empty() ? 0 : vector[0]);
  made->set_indices_are_sorted(c.flag("indices_are_sorted"));
  made->set_unique_indices(c.flag("unique_indices"));
  return c.done(made);
}

LogicalResult convertScan(OpConversion& c) {
  const auto computation = c.region(0, "scan", /*alwaysTuple=*/true);
  if (!computation) return llvm::failure();
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (size_t n = 0; n < c.resultCount(); ++n) shapes.push_back(c.resultShape(n));
  Hlo made = c.to.add("scan", tupleShape(shapes), c.operands());
  made->add_called_computation_ids(*computation);
  const Integers segments = c.integersOr("operandSegmentSizes", 2, 0);
  made->set_num_carries(segments.size() == 2 ? segments[1] : 0);
  made->set_is_reverse(c.flag("is_reverse"));
  if (c.has("is_associative"))
    made->set_is_associative(c.flag("is_associative") ? pb::TRI_STATE_TRUE : pb::TRI_STATE_FALSE);
  withDimensions(made, {c.integer("dimension")});
  c.made = made;
  return c.done(Hlos(c.to.elements(made)));
}

LogicalResult convertTopK(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const pb::ShapeProto& shape = c.operand(0)->shape();
  const int rank = shape.dimensions_size();
  if (rank == 0 || c.resultShape(0).dimensions_size() != rank)
    return c.error("has no last dimension to look along");
  Hlo made = c.make("topk", {c.operand(0)});
  made->set_k(c.integer("k", c.resultShape(0).dimensions(rank - 1)));
  made->set_largest(c.integer("largest", 1) != 0);
  made->set_is_stable(c.integer("is_stable", 1) != 0);
  return c.done(made);
}

LogicalResult convertBatchNorm(OpConversion& c) {
  Hlo made = c.make();
  made->set_epsilon(static_cast<float>(c.number("epsilon")));
  made->set_feature_index(c.integer("feature_index"));
  return c.done(made);
}

}  // namespace hilo::stablehlo
