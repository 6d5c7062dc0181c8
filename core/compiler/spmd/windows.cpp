#include "core/compiler/spmd/windows.h"

namespace hilo {
namespace {

// A window that moves over a dimension of an operand.
WindowDimension windowAlong(const Instruction& instruction, const Factor& factor) {
  return instruction.get<Attr::Window>()->dimensions[static_cast<size_t>(factor.window)];
}

int64_t reachOf(const WindowDimension& window, int64_t size) {
  return (size - 1) * window.windowDilation + 1;
}

// Tile t has `size` elements of the result: they need `length` elements from start + t * step on.
TileRanges evenRanges(int64_t tiles, int64_t start, int64_t step, int64_t length, int64_t dilation) {
  TileRanges ranges{.starts = {}, .length = length, .dilation = dilation};
  for (int64_t t = 0; t < tiles; ++t) ranges.starts.push_back(start + t * step);
  return ranges;
}

// The result is cut.
TileRanges underWindow(const WindowDimension& window, int64_t tiles, int64_t tile) {
  return evenRanges(tiles, -window.paddingLow, tile * window.stride,
                    (tile - 1) * window.stride + reachOf(window, window.size), window.baseDilation);
}

// The window itself is cut: its tile meets the operand at all places of the result.
TileRanges underPartOfWindow(const WindowDimension& window, int64_t tiles, int64_t results) {
  const int64_t tile = ceilDiv(window.size, tiles), step = tile * window.windowDilation;
  const int64_t length = (results - 1) * window.stride + reachOf(window, tile);
  const int64_t last = (window.size - tile) * window.windowDilation;  // a reversed window's first tile
  return evenRanges(tiles, (window.windowReversal ? last : 0) - window.paddingLow,
                    window.windowReversal ? -step : step, length, window.baseDilation);
}

// A select-and-scatter: which windows touch each tile of the operand, and what these windows cover.
struct ScatterRanges {
  TileRanges source, operand;
};

ScatterRanges scatterRanges(const WindowDimension& window, int64_t size, int64_t tiles) {
  const int64_t tile = ceilDiv(size, tiles), stride = window.stride;
  ScatterRanges ranges;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t begin = t * tile + window.paddingLow;
    const int64_t past = begin - window.size + 1;
    const int64_t touches = past > 0 ? ceilDiv(past, stride) : -(-past / stride);
    // Not behind the tile's begin, which may lie between windows.
    const int64_t first = std::min(touches, begin / stride);
    ranges.source.starts.push_back(first);
    ranges.source.length = std::max(ranges.source.length, (begin + tile - 1) / stride - first + 1);
    ranges.operand.starts.push_back(first * stride - window.paddingLow);
  }
  ranges.operand.length = (ranges.source.length - 1) * stride + window.size;
  // All of the tile, where windows leave some of it out.
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t before = ranges.operand.starts[static_cast<size_t>(t)] - t * tile;
    ranges.operand.length = std::max(ranges.operand.length, tile - before);
  }
  return ranges;
}

int64_t resultAlong(const Instruction& instruction, const Factor& factor) {
  return instruction.shape().dimension(static_cast<size_t>(factor.result));
}

// What an operand is filled with where there are no elements of it: what the operation pads with.
Instruction* fillOf(LocalBuilder& builder, const LoopNest& nest, size_t operand,
                    const std::vector<Part>& operands) {
  const Instruction& instruction = nest.instruction;
  const ElementType type = nest.operands[operand].global.elementType();
  switch (instruction.opcode()) {
    case Opcode::Pad:
      return operands[1].local;
    case Opcode::ReduceWindow:
      return builder.constant(*neutralElement(*plainCombiner(instruction.get<Attr::ToApply>()), type));
    case Opcode::SelectAndScatter:
      return operand == 0 ? nullptr : builder.constant(Literal(Shape::scalar(type)));
    case Opcode::Slice:
      return nullptr;
    default:
      return builder.constant(Literal(Shape::scalar(type)));
  }
}

template <typename Visit>
void forEachCutWindow(const LoopNest& nest, const Tiling& tiling, Visit visit) {
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const Factor& factor = nest.factors.factors[f];
    if (factor.window >= 0 && tiling.tiles[f] > 1) visit(factor, f);
  }
}

}  // namespace

namespace {

std::optional<TileRanges> rangesOf(const Instruction& instruction, const Factor& factor, size_t operand,
                                   int64_t tiles) {
  if (factor.window < 0 || factor.operands[operand] < 0) return std::nullopt;
  const auto d = static_cast<size_t>(factor.operands[operand]);
  switch (instruction.opcode()) {
    case Opcode::Slice: {
      const SliceRange range = instruction.get<Attr::Slice>()[d];
      const int64_t tile = ceilDiv(resultAlong(instruction, factor), tiles);
      return evenRanges(tiles, range.start, tile * range.stride, (tile - 1) * range.stride + 1, 1);
    }
    case Opcode::Pad: {
      const PaddingDimension padding = instruction.get<Attr::Padding>()[d];
      const int64_t tile = ceilDiv(resultAlong(instruction, factor), tiles);
      return evenRanges(tiles, -padding.low, tile, tile, padding.interior + 1);
    }
    case Opcode::SelectAndScatter: {
      const auto ranges = scatterRanges(windowAlong(instruction, factor), factor.size, tiles);
      return operand == 0 ? ranges.operand : ranges.source;
    }
    case Opcode::Convolution:
      if (operand == 1) return std::nullopt;
      if (factor.kind == Factor::Kind::Sum)
        return underPartOfWindow(
            windowAlong(instruction, factor), tiles,
            instruction.shape().dimension(static_cast<size_t>(
                instruction.get<Attr::DimLabels>()->outputSpatial[static_cast<size_t>(factor.window)])));
      [[fallthrough]];
    default:
      return underWindow(
          windowAlong(instruction, factor), tiles,
          ceilDiv(leavesOf(instruction.shape())[0].dimension(static_cast<size_t>(factor.result)), tiles));
  }
}

}  // namespace

std::optional<TileRanges> windowRanges(const Instruction& instruction, const Factor& factor, size_t operand,
                                       int64_t tiles) {
  auto ranges = rangesOf(instruction, factor, operand, tiles);
  if (!ranges || instruction.opcode() != Opcode::Slice) return ranges;
  // Tiles that hold nothing of the result need nothing of others.
  const auto d = static_cast<size_t>(factor.operands[operand]);
  const int64_t result = resultAlong(instruction, factor), tile = ceilDiv(result, tiles);
  const int64_t part = ceilDiv(instruction.operand(operand)->shape().dimension(d), tiles);
  for (int64_t t = ceilDiv(result, std::max<int64_t>(tile, 1)); t < tiles; ++t)
    ranges->starts[static_cast<size_t>(t)] = t * part;
  return ranges;
}

void takeWindows(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands) {
  forEachCutWindow(nest, tiling, [&](const Factor& factor, size_t f) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto ranges = windowRanges(nest.instruction, factor, i, tiling.tiles[f]);
      if (!ranges) continue;
      MoveRemark move = moveOfOperand(nest.instruction, i);
      move.what = fmt::format("the borders of {} {}", move.what, toString(operands[i].tiling));
      builder.setCause(std::move(move));
      operands[i].local = takeRanges(builder, operands[i], static_cast<size_t>(factor.operands[i]), *ranges,
                                     fillOf(builder, nest, i, operands));
    }
  });
}

namespace {

// The tile of the operand out of all that the windows that touch it cover.
Instruction* cutScattered(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                          Instruction* local) {
  const Shape wanted = local->shape();
  std::vector<int64_t> covered(wanted.dimensions().begin(), wanted.dimensions().end());
  std::vector<Instruction*> starts(covered.size(), nullptr);
  forEachCutWindow(nest, tiling, [&](const Factor& factor, size_t f) {
    const auto d = static_cast<size_t>(factor.result);
    const auto ranges = *windowRanges(nest.instruction, factor, 0, tiling.tiles[f]);
    covered[d] = ranges.length;
    std::vector<int64_t> offsets;
    for (size_t t = 0; t < ranges.starts.size(); ++t)
      offsets.push_back(static_cast<int64_t>(t) * wanted.dimension(d) - ranges.starts[t]);
    starts[d] = byTile(builder, tileOfDevice(tiling, f), offsets);
  });
  if (std::ranges::equal(covered, wanted.dimensions())) return local;
  local->setShape(shapeLike(wanted, covered));
  for (Instruction*& start : starts) {
    if (start == nullptr) start = builder.integer(0);
  }
  Instruction* cut = builder.make(Opcode::DynamicSlice, wanted, {local});
  for (Instruction* start : starts) cut->appendOperand(start);
  cut->set<Attr::DynamicSliceSizes>(wanted.dimensions());
  return cut;
}

// Windows of dimensions of a product, as the parts of the operands have them.
void makeProductLocal(const LoopNest& nest, const Instruction& local, std::vector<WindowDimension>& window) {
  const auto& labels = *nest.instruction.get<Attr::DimLabels>();
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t lhs = local.operand(0)->shape().dimension(static_cast<size_t>(labels.inputSpatial[i]));
    const int64_t rhs = local.operand(1)->shape().dimension(static_cast<size_t>(labels.kernelSpatial[i]));
    const SpatialRole role = spatialRole(nest.instruction, i);
    if (rhs == window[i].size) continue;
    if (role == SpatialRole::Contracting) window[i].size = lhs;
    if (role == SpatialRole::Batch)
      window[i] = {.size = lhs, .stride = std::max<int64_t>(1, lhs - 1), .baseDilation = lhs};
    if (role == SpatialRole::RhsFree)
      window[i].size = rhs, window[i].paddingLow = window[i].paddingHigh = rhs - 1;
  }
}

}  // namespace

Instruction* makeWindowsLocal(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                              Instruction* local) {
  const auto* hadWindow = local->get<Attr::Window>();
  std::vector<WindowDimension> window;
  if (hadWindow != nullptr) window.assign(hadWindow->dimensions.begin(), hadWindow->dimensions.end());
  const auto hadRanges = local->get<Attr::Slice>();
  std::vector<SliceRange> slice(hadRanges.begin(), hadRanges.end());
  const auto hadPadding = local->get<Attr::Padding>();
  std::vector<PaddingDimension> padding(hadPadding.begin(), hadPadding.end());
  bool isCut = local->opcode() == Opcode::Convolution;
  if (isCut) makeProductLocal(nest, *local, window);
  forEachCutWindow(nest, tiling, [&](const Factor& factor, size_t f) {
    isCut = true;
    const auto w = static_cast<size_t>(factor.window);
    if (!window.empty()) {
      WindowDimension& along = window[w];
      along.paddingLow = along.paddingHigh = 0, along.baseDilation = 1;
      if (factor.kind == Factor::Kind::Sum) along.size = ceilDiv(along.size, tiling.tiles[f]);
    }
    if (!slice.empty()) slice[w] = {0, local->operand(0)->shape().dimension(w), slice[w].stride};
    if (!padding.empty()) padding[w] = {};
  });
  if (!isCut) return local;
  const Window made{.dimensions = window};
  if (!window.empty()) local->set<Attr::Window>(&made);
  if (!slice.empty()) local->set<Attr::Slice>(slice);
  if (!padding.empty()) local->set<Attr::Padding>(padding);
  return local->opcode() == Opcode::SelectAndScatter ? cutScattered(builder, nest, tiling, local) : local;
}

}  // namespace hilo
