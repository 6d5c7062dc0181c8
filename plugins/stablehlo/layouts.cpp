#include "plugins/stablehlo/layouts.h"

#include <llvm/ADT/STLExtras.h>
#include <mlir/IR/BuiltinAttributes.h>

namespace hilo::stablehlo {
namespace {

bool isOrderOf(Dims order, int rank) {
  Integers sorted(order.begin(), order.end());
  llvm::sort(sorted);
  if (static_cast<int>(sorted.size()) != rank) return false;
  for (size_t n = 0; n < sorted.size(); ++n) {
    if (sorted[n] != static_cast<int64_t>(n)) return false;
  }
  return true;
}

bool sameLayout(const pb::ShapeProto& a, const pb::ShapeProto& b) {
  return llvm::equal(a.layout().minor_to_major(), b.layout().minor_to_major());
}

// A layout, or for a tuple a list of one an element. An empty one is the default.
bool setLayouts(mlir::Attribute layouts, pb::ShapeProto& shape) {
  const auto list = llvm::dyn_cast<mlir::ArrayAttr>(layouts);
  if (!list) {
    const auto order = integersOf(layouts);
    return order && (order->empty() || setLayout(layouts, shape));
  }
  if (static_cast<int>(list.size()) > shape.tuple_shapes_size()) return false;
  for (auto [n, element] : llvm::enumerate(list)) {
    if (!setLayouts(element, *shape.mutable_tuple_shapes(static_cast<int>(n)))) return false;
  }
  return true;
}

// A list of tiles, each a list of sizes, or for a tuple a list of such lists.
bool addTiles(mlir::Attribute tiles, pb::ShapeProto& shape) {
  const auto list = llvm::dyn_cast<mlir::ArrayAttr>(tiles);
  if (!list) return false;
  for (auto [n, element] : llvm::enumerate(list)) {
    if (llvm::isa<mlir::ArrayAttr>(element)) {
      const int at = static_cast<int>(n);
      if (at >= shape.tuple_shapes_size() || !addTiles(element, *shape.mutable_tuple_shapes(at)))
        return false;
      continue;
    }
    const auto sizes = integersOf(element);
    if (!sizes || shape.element_type() == pb::TUPLE) return false;
    if (!sizes->empty())
      shape.mutable_layout()->add_tiles()->mutable_dimensions()->Add(sizes->begin(), sizes->end());
  }
  return true;
}

// What the list says of each of `shapes`: a parameter an entry, or a result alone.
template <typename Add>
LogicalResult addToEach(mlir::ModuleOp module, llvm::StringRef name,
                        google::protobuf::RepeatedPtrField<pb::ShapeProto>& shapes, Add&& add) {
  const mlir::Attribute said = module->getAttr(name);
  if (!said) return llvm::success();
  const auto list = llvm::dyn_cast<mlir::ArrayAttr>(said);
  bool fits = list && static_cast<int>(list.size()) <= shapes.size();
  for (size_t n = 0; fits && n < list.size(); ++n) fits = add(list[n], shapes[static_cast<int>(n)]);
  return fits ? LogicalResult(llvm::success())
              : LogicalResult(module.emitError() << name << " does not fit the entry function: " << said);
}

// Of a result that is one array the list has one entry, of a tuple one an element.
template <typename Add>
LogicalResult addToResult(mlir::ModuleOp module, llvm::StringRef name, pb::ShapeProto& result, Add&& add) {
  const auto list = module->getAttrOfType<mlir::ArrayAttr>(name);
  if (!list) return llvm::success();
  const bool isOne = list.size() == 1 && result.element_type() != pb::TUPLE;
  if (list.empty() || add(isOne ? list[0] : mlir::Attribute(list), result)) return llvm::success();
  return module.emitError() << name << " does not fit the entry function: " << list;
}

}  // namespace

bool setLayout(mlir::Attribute layout, pb::ShapeProto& array) {
  const auto order = integersOf(layout);
  if (!order || array.element_type() == pb::TUPLE || !isOrderOf(*order, array.dimensions_size()))
    return false;
  array.mutable_layout()->clear_minor_to_major();
  array.mutable_layout()->mutable_minor_to_major()->Add(order->begin(), order->end());
  return true;
}

LogicalResult convertBitcast(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  pb::ShapeProto source = c.operand(0)->shape(), result = c.resultShape();
  const auto set = [&](llvm::StringRef name, pb::ShapeProto& shape) {
    return !c.has(name) || setLayout(c.attribute(name), shape);
  };
  if (!set("source_layout", source) || !set("result_layout", result))
    return c.error("has layouts that do not fit its shapes");
  Hlo operand = c.operand(0);
  if (!sameLayout(source, operand->shape())) operand = c.to.add("copy", source, {operand});
  Hlo made = c.to.add("bitcast", result, {operand});
  if (!sameLayout(result, c.resultShape())) made = c.make("copy", {made});
  return c.done(made);
}

LogicalResult addEntryLayouts(mlir::ModuleOp module, pb::ProgramShapeProto& entry) {
  auto& parameters = *entry.mutable_parameters();
  pb::ShapeProto& result = *entry.mutable_result();
  if (failed(addToEach(module, "mhlo.xla_entry_computation_parameter_layouts", parameters, setLayouts)) ||
      failed(addToEach(module, "mhlo.xla_entry_computation_parameter_tiles", parameters, addTiles)) ||
      failed(addToResult(module, "mhlo.xla_entry_computation_result_layout", result, setLayouts)))
    return llvm::failure();
  return addToResult(module, "mhlo.xla_entry_computation_result_tiles", result, addTiles);
}

}  // namespace hilo::stablehlo
