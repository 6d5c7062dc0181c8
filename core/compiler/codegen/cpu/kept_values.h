// Values that are computed for a fold and that others ask for again: each is kept in room of its own, where
// it is quicker read back than computed again.
#pragma once

#include "core/compiler/codegen/cpu/host_worker.h"

namespace hilo::cpu {

class KeptValues {
 public:
  // Of a fold along dimension `along` of its operand. What is asked for again: of a fold in one step the
  // operations that it folds, of one in several those that stand outside of its loop as a whole.
  KeptValues(tiles::TileEmitter& tiles, size_t fold, size_t along, HostWorker& worker);

  // The room of what is folded in one step, a line of it side by side. null: it is not kept.
  const tiles::TileRoom* folded() const;
  // Writes those at this place of the operand.
  void keep(const tiles::Place& place);
  // From here on they are read back.
  void hold();

 private:
  struct Kept {
    size_t computed, held;  // operations; the second may be the first
    std::vector<int64_t> sizes;
    tiles::TileRoom room;
  };
  void add(size_t computed, size_t held);
  void addOver(size_t operation);
  std::optional<size_t> wholeOf(size_t operation) const;
  bool isWhole(const InstructionTile& whole, const InstructionTile& step) const;

  tiles::TileEmitter& tiles_;
  HostWorker& worker_;
  const size_t fold_, along_;
  const TileOperation& reduce_;
  size_t alongFolded_ = 0;  // along_ among the folded dimensions
  std::vector<Kept> kept_;
};

}  // namespace hilo::cpu
