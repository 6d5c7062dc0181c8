// The test data's own operations: a check becomes a custom call "check.NAME" of what it compares, for the
// workspace to judge; its limits are frontend attributes.
#include <llvm/ADT/SmallString.h>
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/constants.h"
#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

Hlo makeCheck(OpConversion& c, llvm::StringRef name, Hlos operands) {
  Hlo made = c.to.add("custom-call", tupleShape({}), operands);
  made->set_custom_call_target(("check." + name).str());
  made->set_custom_call_has_side_effect(true);
  made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
  struct Limit {
    llvm::StringRef check;
    const char* name;
    const char* otherwise;  // the operation's default; a custom call without limits has others
  };
  static constexpr Limit kLimits[] = {{"expect_almost_eq", "tolerance", "1e-4"},
                                      {"expect_close", "max_ulp_difference", "1"},
                                      {"expect_close", "min_ulp_difference", "0"}};
  for (const auto& [check, limit, otherwise] : kLimits) {
    if (check != name) continue;
    mlir::Attribute value = c.attribute(limit);
    std::string text = otherwise;
    if (const auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value)) {
      llvm::SmallString<24> digits;
      integer.getValue().toString(digits, 10, /*Signed=*/false);
      text = digits.str();
    } else if (value) {
      text = std::to_string(c.number(limit));
    }
    (*made->mutable_frontend_attributes()->mutable_map())[limit] = text;
  }
  return made;
}

}  // namespace

LogicalResult convertCheck(OpConversion& c) {
  if (failed(c.needs(1, 0))) return llvm::failure();
  llvm::SmallVector<Hlo> operands(c.operands());
  llvm::StringRef name = c.row.opcode;
  if (const auto value = llvm::dyn_cast_or_null<mlir::ElementsAttr>(c.attribute("value"))) {
    operands.push_back(
        makeConstant(c.to, value, withDims(operands[0]->shape(), dimsOf(operands[0]->shape()))));
    if (operands.back() == nullptr) return c.error("has elements HLO cannot hold, or none");
  }
  if (name == "expect_serialized_eq") {
    // What a probe saw in this very computation is known here; in a loop it is only when the program runs.
    Hlo probed = c.module.probed(c.to.id(), c.text("probe_id"), c.integer("iteration"));
    if (probed != nullptr) {
      operands.push_back(probed);
      name = "expect_eq";
    }
  }
  return c.done(makeCheck(c, name, operands));
}

LogicalResult convertProbe(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  c.module.recordProbe(c.to.id(), c.text("probe_id"), c.operand(0));
  return c.done(c.operand(0));
}

LogicalResult convertRunParallel(OpConversion& c) {
  const auto rows = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("programs"));
  if (!rows || rows.empty()) return c.error("lacks programs");
  Hlo made = c.make("custom-call", c.operands());
  made->set_custom_call_target("interpreter.run_parallel");
  made->set_custom_call_has_side_effect(true);
  made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
  size_t partitions = 0;
  for (mlir::Attribute row : rows) {
    const auto programs = llvm::dyn_cast<mlir::ArrayAttr>(row);
    if (!programs || (partitions != 0 && programs.size() != partitions))
      return c.error("has programs that are no grid");
    partitions = programs.size();
    for (mlir::Attribute program : programs) {
      const auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(program);
      const auto computation = c.module.functionComputation(name ? name.getValue() : "", c.op);
      if (!computation) return llvm::failure();
      made->add_called_computation_ids(*computation);
    }
  }
  auto& map = *made->mutable_frontend_attributes()->mutable_map();
  map["replicas"] = std::to_string(rows.size());
  map["partitions"] = std::to_string(partitions);
  // What the infeed gives are functions too, each for one infeed.
  const auto infeeds = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("infeed"));
  for (mlir::Attribute infeed : infeeds ? infeeds.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    const auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(infeed);
    const auto computation = c.module.functionComputation(name ? name.getValue() : "", c.op);
    if (!computation) return llvm::failure();
    made->add_called_computation_ids(*computation);
  }
  if (infeeds) map["infeeds"] = std::to_string(infeeds.size());
  return c.done(made);
}

LogicalResult convertNothing(OpConversion& c) { return c.done(Hlos()); }

}  // namespace hilo::stablehlo
