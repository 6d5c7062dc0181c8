// The threads of a block as the workers of a tile: elements are dealt to them one by one, folds meet by
// shuffles and in shared memory, products of matrices are done by tensor cores where types and sizes allow.
#pragma once

#include <memory>

#include "core/compiler/codegen/gpu/block.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/tiles/tile_emitter.h"

namespace hilo::gpu {

class BlockWorker final : public tiles::TileWorkers {
 public:
  BlockWorker(KernelBuilder& kernel, ProgramTarget& target)
      : k_(kernel), b_(kernel.b()), block_(kernel), target_(target) {}

  Block& block() { return block_; }

  llvm::Value* allocate(llvm::Type* type, int64_t count) override;
  void meet() override { block_.barrier(); }
  void forEach(const tiles::PlacedTile& tile, const std::function<void(const tiles::Place&)>& body) override;
  Status reduce(tiles::TileEmitter& tiles, size_t operation) override;
  Status dot(tiles::TileEmitter& tiles, size_t operation) override;

  // A number for each of `count`, dealt to the threads; neighbours have neighbours.
  void forEachNumber(int64_t count, const std::function<void(llvm::Value*)>& body);
  tiles::TileRoom room(ElementType type, int64_t count);
  // The elements of a dot that `give` gives, each by the thread that has it: as they are asked for where they
  // are asked for once, else kept in shared memory. `give` is called as long as the worker lives.
  Status giveSums(tiles::TileEmitter& tiles, size_t operation, const TileOperation& dot,
                  std::function<void(const tiles::TileEmitter::Take&)> give);
  // Keeps what deals elements as long as it may be asked for them.
  void keep(std::shared_ptr<void> dot) { dots_.push_back(std::move(dot)); }
  // Error kind "too-much-shared-memory": more than a block has without asking.
  Status fits() const;

 private:
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block block_;
  ProgramTarget& target_;
  int64_t refused_ = 0;                      // bytes that were not there
  std::vector<std::shared_ptr<void>> dots_;  // that deal their elements
};

// Of types in tensor_types.def, one matrix a tile: by tensor cores. False where the dot is none of theirs.
Result<bool> tensorDot(tiles::TileEmitter& tiles, size_t operation, BlockWorker& worker,
                       ProgramTarget& target);

}  // namespace hilo::gpu
