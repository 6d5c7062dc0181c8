#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {

// HLO's while carries one tuple and sees nothing else: what the regions use from outside is carried along.
LogicalResult convertWhile(OpConversion& c) {
  const auto captured = c.captures();
  const auto condition = c.tupleRegion(0, "condition", captured, /*passOn=*/false, /*alwaysTuple=*/false);
  if (!condition) return llvm::failure();
  const auto body = c.tupleRegion(1, "body", captured, /*passOn=*/true, /*alwaysTuple=*/true);
  if (!body) return llvm::failure();
  llvm::SmallVector<Hlo> carried(c.operands());
  for (mlir::Value value : captured) {
    Hlo outside = c.valueOf(value);
    if (outside == nullptr) return llvm::failure();
    carried.push_back(outside);
  }
  Hlo start = c.to.tuple(carried);
  Hlo made = c.to.add("while", start->shape(), {start});
  made->add_called_computation_ids(*body);
  made->add_called_computation_ids(*condition);
  llvm::SmallVector<Hlo> results;
  for (size_t n = 0; n < c.resultCount(); ++n) results.push_back(c.to.element(made, static_cast<int64_t>(n)));
  c.made = made;
  return c.done(Hlos(results));
}

namespace {

// Each branch gets a tuple of what its region uses from outside.
LogicalResult convertBranches(OpConversion& c, llvm::StringRef name) {
  const auto captured = c.captures();
  llvm::SmallVector<Hlo> outside;
  for (mlir::Value value : captured) {
    outside.push_back(c.valueOf(value));
    if (outside.back() == nullptr) return llvm::failure();
  }
  Hlo argument = c.to.tuple(outside);
  llvm::SmallVector<Hlo> operands{c.operand(0)};
  llvm::SmallVector<int64_t> branches;
  for (unsigned n = 0; n < c.op->getNumRegions(); ++n) {
    const auto branch = c.tupleRegion(n, name, captured, /*passOn=*/false, /*alwaysTuple=*/false);
    if (!branch) return llvm::failure();
    branches.push_back(*branch);
    operands.push_back(argument);
  }
  Hlo made = c.make("conditional", operands);
  made->mutable_called_computation_ids()->Add(branches.begin(), branches.end());
  return c.done(made);
}

}  // namespace

LogicalResult convertIf(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  return convertBranches(c, "if_branch");
}
LogicalResult convertCase(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  return convertBranches(c, "case_branch");
}

LogicalResult convertCall(OpConversion& c) {
  const auto computation = c.module.functionComputation(c.text("callee"), c.op);
  if (!computation) return llvm::failure();
  Hlo made = c.make("call", c.operands());
  made->add_called_computation_ids(*computation);
  return c.done(made);
}

LogicalResult convertComposite(OpConversion& c) {
  const auto computation = c.module.functionComputation(c.text("decomposition"), c.op);
  if (!computation) return llvm::failure();
  Hlo made = c.make("call", c.operands());
  made->add_called_computation_ids(*computation);
  made->set_is_composite(true);
  auto& map = *made->mutable_frontend_attributes()->mutable_map();
  map["composite.name"] = c.text("name");
  mlir::Attribute attributes = c.attribute("composite_attributes");
  map["composite.attributes"] = attributes ? textOf(attributes) : "{}";
  map["composite.version"] = std::to_string(c.integer("version"));
  return c.done(made);
}

LogicalResult convertTuple(OpConversion& c) { return c.done(c.to.tuple(c.operands())); }

LogicalResult convertGetTupleElement(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const int64_t index = c.integer("index");
  if (index < 0 || index >= c.operand(0)->shape().tuple_shapes_size())
    return c.error("has an index outside its tuple");
  return c.done(c.to.element(c.operand(0), index));
}

LogicalResult convertOptimizationBarrier(OpConversion& c) {
  if (c.operandCount() == 1) return c.done(c.make());
  Hlo whole = c.to.tuple(c.operands());
  return c.done(c.to.add("opt-barrier", whole->shape(), {whole}));
}

LogicalResult convertRng(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  if (!isResultKnown(c)) return convertToCustomCall(c);
  Hlo made = c.make("rng", {c.operand(0), c.operand(1)});
  made->set_distribution(c.text("rng_distribution") == "NORMAL" ? pb::RNG_NORMAL : pb::RNG_UNIFORM);
  return c.done(made);
}

LogicalResult convertRngBitGenerator(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo made = c.make();
  const std::string algorithm = c.text("rng_algorithm");
  made->set_rng_algorithm(algorithm == "THREE_FRY" ? pb::RNG_THREE_FRY
                          : algorithm == "PHILOX"  ? pb::RNG_PHILOX
                                                   : pb::RNG_DEFAULT);
  return c.done(made);
}

}  // namespace hilo::stablehlo
