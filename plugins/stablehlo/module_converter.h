// A function of an MLIR module, with all it calls, as an HLO module.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <mlir/IR/BuiltinOps.h>

#include <optional>
#include <string>

#include "plugins/stablehlo/locations.h"
#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// Operations without operands that may be made again wherever they are used.
bool isConstantLike(mlir::Operation* op);
// func.func and vhlo.func_v1.
bool isFunction(mlir::Operation* op);

class ModuleConverter {
 public:
  // `names`: null where the module was not read from text.
  ModuleConverter(mlir::ModuleOp module, const SourceNames* names);

  // The whole HLO module with `function` as its entry. Nothing on error, which went to
  // the context's diagnostics.
  std::optional<pb::HloModuleProto> convert(mlir::Operation* function);

  // What the text calls what the instructions of the module were made of, after convert().
  const std::vector<std::pair<Hlo, SourceName>>& sources() const { return builder_.sources(); }
  // Of the operation that is being converted: what an error without a place of its own is about.
  const SourceName& current() const { return current_; }

  // ---- for conversions

  ModuleBuilder& builder() { return builder_; }
  Locations& locations() { return locations_; }
  // The computation of a function by name; converted at the first call. Nothing on error.
  std::optional<int64_t> functionComputation(llvm::StringRef name, mlir::Operation* user);
  // A symbol of the module: a function, a mesh.
  mlir::Operation* symbol(llvm::StringRef name) const { return symbols_.lookup(name); }
  std::optional<pb::ShapeProto> shapeFor(mlir::Type type, mlir::Operation* user);
  // What stands for `value` in `scope`; null, with an error at `user`, when nothing does.
  Hlo valueIn(Scope& scope, mlir::Value value, mlir::Operation* user);
  // The operations of `block` and its end: a root of what the block returns and then `extra`.
  std::optional<int64_t> convertBlock(Scope& scope, mlir::Block& block, llvm::ArrayRef<mlir::Value> extra,
                                      bool alwaysTuple);
  // interpreter.probe: the values a probe saw in a computation, and the `iteration`-th of them; null when
  // it saw fewer.
  void recordProbe(int64_t computation, const std::string& probe, Hlo value) {
    probes_[{computation, probe}].push_back(value);
  }
  Hlo probed(int64_t computation, const std::string& probe, int64_t iteration) const;
  // One operation; its results are then in `scope`.
  LogicalResult convertOp(Scope& scope, mlir::Operation* op);
  // `base`, or `base.N` where that is taken.
  std::string uniqueName(llvm::StringRef base);

 private:
  std::optional<pb::ShapeProto> resultShape(mlir::Type type, const OpConversion& conversion);
  std::optional<int64_t> convertFunction(mlir::Operation* function);

  SourceName sourceOf(auto part) const {
    return sourceNames_ == nullptr ? SourceName() : sourceNames_->of(part);
  }

  mlir::ModuleOp module_;
  const SourceNames* sourceNames_;
  SourceName current_;
  ModuleBuilder builder_;
  Locations locations_;
  llvm::StringMap<mlir::Operation*> symbols_;
  llvm::DenseMap<mlir::Operation*, int64_t> functions_;  // 0: being converted
  llvm::StringMap<int64_t> names_;
  std::map<std::pair<int64_t, std::string>, std::vector<Hlo>> probes_;
  int depth_ = 0;
};

}  // namespace hilo::stablehlo
