// A tile program as code. Elements are functions of their place in the tile; nothing is stored but what folds
// give. Blocks are written in order: what a fold steps through is a loop around what lies in it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>

#include "core/analysis/tile_program/tile_program.h"
#include "core/compiler/codegen/emit/fold.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/tiles/tile_workers.h"

namespace hilo::tiles {

class TileEmitter {
 public:
  // Where result i of the fusion lies, of those that the program stores; the last is what ranks share.
  struct Result {
    int buffer = -1;
    Shape shape;
  };
  TileEmitter(KernelDraft& draft, const TiledFusion& fusion, const TileProgram& program, TileWorkers& workers,
              std::vector<Result> results);

  // The program of tile `number`, an i64. Error kinds: those of the workers, "too-large".
  Status write(llvm::Value* number);

  // For workers.
  const TiledFusion& fusion() const { return fusion_; }
  const TileProgram& program() const { return program_; }
  const TileOperation& operation(size_t number) const { return program_.operations[number]; }
  KernelBuilder& kernel() { return k_; }
  ElementEmitter& applied() { return draft_.elements(); }

  // An element that lies in its array.
  Scalar element(const TileUse& use, const Place& place);
  // Where an element that is read from memory lies.
  llvm::Value* addressOf(const TileUse& load, const Place& place);
  // Goes through the steps of what a fold folds; what lies in its loop is written before `body`.
  Status forEachStep(const TileOperation& fold, const std::function<void()>& body);
  PlacedTile placed(const InstructionTile& tile, Shape array);
  // Of a fold's result: the elements it has.
  PlacedTile placedResult(size_t operation);
  // Whether the element lies in the array, of this or of the folded dimensions in the present step;
  // null: it always does.
  llvm::Value* isInside(const PlacedTile& tile, const Place& place) { return isInside(k_, tile, place); }
  static llvm::Value* isInside(KernelBuilder& kernel, const PlacedTile& tile, const Place& place);
  llvm::Value* isFolded(const TileOperation& fold, llvm::ArrayRef<llvm::Value*> places);

  // Whether all tiles begin at its first element.
  bool isAtZero(size_t variable) const { return firsts_[variable] == k_.int64(0); }

  // Along the i-th of the folded dimensions: where the present step begins, and how many elements of it lie
  // in the array.
  llvm::Value* stepBegin(const TileOperation& fold, size_t i);
  llvm::Value* stepEnd(const TileOperation& fold, size_t i);
  // Of an element among those of the tile, row by row.
  llvm::Value* numberIn(const std::vector<int64_t>& sizes, const Place& place);

  // From here on the operation's elements are read from there, one room a result.
  void hold(size_t operation, std::vector<TileRoom> rooms) { rooms_[operation] = std::move(rooms); }
  // null: it is not held.
  const TileRoom* held(const TileUse& use) const;
  // Each worker has elements of its own: `give` calls its argument with the place and the value of each. It
  // may be asked for where canDeal says so.
  using Take = std::function<void(const Place& place, const Scalar& value)>;
  void deal(size_t operation, std::function<void(const Take&)> give) { dealt_[operation] = std::move(give); }
  // All that is made of it are stores of elements at the same place.
  bool canDeal(size_t operation) const;

  // What is written inside is forgotten after it.
  template <typename F>
  void inFrame(F&& body) {
    frames_.emplace_back();
    body();
    frames_.pop_back();
  }

 private:
  struct Key {
    size_t operation, result;
    Place place;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      h = H::combine(std::move(h), key.operation, key.result);
      for (llvm::Value* value : key.place) h = H::combine(std::move(h), value);
      return h;
    }
  };

  void findTile(llvm::Value* number);
  void readIndices(size_t block);
  Status writeBlock(size_t block);
  void storeResults();
  const Result& placeOf(const TileStore& store) const {
    return store.where == TileStore::Where::Result ? results_[store.result] : results_.back();
  }
  void tellAddress(llvm::Value* number);
  void forEachStored(const TileStore& store, const std::function<void(const Place&)>& body);
  bool storesFrom(const TileStore& store, size_t operation) const;
  void store(const TileStore& store, const Place& place);
  void storeDealt(size_t operation, std::vector<bool>& isDone);
  llvm::Value* valueOf(const AffineExpression& expression);
  static llvm::Value* indexIn(KernelBuilder& kernel, const PlacedTile& tile, const Place& place,
                              size_t dimension);

  // tile_elements.cpp
  llvm::SmallVector<llvm::Value*, 6> arrayIndex(const TileOperation& of, const Place& place);
  Scalar emit(const TileUse& use, const Place& place);
  Scalar chosen(const TileOperation& choose, const Place& place, size_t candidate);
  Place throughReshape(const TileOperation& reshape, const Place& place);

  KernelDraft& draft_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TiledFusion& fusion_;
  const TileProgram& program_;
  TileWorkers& workers_;
  const std::vector<Result> results_;

  std::vector<llvm::Value*> firsts_;  // of each variable's tile, where it is known
  std::vector<IndexRange> ranges_;    // what these can be
  absl::flat_hash_map<size_t, std::vector<TileRoom>> rooms_;
  std::map<size_t, std::function<void(const Take&)>>
      dealt_;  // in order, so that equal kernels are equal bytes
  std::vector<absl::flat_hash_map<Key, Scalar>> frames_;
  int emitted_ = 0;
};

}  // namespace hilo::tiles
