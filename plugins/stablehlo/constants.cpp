#include "plugins/stablehlo/constants.h"

#include "plugins/stablehlo/literals.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {

Hlo makeConstant(ComputationBuilder& to, mlir::ElementsAttr value, const pb::ShapeProto& shape) {
  if (value.getNumElements() == 0) return to.integer(0, shape);
  auto literal = literalOf(value, shape);
  if (!literal) return nullptr;
  const bool isSplat = literal->shape().dimensions_size() != shape.dimensions_size();
  Hlo made = to.literal(std::move(*literal));
  return isSplat ? to.broadcast(made, {}, shape) : made;
}

std::optional<Integers> constantOperand(const OpConversion& c, size_t n) {
  if (n >= c.op->getNumOperands()) return {};
  mlir::Operation* maker = c.op->getOperand(static_cast<unsigned>(n)).getDefiningOp();
  return isConstantLike(maker) ? integersOf(maker->getAttr("value")) : std::nullopt;
}

}  // namespace hilo::stablehlo
