// Operations that MHLO alone has: HLO's own, with nothing between.
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/conversions.h"

namespace hilo::stablehlo {

LogicalResult convertFusion(OpConversion& c) {
  const auto computation = c.region(0, "fused_computation");
  if (!computation) return llvm::failure();
  Hlo made = c.make("fusion", c.operands());
  made->add_called_computation_ids(*computation);
  made->set_fusion_kind(c.text("fusion_kind", "kLoop"));
  readAliases(c, made);
  return c.done(made);
}

LogicalResult convertDomain(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo made = c.make("domain", c.operands());
  if (!made->mutable_domain_entry_sharding()->ParseFromString(c.text("entry_metadata")) ||
      !made->mutable_domain_exit_sharding()->ParseFromString(c.text("exit_metadata")))
    return c.error("has metadata that is no sharding");
  return c.done(made);
}

LogicalResult convertRngGetAndUpdateState(OpConversion& c) {
  Hlo made = c.make("rng-get-and-update-state", {});
  made->set_delta(c.integer("delta"));
  return c.done(made);
}

}  // namespace hilo::stablehlo
