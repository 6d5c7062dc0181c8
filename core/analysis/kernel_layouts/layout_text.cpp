#include "core/analysis/kernel_layouts/layout_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/kernel_layouts/layout_cursor.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo {
namespace {

constexpr std::string_view kDialect = "#mosaic_gpu.";

Result<Sizes> parseSizes(LayoutCursor& cursor) {
  // array<i64: 64, 64> or (64, 64) or [64, 64]
  if (cursor.takeWord("array")) {
    TRY_STATUS(cursor.expect("<"));
    if (!cursor.takeWord("i64")) return cursor.unexpected("i64");
    Sizes sizes;
    if (cursor.take(":")) {
      do {
        TRY(sizes.emplace_back(), cursor.integer());
      } while (cursor.take(","));
    }
    TRY_STATUS(cursor.expect(">"));
    return sizes;
  }
  Sizes sizes;
  TRY_STATUS(cursor.list([&]() -> Status {
    TRY(sizes.emplace_back(), cursor.integer());
    return {};
  }));
  return sizes;
}

Result<TilingSteps> parseTiling(LayoutCursor& cursor) {
  const bool isNamed = cursor.takeWord("Tiling");
  if (isNamed) {
    TRY_STATUS(cursor.expect("("));
    TRY_STATUS(cursor.name("tiles"));
  }
  TilingSteps tiling;
  TRY_STATUS(cursor.list([&]() -> Status {
    TRY(tiling.tiles.emplace_back(), parseSizes(cursor));
    return {};
  }));
  if (isNamed) TRY_STATUS(cursor.expect(")"));
  return tiling;
}

Result<std::vector<ThreadDimension>> parseThreadDimensions(LayoutCursor& cursor) {
  std::vector<ThreadDimension> dims;
  TRY_STATUS(cursor.list([&]() -> Status {
    cursor.take(kDialect);
    ThreadDimension& dim = dims.emplace_back();
    if (!cursor.takeWord("Replicated")) {
      TRY(dim.dimension, cursor.integer());
      return {};
    }
    TRY(const std::string_view close, cursor.open());
    TRY_STATUS(cursor.name("times"));
    TRY(dim.times, cursor.integer());
    if (dim.times <= 0) return cursor.unexpected("a positive number of copies");
    return cursor.expect(close);
  }));
  return dims;
}

Result<RegisterLayout> parseTiled(LayoutCursor& cursor) {
  TRY(const std::string_view close, cursor.open());
  TiledLayout layout;
  cursor.takeName("tiling");
  TRY(layout.tiling, parseTiling(cursor));
  TRY_STATUS(cursor.expect(","));
  TRY_STATUS(cursor.name("warp_dims"));
  TRY(layout.warpDims, parseThreadDimensions(cursor));
  TRY_STATUS(cursor.expect(","));
  TRY_STATUS(cursor.name("lane_dims"));
  TRY(layout.laneDims, parseThreadDimensions(cursor));
  TRY_STATUS(cursor.expect(","));
  TRY_STATUS(cursor.name("vector_dim"));
  TRY(layout.vectorDim, cursor.integer());
  TRY_STATUS(cursor.expect(close));
  TRY_STATUS(checkLayout(layout));
  return layout;
}

Result<RegisterLayout> parseStrided(LayoutCursor& cursor) {
  TRY(const std::string_view close, cursor.open());
  StridedLayout layout;
  cursor.takeName("shape");
  TRY(layout.shape, parseSizes(cursor));
  TRY_STATUS(cursor.expect(","));
  cursor.takeName("vec_size");
  TRY(layout.vectorSize, cursor.integer());
  TRY_STATUS(cursor.expect(close));
  return layout;
}

Result<RegisterLayout> parseSplat(LayoutCursor& cursor) {
  TRY(const std::string_view close, cursor.open());
  SplatLayout layout;
  cursor.takeName("shape");
  TRY(layout.shape, parseSizes(cursor));
  TRY_STATUS(cursor.expect(close));
  return layout;
}

Result<RegisterLayout> parseFamily(LayoutCursor& cursor) {
  for (const NamedLayout& named : namedLayouts()) {
    if (!cursor.takeWord(named.name)) continue;
    if (named.name != "TMEM_DEFAULT" || !cursor.take("(")) return named.layout;
    TRY_STATUS(cursor.name("packing"));
    TRY(const int64_t packing, cursor.integer());
    if (packing <= 0 || packing > 32 || (packing & (packing - 1)) != 0)
      return cursor.unexpected("a packing of 1, 2, 4, 8, 16 or 32");
    TRY_STATUS(cursor.expect(")"));
    return tmemDefaultLayout(packing);
  }
  std::vector<std::string_view> names;
  for (const NamedLayout& named : namedLayouts()) names.push_back(named.name);
  return cursor.unexpected(
      fmt::format("TiledLayout, TMEMLayout, WGStridedFragLayout, WGSplatFragLayout or one of {}",
                  fmt::join(names, ", ")));
}

Result<RegisterLayout> parseAny(LayoutCursor& cursor) {
  cursor.take(kDialect);
  if (cursor.takeWord("TiledLayout") || cursor.takeWord("TMEMLayout")) return parseTiled(cursor);
  if (cursor.takeWord("WGStridedFragLayout")) return parseStrided(cursor);
  if (cursor.takeWord("WGSplatFragLayout")) return parseSplat(cursor);
  return parseFamily(cursor);
}

std::string attributeText(const std::vector<ThreadDimension>& dims) {
  std::vector<std::string> parts;
  for (const ThreadDimension& dim : dims)
    parts.push_back(dim.isCopies() ? fmt::format("#mosaic_gpu.Replicated<times = {}>", dim.times)
                                   : fmt::format("{}", dim.dimension));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// "(a, b)", "(a,)": as Python writes a tuple.
std::string tupleOf(const std::vector<std::string>& parts) {
  return fmt::format("({}{})", fmt::join(parts, ", "), parts.size() == 1 ? "," : "");
}

std::string pythonText(const std::vector<ThreadDimension>& dims) {
  std::vector<std::string> parts;
  for (const ThreadDimension& dim : dims)
    parts.push_back(dim.isCopies() ? fmt::format("Replicated(times={})", dim.times)
                                   : fmt::format("{}", dim.dimension));
  return tupleOf(parts);
}

std::string arrayText(const Sizes& sizes) {
  return sizes.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(sizes, ", "));
}

}  // namespace

Result<RegisterLayout> parseRegisterLayout(std::string_view text) {
  LayoutCursor cursor(text);
  TRY(RegisterLayout layout, parseAny(cursor));
  if (!cursor.isAtEnd()) return cursor.unexpected("the end of the layout");
  return layout;
}

std::string attributeText(const RegisterLayout& layout) {
  if (const auto* strided = std::get_if<StridedLayout>(&layout))
    return fmt::format("#mosaic_gpu.WGStridedFragLayout<{}, {}>", arrayText(strided->shape),
                       strided->vectorSize);
  if (const auto* splat = std::get_if<SplatLayout>(&layout))
    return fmt::format("#mosaic_gpu.WGSplatFragLayout<{}>", arrayText(splat->shape));
  const auto& tiled = std::get<TiledLayout>(layout);
  std::vector<std::string> tiles;
  for (const Sizes& tile : tiled.tiling.tiles) tiles.push_back(fmt::format("[{}]", fmt::join(tile, ", ")));
  return fmt::format("#mosaic_gpu.TiledLayout<[{}], warp_dims = {}, lane_dims = {}, vector_dim = {}>",
                     fmt::join(tiles, ", "), attributeText(tiled.warpDims), attributeText(tiled.laneDims),
                     tiled.vectorDim);
}

std::string printedLayout(const RegisterLayout& layout) {
  if (const auto* strided = std::get_if<StridedLayout>(&layout))
    return fmt::format("WGStridedFragLayout(shape={}, vec_size={})", tupleText(strided->shape),
                       strided->vectorSize);
  if (const auto* splat = std::get_if<SplatLayout>(&layout))
    return fmt::format("WGSplatFragLayout(shape={})", tupleText(splat->shape));
  const auto& tiled = std::get<TiledLayout>(layout);
  if (const auto name = layoutName(tiled)) return *name;
  std::vector<std::string> tiles;
  for (const Sizes& tile : tiled.tiling.tiles) tiles.push_back(tupleText(tile));
  return fmt::format("TiledLayout(tiling=Tiling(tiles={}), warp_dims={}, lane_dims={}, vector_dim={})",
                     tupleOf(tiles), pythonText(tiled.warpDims), pythonText(tiled.laneDims), tiled.vectorDim);
}

}  // namespace hilo
