#include "core/compiler/codegen/cpu/dot_tiles.h"

#include "core/compiler/codegen/cpu/choices/library_convolution.h"
#include "core/runtime/program/program.h"

namespace hilo {

using llvm::Value;

namespace {

int64_t dividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<ElementType> sumTypeOf(ElementType lhs, ElementType rhs, ElementType result, double work) {
  const auto all = {lhs, rhs, result};
  if (std::ranges::any_of(all, isComplex)) return std::nullopt;
  if (std::ranges::none_of(all, isFloat))
    return elementBits(result) <= 32 ? ElementType::S32 : ElementType::S64;
  const auto isShortFloat = [](ElementType type) { return isFloat(type) && type != ElementType::F64; };
  return std::ranges::all_of(all, isShortFloat) && work >= kLeastLibraryWork ? ElementType::F32
                                                                             : ElementType::F64;
}

// Where the matrices of one dot of the batch lie, in elements.
std::array<Value*, 3> startsOf(KernelBuilder& k, const MatrixProduct& product, Value* number) {
  std::array<Value*, 3> starts = {k.int64(0), k.int64(0), k.int64(0)};
  for (size_t d = product.batch.size(); d-- > 0;) {
    const ProductRun& run = product.batch[d];
    Value* place = k.b().CreateURem(number, k.int64(run.size));
    number = k.b().CreateUDiv(number, k.int64(run.size));
    for (size_t a = 0; a < starts.size(); ++a)
      starts[a] = k.b().CreateAdd(starts[a], k.b().CreateMul(place, k.int64(run.strides[a])));
  }
  return starts;
}

namespace {

// Where nothing is brought into room small pieces cost nothing, and threads get equal shares of them.
void cutEvenly(TilePlan& p) {
  constexpr int64_t kPieces = 8;
  constexpr double kLeastWork = 1 << 17;
  while (p.pieces() < kPieces && p.product.workOfOne() >= 2 * kLeastWork * static_cast<double>(p.pieces())) {
    int64_t& atOnce = p.panelsAtOnce > 1 ? p.panelsAtOnce : p.tilesAtOnce;
    if (atOnce == 1) break;
    atOnce = dividedUp(atOnce, 2);
    p.cut();
  }
}

}  // namespace

void TilePlan::cut() {
  rowPieces = dividedUp(tiles, tilesAtOnce);
  columnPieces = dividedUp(panels, panelsAtOnce);
}

// Tiles fill the registers. A panel of the right side, as wide as a tile, stays in the first cache, the piece
// of the left side in the second. A side that is larger than that is brought into room a piece at a time, so
// that it is read in long stretches and from few pages; others are quicker read as they lie.
TilePlan planTiles(const MatrixProduct& product, ProductTypes types, VectorRegisters registers,
                   int64_t threadCacheBytes) {
  constexpr int64_t kChunk = 256, kMostTileRows = 16, kRowsAtOnce = 112, kColumnBytesAtOnce = 2048,
                    kWidestPanel = 8;
  const int64_t bytes = elementStorageBytes(types.sum), rows = product.rows.size,
                columns = product.columns.size, depth = product.sum.size;
  TilePlan p{.product = product, .types = types, .registers = registers};
  p.lanes = registers.bytes / bytes;
  const int64_t vectors = dividedUp(columns, p.lanes);
  // Of few rows there are registers for more columns, whose lines are read in longer stretches.
  p.panelVectors = std::min(std::clamp<int64_t>((registers.count - 4) / rows, 2, kWidestPanel), vectors);
  p.panels = dividedUp(vectors, p.panelVectors);
  p.tiles = dividedUp(rows, std::min(kMostTileRows, (registers.count - 4) / p.panelVectors));
  p.tileRows = dividedUp(rows, p.tiles);
  p.longTiles = rows - p.tiles * (p.tileRows - 1);
  p.chunk = dividedUp(dividedUp(depth, dividedUp(depth, kChunk)), 4) * 4;
  p.chunks = dividedUp(depth, p.chunk);
  p.tilesAtOnce = std::min(p.tiles, std::max<int64_t>(1, kRowsAtOnce / p.tileRows));
  p.panelsAtOnce = std::min(p.panels, kColumnBytesAtOnce / (p.panelVectors * registers.bytes));
  p.cut();
  const bool isRightNear = depth * columns * bytes <= threadCacheBytes,
             isLeftNear = depth * rows * bytes <= threadCacheBytes;
  p.packsPanels = types.rhs != types.sum || (columns > 1 && product.columns.in(ProductArray::Rhs) != 1) ||
                  (p.tiles > 2 && !isRightNear);
  p.packsLines = types.lhs != types.sum || (p.panels > 3 && !isLeftNear);
  p.keepsSums = types.result != types.sum;
  // Of the left side a panel reads lines that are far apart.
  p.readsInPlace =
      isRightNear && 4 * depth * rows * bytes <= threadCacheBytes && !p.packsPanels && !p.packsLines;
  p.readsRightOnce = p.tiles == 1 && !p.packsPanels && !isRightNear;
  if (p.readsInPlace) cutEvenly(p);
  return p;
}

DotTiles::DotTiles(KernelBuilder& kernel, const TilePlan& plan)
    : k_(kernel), b_(kernel.b()), plan_(plan), element_(kernel.scalars().valueType(plan.types.sum)) {
  const auto place = [&](ElementType type, const ProductRun& down, const ProductRun& across,
                         ProductArray array) {
    return MatrixPlace{nullptr, type, down.in(array), across.in(array)};
  };
  const auto& [rows, columns, sum, batch] = plan.product;
  lhs_ = place(plan.types.lhs, rows, sum, ProductArray::Lhs);
  rhs_ = place(plan.types.rhs, sum, columns, ProductArray::Rhs);
  result_ = place(plan.types.result, rows, columns, ProductArray::Result);
}

Value* DotTiles::firstRow(Value* tile) {
  Value* row = b_.CreateMul(tile, k_.int64(plan_.tileRows), "", true, true);
  if (plan_.longTiles == plan_.tiles) return row;
  Value* beyond = b_.CreateSub(tile, k_.int64(plan_.longTiles));
  return b_.CreateSub(row, b_.CreateSelect(b_.CreateICmpSGT(beyond, k_.int64(0)), beyond, k_.int64(0)));
}

Value* DotTiles::at(const Strided& matrix, Value* row, Value* column) {
  Value* place =
      b_.CreateAdd(b_.CreateMul(row, k_.int64(matrix.rowStride), "", true, true),
                   b_.CreateMul(column, k_.int64(matrix.columnStride), "", true, true), "", true, true);
  return b_.CreateInBoundsGEP(element_, matrix.start, {place});
}

Value* DotTiles::elementAt(const MatrixPlace& matrix, Value* row, Value* column) {
  Value* place =
      b_.CreateAdd(b_.CreateMul(row, k_.int64(matrix.rowStride), "", true, true),
                   b_.CreateMul(column, k_.int64(matrix.columnStride), "", true, true), "", true, true);
  return b_.CreateInBoundsGEP(k_.scalars().storageType(matrix.type), matrix.start, {place});
}

Value* DotTiles::multiplyAdd(Value* a, Value* b, Value* sum) {
  if (isFloat(plan_.types.sum))
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {a, b, sum});
  return b_.CreateAdd(b_.CreateMul(a, b), sum);
}

void DotTiles::write(Value* piece, Value* lhs, Value* rhs, Value* result) {
  lhs_.start = lhs;
  rhs_.start = rhs;
  result_.start = result;
  const int64_t panelWidth = plan_.panelVectors * plan_.lanes;
  const auto rangeOf = [&](Value* number, int64_t pieces, int64_t count) {
    const auto start = [&](Value* n) {
      return b_.CreateUDiv(b_.CreateMul(n, k_.int64(count), "", true, true), k_.int64(pieces));
    };
    return Range{start(number), start(b_.CreateAdd(number, k_.int64(1)))};
  };
  Value* columnPieces = k_.int64(plan_.columnPieces);
  const Range tiles = rangeOf(b_.CreateUDiv(piece, columnPieces), plan_.rowPieces, plan_.tiles),
              panels = rangeOf(b_.CreateURem(piece, columnPieces), plan_.columnPieces, plan_.panels);
  const int64_t rowsAtOnce = plan_.tilesAtOnce * plan_.tileRows;
  if (plan_.packsLines) {
    const bool isDenseDown = lhs_.rowStride == 1 && lhs_.columnStride != 1;
    const int64_t across = plan_.chunk + plan_.registers.bytes / elementStorageBytes(plan_.types.sum);
    lines_ = {k_.room(element_, rowsAtOnce * across), isDenseDown ? 1 : across, isDenseDown ? rowsAtOnce : 1};
  }
  if (plan_.packsPanels) panel_ = {k_.room(element_, plan_.chunk * panelWidth), panelWidth, 1};
  if (plan_.keepsSums) {
    const int64_t width = plan_.panelsAtOnce * panelWidth;
    sums_ = {k_.room(element_, rowsAtOnce * width), width, 1};
  }
  if (plan_.chunks == 1) {
    writeChunk(tiles, panels, {k_.int64(0), k_.int64(plan_.product.sum.size)}, nullptr);
  } else {
    k_.loop(k_.int64(0), k_.int64(plan_.chunks), [&](Value* chunk) {
      Value *from = b_.CreateMul(chunk, k_.int64(plan_.chunk), "", true, true),
            *to = b_.CreateAdd(from, k_.int64(plan_.chunk)), *all = k_.int64(plan_.product.sum.size);
      const Range depth = {from, b_.CreateSelect(b_.CreateICmpSLT(to, all), to, all)};
      writeChunk(tiles, panels, depth, b_.CreateICmpEQ(chunk, k_.int64(0)));
    });
  }
  if (plan_.keepsSums) convertSums(tiles, panels);
}

void DotTiles::writeChunk(Range tiles, Range panels, Range depth, Value* isFirst) {
  if (plan_.packsLines) packLines({firstRow(tiles.from), firstRow(tiles.to)}, depth);
  const int64_t width = plan_.panelVectors * plan_.lanes,
                lastWidth = plan_.product.columns.size - (plan_.panels - 1) * width;
  k_.loop(panels.from, panels.to, [&](Value* panel) {
    const auto write = [&](int64_t columns) { writePanel(tiles, panels, panel, columns, depth, isFirst); };
    if (lastWidth == width) return write(width);
    if (plan_.panels == 1) return write(lastWidth);
    k_.branch(
        b_.CreateICmpEQ(panel, k_.int64(plan_.panels - 1)), [&] { write(lastWidth); }, [&] { write(width); });
  });
}

// Rows of the left side, dense in the dimension they are dense in.
void DotTiles::packLines(Range rows, Range depth) {
  ScalarEmitter& s = k_.scalars();
  const auto move = [&](Value* row, Value* i) {
    Value* stored = b_.CreateLoad(s.storageType(lhs_.type), elementAt(lhs_, row, i));
    const Scalar x = s.convert(lhs_.type, plan_.types.sum, s.fromStorage(lhs_.type, stored));
    b_.CreateStore(x.value, at(lines_, b_.CreateSub(row, rows.from), b_.CreateSub(i, depth.from)));
  };
  const bool byRows = lines_.columnStride == 1;
  const auto& [outer, inner] = byRows ? std::pair(rows, depth) : std::pair(depth, rows);
  k_.loop(outer.from, outer.to, [&](Value* a) {
    k_.lineLoop(inner.from, inner.to, [&](Value* b) { byRows ? move(a, b) : move(b, a); });
  });
}

// Columns of the right side, padded with zeros to whole vectors.
void DotTiles::packPanel(Value* firstColumn, int64_t columns, Range depth) {
  ScalarEmitter& s = k_.scalars();
  const auto move = [&](Value* i, Value* column) {
    Value* stored =
        b_.CreateLoad(s.storageType(rhs_.type), elementAt(rhs_, i, b_.CreateAdd(firstColumn, column)));
    const Scalar x = s.convert(rhs_.type, plan_.types.sum, s.fromStorage(rhs_.type, stored));
    b_.CreateStore(x.value, at(panel_, b_.CreateSub(i, depth.from), column));
  };
  if (rhs_.columnStride == 1) {
    k_.loop(depth.from, depth.to, [&](Value* i) {
      k_.lineLoop(k_.int64(0), k_.int64(columns), [&](Value* column) { move(i, column); });
    });
  } else {
    k_.loop(k_.int64(0), k_.int64(columns),
            [&](Value* column) { k_.lineLoop(depth.from, depth.to, [&](Value* i) { move(i, column); }); });
  }
  if (columns % plan_.lanes == 0) return;
  k_.loop(k_.int64(0), b_.CreateSub(depth.to, depth.from), [&](Value* i) {
    k_.loop(k_.int64(columns), k_.int64(dividedUp(columns, plan_.lanes) * plan_.lanes), [&](Value* column) {
      b_.CreateStore(llvm::Constant::getNullValue(element_), at(panel_, i, column));
    });
  });
}

void DotTiles::writePanel(Range tiles, Range panels, Value* panel, int64_t columns, Range depth,
                          Value* isFirst) {
  const int64_t width = plan_.panelVectors * plan_.lanes;
  Value* firstColumn = b_.CreateMul(panel, k_.int64(width), "", true, true);
  if (plan_.packsPanels) packPanel(firstColumn, columns, depth);
  const Strided right =
      plan_.packsPanels ? panel_ : Strided{elementAt(rhs_, depth.from, firstColumn), rhs_.rowStride, 1};
  Value* firstOfPiece = firstRow(tiles.from);
  const auto write = [&](Value* tile, int64_t rows) {
    Value* row = firstRow(tile);
    const Strided left = plan_.packsLines
                             ? Strided{at(lines_, b_.CreateSub(row, firstOfPiece), k_.int64(0)),
                                       lines_.rowStride, lines_.columnStride}
                             : Strided{elementAt(lhs_, row, depth.from), lhs_.rowStride, lhs_.columnStride};
    Value* columnOfPiece =
        b_.CreateSub(firstColumn, b_.CreateMul(panels.from, k_.int64(width), "", true, true));
    const Strided sums =
        plan_.keepsSums
            ? Strided{at(sums_, b_.CreateSub(row, firstOfPiece), columnOfPiece), sums_.rowStride, 1}
            : Strided{elementAt(result_, row, firstColumn), result_.rowStride, 1};
    writeTile({left, right, sums, rows, columns}, b_.CreateSub(depth.to, depth.from), isFirst);
  };
  const auto bounded = [&](Value* x, bool above) {
    Value* isAbove = b_.CreateICmpSGT(x, k_.int64(plan_.longTiles));
    return above ? b_.CreateSelect(isAbove, x, k_.int64(plan_.longTiles))
                 : b_.CreateSelect(isAbove, k_.int64(plan_.longTiles), x);
  };
  if (plan_.longTiles == plan_.tiles)
    return k_.loop(tiles.from, tiles.to, [&](Value* tile) { write(tile, plan_.tileRows); });
  k_.loop(tiles.from, bounded(tiles.to, false), [&](Value* tile) { write(tile, plan_.tileRows); });
  k_.loop(bounded(tiles.from, true), tiles.to, [&](Value* tile) { write(tile, plan_.tileRows - 1); });
}

void DotTiles::writeTile(const Tile& tile, Value* depth, Value* isFirst) {
  constexpr int64_t kSteps = 4;
  auto* vector = llvm::FixedVectorType::get(element_, static_cast<unsigned>(plan_.lanes));
  const int64_t vectors = dividedUp(tile.columns, plan_.lanes),
                lastLanes = tile.columns - (vectors - 1) * plan_.lanes;
  const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
  llvm::SmallVector<llvm::Constant*, 16> isThere;
  for (int64_t lane = 0; lane < plan_.lanes; ++lane) isThere.push_back(b_.getInt1(lane < lastLanes));
  Value* mask = llvm::ConstantVector::get(isThere);
  Value* zeros = llvm::Constant::getNullValue(vector);
  const auto isCut = [&](int64_t v) { return v + 1 == vectors && lastLanes < plan_.lanes; };
  const auto load = [&](Value* place, bool isMasked) -> Value* {
    return isMasked ? b_.CreateMaskedLoad(vector, place, alignment, mask, zeros)
                    : static_cast<Value*>(b_.CreateAlignedLoad(vector, place, alignment));
  };
  std::vector<KernelBuilder::Variable> sums;
  for (int64_t r = 0; r < tile.rows; ++r) {
    for (int64_t v = 0; v < vectors; ++v) {
      Value* start = zeros;
      if (isFirst != nullptr) {
        Value* before =
            load(at(tile.sums, k_.int64(r), k_.int64(v * plan_.lanes)), isCut(v) && !plan_.keepsSums);
        start = b_.CreateSelect(isFirst, zeros, before);
      }
      sums.push_back(k_.variable({start}));
    }
  }
  const auto step = [&](Value* i) {
    llvm::SmallVector<Value*, 4> right;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(load(at(tile.right, i, k_.int64(v * plan_.lanes)), isCut(v) && !plan_.packsPanels));
    if (plan_.readsRightOnce) askForNextPanel(tile.right, i);
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value* left =
          b_.CreateVectorSplat(static_cast<unsigned>(plan_.lanes),
                               b_.CreateAlignedLoad(element_, at(tile.left, k_.int64(r), i), alignment));
      for (int64_t v = 0; v < vectors; ++v) {
        const auto& sum = sums[static_cast<size_t>(r * vectors + v)];
        k_.set(sum, {multiplyAdd(left, right[static_cast<size_t>(v)], k_.get(sum).value)});
      }
    }
  };
  const auto whole = b_.CreateUDiv(depth, k_.int64(kSteps));
  k_.lineLoop(k_.int64(0), whole, [&](Value* i) {
    Value* first = b_.CreateMul(i, k_.int64(kSteps), "", true, true);
    for (int64_t j = 0; j < kSteps; ++j) step(b_.CreateAdd(first, k_.int64(j), "", true, true));
  });
  if (plan_.product.sum.size % kSteps != 0)
    k_.lineLoop(b_.CreateMul(whole, k_.int64(kSteps), "", true, true), depth, step);
  for (int64_t r = 0; r < tile.rows; ++r) {
    for (int64_t v = 0; v < vectors; ++v) {
      Value* place = at(tile.sums, k_.int64(r), k_.int64(v * plan_.lanes));
      Value* sum = k_.get(sums[static_cast<size_t>(r * vectors + v)]).value;
      isCut(v) && !plan_.keepsSums ? b_.CreateMaskedStore(sum, place, alignment, mask)
                                   : static_cast<Value*>(b_.CreateAlignedStore(sum, place, alignment));
    }
  }
}

// The lines of a panel are far apart, so that the processor does not fetch them by itself. Past the end of
// the array asking does no harm.
void DotTiles::askForNextPanel(const Strided& right, Value* line) {
  const int64_t panelBytes = plan_.panelVectors * plan_.registers.bytes;
  Value* start = b_.CreateGEP(element_, right.start, {b_.CreateMul(line, k_.int64(right.rowStride))});
  for (int64_t ahead = panelBytes; ahead < 2 * panelBytes; ahead += k_.target().lineBytes) {
    Value* place = b_.CreateGEP(b_.getInt8Ty(), start, {k_.int64(ahead)});
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                       {place, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
  }
}

void DotTiles::convertSums(Range tiles, Range panels) {
  ScalarEmitter& s = k_.scalars();
  const int64_t width = plan_.panelVectors * plan_.lanes;
  Value *firstRowHere = firstRow(tiles.from), *firstColumn = b_.CreateMul(panels.from, k_.int64(width)),
        *end = b_.CreateMul(panels.to, k_.int64(width)), *all = k_.int64(plan_.product.columns.size);
  end = b_.CreateSelect(b_.CreateICmpSLT(end, all), end, all);
  k_.loop(firstRowHere, firstRow(tiles.to), [&](Value* row) {
    k_.lineLoop(firstColumn, end, [&](Value* column) {
      Value* sum = b_.CreateLoad(
          element_, at(sums_, b_.CreateSub(row, firstRowHere), b_.CreateSub(column, firstColumn)));
      const Scalar x = s.convert(plan_.types.sum, plan_.types.result, {sum});
      b_.CreateStore(s.toStorage(plan_.types.result, x), elementAt(result_, row, column));
    });
  });
}

}  // namespace hilo
