// What is known of a kernel's scalars and of where its arrays lie, as its operations are
// followed by one thread.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Operation.h>

#include <optional>

namespace hilo::mosaic {

// Where an array begins: bytes of shared memory, columns of tensor memory; the offset of a part is kept
// apart, as MLIR's descriptors keep it.
struct KnownPlace {
  std::optional<int64_t> base, offset;
  std::optional<int64_t> begin() const;
};

class KnownValues {
 public:
  // Of thread `thread` of block 0. The sizes are those of the launch, as far as they are constants.
  explicit KnownValues(int64_t thread) : thread_(thread) {}

  std::optional<int64_t> number(mlir::Value value) const;
  KnownPlace place(mlir::Value value) const;
  void setNumber(mlir::Value value, std::optional<int64_t> number);
  void setPlace(mlir::Value value, KnownPlace place) { places_[value] = place; }
  // What an argument of a loop or a result of a branch takes over.
  void copy(mlir::Value from, mlir::Value to);
  // Indices of threads and blocks, and sizes, of a launch.
  void enter(mlir::Operation* launch);

  // Works out the results of an operation without code of its own; those it does not know stay unknown.
  void evaluate(mlir::Operation* op);

 private:
  bool evaluateNumber(mlir::Operation* op);
  bool evaluateThread(mlir::Operation* op);
  bool evaluateLocal(mlir::Operation* op);
  bool evaluatePlace(mlir::Operation* op);
  bool evaluatePointer(mlir::Operation* op);

  int64_t thread_;
  int64_t nextColumn_ = 0;  // of tensor memory, as it is allocated in order
  llvm::DenseMap<mlir::Value, int64_t> numbers_;
  llvm::DenseMap<mlir::Value, KnownPlace> places_;
  llvm::DenseMap<mlir::Value, int64_t> locals_;  // scalars in memory of the thread: what they hold
};

// Bits of an element; 0 where it has no size of its own.
int64_t elementBits(mlir::Type element);
// Bytes, where the shape is known.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

}  // namespace hilo::mosaic
