#include "core/analysis/kernel_layouts/shared_layout_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/kernel_layouts/layout_cursor.h"

namespace hilo {
namespace {

// What stands between a transform's brackets: its name is optional, and so are brackets of a tuple.
Result<Sizes> parseSizesOf(LayoutCursor& cursor, std::string_view name) {
  TRY(const std::string_view close, cursor.open());
  const bool isTuple = cursor.takeName(name);
  Sizes sizes;
  const auto addOne = [&]() -> Status {
    TRY(sizes.emplace_back(), cursor.integer());
    return {};
  };
  if (isTuple) {
    TRY_STATUS(cursor.list(addOne));
  } else {
    do {
      TRY_STATUS(addOne());
    } while (cursor.take(","));
  }
  TRY_STATUS(cursor.expect(close));
  return sizes;
}

Result<int64_t> parseSwizzle(LayoutCursor& cursor) {
  TRY(const std::string_view close, cursor.open());
  cursor.takeName("swizzle");
  TRY(const int64_t bytes, cursor.integer());
  TRY_STATUS(cursor.expect(close));
  return bytes;
}

// The swizzle is the last: nothing may follow it.
Result<bool> parseTransform(LayoutCursor& cursor, SharedLayout& layout) {
  if (cursor.takeWord("TilingTransform") || cursor.takeWord("tile")) {
    TRY(Sizes tile, parseSizesOf(cursor, "tiling"));
    layout.transforms.push_back(TileTransform{std::move(tile)});
    return true;
  }
  if (cursor.takeWord("TransposeTransform") || cursor.takeWord("transpose")) {
    TRY(Sizes permutation, parseSizesOf(cursor, "permutation"));
    layout.transforms.push_back(TransposeTransform{std::move(permutation)});
    return true;
  }
  if (!cursor.takeWord("SwizzleTransform") && !cursor.takeWord("swizzle"))
    return cursor.unexpected("tile(...), transpose(...) or swizzle(...)");
  TRY(layout.swizzleBytes, parseSwizzle(cursor));
  return false;
}

std::string textOf(const TileTransform& transform) {
  return fmt::format("TilingTransform(tiling={})", tupleText(transform.tile));
}
std::string textOf(const TransposeTransform& transform) {
  return fmt::format("TransposeTransform(permutation={})", tupleText(transform.permutation));
}

}  // namespace

Result<SharedLayout> parseSharedLayout(std::string_view text) {
  LayoutCursor cursor(text);
  SharedLayout layout;
  if (cursor.takeWord("row-major") && cursor.isAtEnd()) return layout;
  const bool isTuple = cursor.take("(");
  while (!(isTuple ? cursor.take(")") : cursor.isAtEnd())) {
    TRY(const bool mayGoOn, parseTransform(cursor, layout));
    const bool hasComma = cursor.take(",");
    if (mayGoOn) continue;
    if (isTuple) TRY_STATUS(cursor.expect(")"));
    if (hasComma && !isTuple) return cursor.unexpected("the end: a swizzle is the last transform");
    break;
  }
  if (!cursor.isAtEnd()) return cursor.unexpected("the end of the transforms");
  return layout;
}

std::string printedTransforms(const SharedLayout& layout) {
  std::vector<std::string> parts;
  for (const auto& transform : layout.transforms)
    parts.push_back(std::visit([](const auto& one) { return textOf(one); }, transform));
  if (layout.swizzleBytes != 16)
    parts.push_back(fmt::format("SwizzleTransform(swizzle={})", layout.swizzleBytes));
  return fmt::format("({})", fmt::join(parts, ", "));
}

}  // namespace hilo
