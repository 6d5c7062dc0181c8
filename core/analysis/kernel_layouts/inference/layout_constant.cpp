#include "core/analysis/kernel_layouts/inference/layout_constant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/kernel_layouts/layout_cursor.h"
#include "core/analysis/kernel_layouts/layout_families.h"
#include "core/analysis/kernel_layouts/layout_text.h"

namespace hilo::inference {
namespace {

template <typename Kind>
const Kind* asKind(const LayoutConstant& constant) {
  const auto* layout = std::get_if<RegisterLayout>(&constant);
  return layout ? std::get_if<Kind>(layout) : nullptr;
}

std::string familyOrText(const TiledLayout& layout) {
  for (const NamedLayout& named : namedLayouts())
    if (named.layout == layout) return std::string(named.name);
  return printedLayout(layout);
}

std::string textOf(const RegisterLayout& layout) {
  const auto* tiled = std::get_if<TiledLayout>(&layout);
  return tiled ? familyOrText(*tiled) : printedLayout(layout);
}

std::string textOf(const TensorLayout& tensor) {
  const auto name = tmemLayoutName(tensor.layout);
  return name ? *name : familyOrText(tensor.layout);
}

std::string textOf(const SharedTransforms& shared) {
  if (shared == SharedTransforms{}) return "none";
  std::string text;
  if (!shared.tile.empty()) text = fmt::format("tile({})", fmt::join(shared.tile, ", "));
  if (shared.swizzleBytes != 0)
    text += fmt::format("{}swizzle({})", text.empty() ? "" : " ", shared.swizzleBytes);
  return text;
}

}  // namespace

const TiledLayout* asTiled(const LayoutConstant& constant) { return asKind<TiledLayout>(constant); }
const StridedLayout* asStrided(const LayoutConstant& constant) { return asKind<StridedLayout>(constant); }
const SplatLayout* asSplat(const LayoutConstant& constant) { return asKind<SplatLayout>(constant); }

LayoutConstant inRegisters(const RegisterLayout& layout) {
  const auto* tiled = std::get_if<TiledLayout>(&layout);
  return tiled ? RegisterLayout(canonical(*tiled)) : layout;
}

LayoutConstant inTensorMemory(const TiledLayout& layout) { return TensorLayout{canonical(layout)}; }

MemorySpace spaceOf(const LayoutConstant& constant) {
  if (std::holds_alternative<RegisterLayout>(constant)) return MemorySpace::Registers;
  return std::holds_alternative<TensorLayout>(constant) ? MemorySpace::Tensor : MemorySpace::Shared;
}

std::string toString(const LayoutConstant& constant) {
  return std::visit([](const auto& one) { return textOf(one); }, constant);
}

std::string toString(MemorySpace space) {
  switch (space) {
    case MemorySpace::Registers:
      return "registers";
    case MemorySpace::Shared:
      return "shared memory";
    case MemorySpace::Tensor:
      return "tensor memory";
    case MemorySpace::Global:
      return "global memory";
    case MemorySpace::None:
      break;
  }
  return "no memory";
}

Result<SharedTransforms> parseSharedTransforms(std::string_view text) {
  LayoutCursor cursor(text);
  SharedTransforms shared;
  if (cursor.takeWord("none")) {
    if (!cursor.isAtEnd()) return cursor.unexpected("the end of the transforms");
    return shared;
  }
  if (cursor.takeWord("tile")) {
    TRY_STATUS(cursor.list([&]() -> Status {
      TRY(shared.tile.emplace_back(), cursor.integer());
      if (shared.tile.back() <= 0) return cursor.unexpected("a positive size");
      return {};
    }));
  }
  if (cursor.takeWord("swizzle")) {
    TRY_STATUS(cursor.expect("("));
    TRY(const int64_t bytes, cursor.integer());
    if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128)
      return cursor.unexpected("a swizzle of 16 (none), 32, 64 or 128 bytes");
    shared.swizzleBytes = bytes == 16 ? 0 : bytes;
    TRY_STATUS(cursor.expect(")"));
  }
  if (!cursor.isAtEnd()) return cursor.unexpected("tile(...), swizzle(...) or none");
  return shared;
}

}  // namespace hilo::inference
