// Matrix products as kernels of our own, for any element type: a tile of the result stays in registers
// while the summed dimension goes by. Operands are brought to the type of the sums, where they have another
// or lie badly, a piece at a time in room on the stack that stays in the near caches.
#pragma once

#include "core/analysis/matrix_product.h"
#include "core/compiler/codegen/emit/kernel_builder.h"

namespace hilo {

// In which type the products are summed; nullopt: not in tiles (complex numbers).
std::optional<ElementType> sumTypeOf(ElementType lhs, ElementType rhs, ElementType result, double work);

// Where lhs, rhs and result of matrix product `number` of the batch begin, in elements.
std::array<llvm::Value*, 3> startsOf(KernelBuilder& kernel, const MatrixProduct& product,
                                     llvm::Value* number);

struct ProductTypes {
  ElementType lhs, rhs, result, sum;
};

// How a dot is cut. Tiles are counted down the rows, panels across the columns.
struct TilePlan {
  MatrixProduct product;
  ProductTypes types;
  VectorRegisters registers;
  int64_t lanes;                       // of a vector
  int64_t panelVectors, panels;        // the last panel may be narrower
  int64_t tileRows, tiles, longTiles;  // the first longTiles have tileRows rows, others one less
  int64_t chunk, chunks;               // of the summed dimension
  int64_t tilesAtOnce, panelsAtOnce;   // in a piece, at most; pieces differ by one at most
  int64_t rowPieces, columnPieces;
  bool packsLines, packsPanels, keepsSums;  // left and right side and the result in room of their own
  bool readsInPlace;                        // both sides, from a thread's own cache
  bool readsRightOnce;  // of few rows: as it lies, from wherever that is, and asked for ahead

  // They can be done in any order, and by several threads.
  int64_t pieces() const { return rowPieces * columnPieces; }
  // Into pieces of tilesAtOnce and panelsAtOnce.
  void cut();
};
TilePlan planTiles(const MatrixProduct& product, ProductTypes types, VectorRegisters registers,
                   int64_t threadCacheBytes);

// Writes dots of one plan, whose result's columns are dense.
class DotTiles {
 public:
  DotTiles(KernelBuilder& kernel, const TilePlan& plan);
  // One piece of the dot of two matrices, which begin there.
  void write(llvm::Value* piece, llvm::Value* lhs, llvm::Value* rhs, llvm::Value* result);

 private:
  struct Range {
    llvm::Value *from, *to;
  };
  // A matrix in an array, or in room: its first element, and strides in elements.
  struct MatrixPlace {
    llvm::Value* start;
    ElementType type;
    int64_t rowStride, columnStride;
  };
  // What a tile reads and writes, of the type of the sums.
  struct Strided {
    llvm::Value* start;
    int64_t rowStride, columnStride;
  };
  struct Tile {
    Strided left, right, sums;
    int64_t rows, columns;
  };
  // `isFirst`: nothing was summed before; null says so of the only chunk.
  void writeChunk(Range tiles, Range panels, Range depth, llvm::Value* isFirst);
  void packLines(Range rows, Range depth);
  void packPanel(llvm::Value* firstColumn, int64_t columns, Range depth);
  void writePanel(Range tiles, Range panels, llvm::Value* panel, int64_t columns, Range depth,
                  llvm::Value* isFirst);
  void writeTile(const Tile& tile, llvm::Value* depth, llvm::Value* isFirst);
  void askForNextPanel(const Strided& right, llvm::Value* line);
  void convertSums(Range tiles, Range panels);
  llvm::Value* firstRow(llvm::Value* tile);
  llvm::Value* at(const Strided& matrix, llvm::Value* row, llvm::Value* column);
  llvm::Value* elementAt(const MatrixPlace& matrix, llvm::Value* row, llvm::Value* column);
  llvm::Value* multiplyAdd(llvm::Value* a, llvm::Value* b, llvm::Value* sum);

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TilePlan& plan_;
  llvm::Type* element_;  // of the sums
  MatrixPlace lhs_{}, rhs_{}, result_{};
  Strided lines_{}, panel_{}, sums_{};
};

}  // namespace hilo
