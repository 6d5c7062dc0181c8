// Windows that overlap, by tiles: a block does a tile of the places windows have, and what these cover is
// read into the memory that the block shares once.
#pragma once

#include <optional>

#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/places.h"

namespace hilo::gpu {

// Dimensions are those of the input.
struct WindowTiles {
  Shape input;
  std::vector<WindowDimension> windows;
  std::vector<int64_t> placements, tile, region;  // of windows; of a tile of them, and what it covers

  int64_t pieces() const;
  int64_t tileCount() const;
  int64_t regionCount() const;
};

// nullopt: no two windows share an element, or they have holes between elements or go backwards.
std::optional<WindowTiles> windowTiles(Shape input, std::vector<WindowDimension> windows,
                                       std::vector<int64_t> placements, int64_t elementBytes);

class WindowRegion {
 public:
  // Operands of the input's shape and of these types.
  WindowRegion(ElementEmitter& elements, Block& block, const WindowTiles& tiles,
               std::vector<ElementType> types);

  // All of the block read what the tile of its piece of work covers.
  void fill(llvm::ArrayRef<const Instruction*> operands);
  // The placements of the tile, dealt to the threads, by their places in the array of all.
  void forEach(const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body);
  // In the tile's first placement.
  llvm::ArrayRef<llvm::Value*> first() const { return first_; }

  // Where element `inWindow` of the window at `placement` is in the input, and whether it is no padding.
  struct Covered {
    Places place;
    llvm::Value* isReal;
  };
  Covered covered(llvm::ArrayRef<llvm::Value*> placement, llvm::ArrayRef<llvm::Value*> inWindow);
  Scalars load(const Covered& at);

 private:
  llvm::Value* numberOf(const Places& place);
  std::vector<int64_t> inMemoryOrder(const std::vector<int64_t>& sizes) const;
  Places fromMemoryOrder(const Places& ordered) const;

  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block& block_;
  const WindowTiles& tiles_;
  SharedAccumulators shared_;
  Places first_, corner_;  // of placements; of the input, which may lie in the padding
};

}  // namespace hilo::gpu
