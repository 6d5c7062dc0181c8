#include "plugins/stablehlo/op_conversion.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {

std::optional<Integers> integersOf(mlir::Attribute attribute) {
  Integers numbers;
  if (const auto one = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute)) {
    if (one.getValue().getSignificantBits() > 64) return {};
    numbers.push_back(one.getType().isInteger(1) ? static_cast<int64_t>(one.getValue().getZExtValue())
                                                 : one.getValue().getSExtValue());
    return numbers;
  }
  if (const auto dense = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attribute)) {
    numbers.append(dense.asArrayRef().begin(), dense.asArrayRef().end());
    return numbers;
  }
  if (const auto dense = llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(attribute)) {
    numbers.append(dense.asArrayRef().begin(), dense.asArrayRef().end());
    return numbers;
  }
  if (const auto dense = llvm::dyn_cast_or_null<mlir::DenseBoolArrayAttr>(attribute)) {
    numbers.append(dense.asArrayRef().begin(), dense.asArrayRef().end());
    return numbers;
  }
  if (const auto dense = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attribute)) {
    // A list of attributes is small; a splat of a huge type is not what it says.
    const auto type = llvm::dyn_cast<mlir::IntegerType>(dense.getElementType());
    if (dense.getNumElements() > (1 << 20) || (type && type.getWidth() > 64)) return {};
    const bool isBool = dense.getElementType().isInteger(1);
    for (const llvm::APInt& value : dense.getValues<llvm::APInt>())
      numbers.push_back(isBool ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue());
    return numbers;
  }
  if (const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(attribute)) {
    for (mlir::Attribute element : list) {
      const auto one = integersOf(element);
      if (!one) return {};
      numbers.append(*one);
    }
    return numbers;
  }
  return {};
}

OpConversion OpConversion::as(const OpRow& other) const {
  OpConversion copy(module, scope_, op, other);
  copy.operands_ = operands_;
  copy.resultShapes_ = resultShapes_;
  return copy;
}

pb::ShapeProto OpConversion::resultShape() const {
  return resultShapes_.size() == 1 ? resultShapes_[0] : tupleShape(resultShapes_);
}

mlir::Attribute OpConversion::attribute(llvm::StringRef name) const { return op->getAttr(name); }

mlir::Attribute OpConversion::field(llvm::StringRef structure, llvm::StringRef name) const {
  if (const auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(attribute(structure)))
    return fields.get(name);
  return attribute(name);
}

std::optional<Integers> OpConversion::integers(llvm::StringRef name) const {
  return integersOf(attribute(name));
}

Integers OpConversion::integersOr(llvm::StringRef name, int64_t count, int64_t value) const {
  if (auto numbers = integers(name)) return *numbers;
  return Integers(static_cast<size_t>(count), value);
}

Integers OpConversion::fieldIntegers(llvm::StringRef structure, llvm::StringRef name) const {
  return integersOf(field(structure, name)).value_or(Integers{});
}

int64_t OpConversion::integer(llvm::StringRef name, int64_t otherwise) const {
  const auto numbers = integers(name);
  return numbers && numbers->size() == 1 ? (*numbers)[0] : otherwise;
}

double OpConversion::number(llvm::StringRef name, double otherwise) const {
  const auto value = llvm::dyn_cast_or_null<mlir::FloatAttr>(attribute(name));
  return value ? value.getValueAsDouble() : otherwise;
}

std::string OpConversion::text(llvm::StringRef name, llvm::StringRef otherwise) const {
  if (const auto value = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute(name)))
    return value.getValue().str();
  if (const auto value = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(attribute(name)))
    return value.getValue().str();
  return otherwise.str();
}

LogicalResult OpConversion::done(Hlo value) {
  made = value;
  if (op->getNumResults() == 1) {
    scope_.values[op->getResult(0)] = value;
    return llvm::success();
  }
  const std::vector<Hlo> elements = op->getNumResults() == 0 ? std::vector<Hlo>{} : to.elements(value);
  return done(Hlos(elements));
}

LogicalResult OpConversion::done(Hlos values) {
  if (values.size() != op->getNumResults()) return error("has another number of results than its HLO form");
  if (made == nullptr && values.size() == 1) made = values[0];
  for (size_t n = 0; n < values.size(); ++n) scope_.values[op->getResult(n)] = values[n];
  return llvm::success();
}

LogicalResult OpConversion::needs(size_t operands, size_t results) const {
  if (operandCount() < operands) return error("needs " + llvm::Twine(operands) + " operands");
  if (resultCount() < results) return error("needs " + llvm::Twine(results) + " results");
  return llvm::success();
}

LogicalResult OpConversion::error(const llvm::Twine& message) const { return op->emitOpError(message); }

Hlo OpConversion::valueOf(mlir::Value value) { return module.valueIn(scope_, value, op); }

llvm::SmallVector<mlir::Value> OpConversion::captures() {
  llvm::SetVector<mlir::Value> found;
  for (mlir::Region& region : op->getRegions()) {
    region.walk([&](mlir::Operation* inner) {
      for (mlir::Value value : inner->getOperands()) {
        if (op->isAncestor(value.getParentBlock()->getParentOp()) &&
            value.getParentRegion() != op->getParentRegion())
          continue;
        if (!isConstantLike(value.getDefiningOp())) found.insert(value);
      }
    });
  }
  return found.takeVector();
}

std::optional<int64_t> OpConversion::region(size_t n, llvm::StringRef name, bool alwaysTuple) {
  if (n >= op->getNumRegions() || !op->getRegion(n).hasOneBlock()) {
    (void)error("needs a region of one block");
    return {};
  }
  mlir::Block& block = op->getRegion(n).front();
  Scope inner(module.builder(), module.uniqueName(name));
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    const auto shape = module.shapeFor(argument.getType(), op);
    if (!shape) return {};
    inner.values[argument] = inner.to.parameter(static_cast<int64_t>(index), *shape, "");
  }
  return module.convertBlock(inner, block, {}, alwaysTuple);
}

std::optional<llvm::SmallVector<Hlo>> OpConversion::inlineBlock(mlir::Block& block) {
  if (block.getNumArguments() != operandCount()) {
    (void)error("has a region of another number of arguments than operands");
    return {};
  }
  for (auto [argument, operand] : llvm::zip(block.getArguments(), operands_))
    scope_.values[argument] = operand;
  for (mlir::Operation& inner : block.without_terminator()) {
    if (failed(module.convertOp(scope_, &inner))) return {};
  }
  llvm::SmallVector<Hlo> results;
  for (mlir::Value value : block.back().getOperands()) {
    Hlo result = module.valueIn(scope_, value, op);
    if (result == nullptr) return {};
    results.push_back(result);
  }
  return results;
}

std::optional<int64_t> OpConversion::tupleRegion(size_t n, llvm::StringRef name,
                                                 llvm::ArrayRef<mlir::Value> captured, bool passOn,
                                                 bool alwaysTuple) {
  if (n >= op->getNumRegions() || !op->getRegion(n).hasOneBlock()) {
    (void)error("needs a region of one block");
    return {};
  }
  mlir::Block& block = op->getRegion(n).front();
  Scope inner(module.builder(), module.uniqueName(name));
  llvm::SmallVector<mlir::Value> values(block.getArguments().begin(), block.getArguments().end());
  values.append(captured.begin(), captured.end());
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (mlir::Value value : values) {
    const auto shape = module.shapeFor(value.getType(), op);
    if (!shape) return {};
    shapes.push_back(*shape);
  }
  Hlo parameter = inner.to.parameter(0, tupleShape(shapes), "");
  for (auto [index, value] : llvm::enumerate(values))
    inner.values[value] = inner.to.element(parameter, static_cast<int64_t>(index));
  return module.convertBlock(inner, block, passOn ? captured : llvm::ArrayRef<mlir::Value>(), alwaysTuple);
}

}  // namespace hilo::stablehlo
