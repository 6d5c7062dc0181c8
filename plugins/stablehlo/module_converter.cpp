#include "plugins/stablehlo/module_converter.h"

#include <mlir/IR/SymbolTable.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/literals.h"
#include "plugins/stablehlo/module_attributes.h"

namespace hilo::stablehlo {
namespace {

// Functions calling functions, regions inside regions: how deep before we give up.
constexpr int kMaxDepth = 500;

llvm::StringRef plainName(mlir::Operation* op) { return op->getName().stripDialect(); }

bool isReturn(mlir::Operation& op) { return plainName(&op) == "return" || plainName(&op) == "return_v1"; }

const OpRow* rowOf(mlir::Operation* op) {
  return findOp(op->getName().getDialectNamespace(), op->getName().stripDialect());
}

// The types the function declares to return: nothing where it says none.
std::optional<mlir::TypeRange> declaredResults(mlir::Operation* function) {
  const auto type = function->getAttrOfType<mlir::TypeAttr>("function_type");
  const auto signature = type ? llvm::dyn_cast<mlir::FunctionType>(type.getValue()) : nullptr;
  return signature ? std::optional(mlir::TypeRange(signature.getResults())) : std::nullopt;
}

LogicalResult checkReturn(mlir::Operation& op) {
  const auto declared = isFunction(op.getParentOp()) ? declaredResults(op.getParentOp()) : std::nullopt;
  if (!declared) return llvm::success();
  if (declared->size() != op.getNumOperands())
    return op.emitOpError() << "returns " << op.getNumOperands() << " values, the function declares "
                            << declared->size();
  for (unsigned n = 0; n < op.getNumOperands(); ++n) {
    const mlir::Type given = op.getOperand(n).getType();
    if (given != (*declared)[n])
      return op.emitOpError() << "returns " << given << " as result " << n << ", the function declares "
                              << (*declared)[n];
  }
  return llvm::success();
}

}  // namespace

bool isConstantLike(mlir::Operation* op) {
  if (op == nullptr || op->getNumOperands() != 0 || op->getNumRegions() != 0) return false;
  const OpRow* row = rowOf(op);
  return row != nullptr && (llvm::StringRef(row->name) == "constant" || llvm::StringRef(row->name) == "iota");
}

bool isFunction(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  return name == "func.func" || name == "vhlo.func_v1";
}

ModuleConverter::ModuleConverter(mlir::ModuleOp module, const SourceNames* names)
    : module_(module), sourceNames_(names) {
  for (mlir::Operation& op : module.getBody()->getOperations()) {
    if (const auto name = op.getAttrOfType<mlir::StringAttr>("sym_name")) symbols_[name.getValue()] = &op;
  }
}

Hlo ModuleConverter::probed(int64_t computation, const std::string& probe, int64_t iteration) const {
  const auto found = probes_.find({computation, probe});
  if (found == probes_.end() || iteration < 0 || iteration >= static_cast<int64_t>(found->second.size()))
    return nullptr;
  return found->second[static_cast<size_t>(iteration)];
}

std::string ModuleConverter::uniqueName(llvm::StringRef base) {
  const int64_t uses = names_[base]++;
  if (uses == 0) return base.str();
  return (base + "." + llvm::Twine(uses)).str();
}

std::optional<pb::ShapeProto> ModuleConverter::shapeFor(mlir::Type type, mlir::Operation* user) {
  auto shape = shapeOf(type);
  if (!shape) user->emitError() << "type " << type << " has no counterpart in HLO";
  return shape;
}

Hlo ModuleConverter::valueIn(Scope& scope, mlir::Value value, mlir::Operation* user) {
  if (const auto found = scope.values.find(value); found != scope.values.end()) return found->second;
  mlir::Operation* maker = value.getDefiningOp();
  if (isConstantLike(maker)) {
    if (failed(convertOp(scope, maker))) return nullptr;
    return scope.values.lookup(value);
  }
  user->emitOpError() << "uses a value that is not defined before it, or outside a region that cannot see it";
  return nullptr;
}

std::optional<pb::ShapeProto> ModuleConverter::resultShape(mlir::Type type, const OpConversion& conversion) {
  // What begins it decides the shape of what is under way, and what is cast the shape of what nothing
  // is said of.
  if (isFuture(type)) return tokenShape();
  const bool says = !llvm::isa<mlir::UnrankedTensorType>(type) || conversion.row.convert != convertCast;
  return says || conversion.operandCount() == 0 ? shapeFor(type, conversion.op)
                                                : conversion.operand(0)->shape();
}

LogicalResult ModuleConverter::convertOp(Scope& scope, mlir::Operation* op) {
  const OpRow* row = rowOf(op);
  current_ = sourceOf(op);
  if (row == nullptr || row->convert == nullptr) return op->emitOpError() << "has no counterpart in HLO";
  OpConversion conversion(*this, scope, op, *row);
  for (mlir::Value operand : op->getOperands()) {
    Hlo value = valueIn(scope, operand, op);
    if (value == nullptr) return llvm::failure();
    conversion.operands_.push_back(value);
  }
  for (mlir::Type type : op->getResultTypes()) {
    auto shape = resultShape(type, conversion);
    if (!shape) return llvm::failure();
    conversion.resultShapes_.push_back(std::move(*shape));
  }
  scope.to.metadata = locations_.metadataOf(op->getLoc());
  scope.to.source = current_ = sourceOf(op);
  const LogicalResult converted =
      computesOnQuantized(conversion) ? convertThroughFloats(conversion) : row->convert(conversion);
  if (failed(converted)) return llvm::failure();
  return addCommonAttributes(conversion, conversion.made);
}

std::optional<int64_t> ModuleConverter::convertBlock(Scope& scope, mlir::Block& block,
                                                     llvm::ArrayRef<mlir::Value> extra, bool alwaysTuple) {
  if (++depth_ > kMaxDepth) {
    block.getParentOp()->emitError() << "nested more than " << kMaxDepth << " deep";
    return {};
  }
  for (mlir::Operation& op : block) {
    if (!isReturn(op)) {
      if (failed(convertOp(scope, &op))) return {};
      continue;
    }
    scope.to.source = current_ = sourceOf(&op);
    if (failed(checkReturn(op))) return {};
    llvm::SmallVector<Hlo> results;
    llvm::SmallVector<mlir::Value> returned(op.getOperands());
    returned.append(extra.begin(), extra.end());
    for (mlir::Value value : returned) {
      Hlo result = valueIn(scope, value, &op);
      if (result == nullptr) return {};
      if (isFuture(value.getType())) {
        op.emitOpError() << "returns a future; in HLO what is begun in a computation ends in it";
        return {};
      }
      results.push_back(result);
    }
    scope.to.metadata = {};
    if (isFunction(block.getParentOp())) markShardyResults(scope.to, block.getParentOp(), results);
    Hlo root = results.size() == 1 && !alwaysTuple ? results[0] : scope.to.tuple(results);
    if (isFunction(block.getParentOp())) {
      const auto sharding = resultSharding(block.getParentOp());
      if (failed(sharding)) return {};
      if (*sharding && !root->has_sharding()) *root->mutable_sharding() = **sharding;
    }
    const int64_t id = scope.to.id();
    scope.to.finish(root);
    --depth_;
    return id;
  }
  block.getParentOp()->emitError() << "has a region that returns nothing";
  return {};
}

std::optional<int64_t> ModuleConverter::convertFunction(mlir::Operation* function) {
  const auto name = function->getAttrOfType<mlir::StringAttr>("sym_name");
  if (function->getNumRegions() == 0 || function->getRegion(0).empty()) {
    function->emitError() << "function has no body";
    return {};
  }
  if (!function->getRegion(0).hasOneBlock()) {
    function->emitError() << "function has several blocks; HLO has no branches";
    return {};
  }
  mlir::Block& body = function->getRegion(0).front();
  Scope scope(builder_, uniqueName(name ? name.getValue() : "main"));
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    const auto shape = shapeFor(argument.getType(), function);
    if (!shape) return {};
    scope.to.metadata = locations_.metadataOf(argument.getLoc());
    scope.to.source = current_ = sourceOf(argument);
    const std::string given = hloNameOf(current_.name);
    Hlo parameter =
        scope.to.parameter(static_cast<int64_t>(index), *shape, given.empty() ? "" : uniqueName(given));
    if (failed(addArgumentAttributes(function, index, *parameter))) return {};
    scope.values[argument] = parameter;
  }
  return convertBlock(scope, body, {}, /*alwaysTuple=*/false);
}

std::optional<int64_t> ModuleConverter::functionComputation(llvm::StringRef name, mlir::Operation* user) {
  mlir::Operation* function = symbol(name);
  if (function == nullptr || !isFunction(function)) {
    user->emitOpError() << "calls @" << name << ", which is no function of this module";
    return {};
  }
  const auto [found, isNew] = functions_.try_emplace(function, 0);
  if (!isNew && found->second == 0) {
    user->emitOpError() << "calls @" << name << ", which is calling itself; HLO has no recursion";
    return {};
  }
  if (!isNew) return found->second;
  const auto id = convertFunction(function);
  if (id) functions_[function] = *id;
  return id;
}

std::optional<pb::HloModuleProto> ModuleConverter::convert(mlir::Operation* function) {
  const auto name = function->getAttrOfType<mlir::StringAttr>("sym_name");
  functions_[function] = 0;
  if (!convertFunction(function)) return {};
  pb::HloModuleProto proto;
  builder_.finish(proto);
  *proto.mutable_stack_frame_index() = locations_.take();
  if (failed(addModuleAttributes(module_, function, proto))) return {};
  if (proto.name().empty()) proto.set_name(name ? name.str() : "main");
  return proto;
}

}  // namespace hilo::stablehlo
