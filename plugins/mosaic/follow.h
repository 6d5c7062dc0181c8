// Follows one group of threads through a kernel: branches on what is known, loops turn by turn.
#pragma once

#include <mlir/IR/Region.h>

#include <functional>
#include <string>

#include "plugins/mosaic/known_values.h"

namespace hilo::mosaic {

class Follower {
 public:
  // `visit` is told each operation without code of its own, in order, with what is known at it.
  using Visit = std::function<void(mlir::Operation*, const KnownValues&)>;
  // True for an operation that `visit` has to be told in order: a branch on something unknown that holds one
  // ends the following.
  using Matters = std::function<bool(mlir::Operation*)>;
  Follower(int64_t thread, Visit visit, Matters matters)
      : values_(thread), visit_(std::move(visit)), matters_(std::move(matters)) {}

  KnownValues& values() { return values_; }
  // False: it ended early, and stopped() says where and why.
  bool run(mlir::Region& region);
  const std::string& stopped() const { return stopped_; }

 private:
  bool step(mlir::Operation* op);
  bool loop(mlir::Operation* op);
  bool whileLoop(mlir::Operation* op);
  bool choice(mlir::Operation* op);
  bool skip(mlir::Operation* op, llvm::StringRef why);
  bool stop(mlir::Operation* op, llvm::StringRef why);
  void yield(mlir::Block& from, mlir::ValueRange to);

  KnownValues values_;
  Visit visit_;
  Matters matters_;
  std::string stopped_;
  int64_t steps_ = 0;
};

}  // namespace hilo::mosaic
