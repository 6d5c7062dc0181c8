#include "core/analysis/kernel_layouts/inference/kernel_attribute_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/analysis/kernel_layouts/layout_text.h"

namespace hilo::inference {
namespace {

std::unexpected<Diagnostic> wrong(std::string_view what, std::string_view found) {
  return fail("kernel-text", fmt::format("expected {}, found '{}'", what, found.substr(0, 60)));
}

// "[a, b]" without its brackets.
std::optional<std::string_view> bracketed(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  return trimmed(text.substr(1, text.size() - 2));
}

template <typename Item>
Result<std::vector<Item>> parseList(std::string_view text, auto parseItem) {
  const auto inside = bracketed(text);
  if (!inside) return wrong("a list in [ ]", text);
  std::vector<Item> items;
  for (std::string_view part : partsOf(*inside)) {
    TRY(items.emplace_back(), parseItem(part));
  }
  return items;
}

Result<RegisterLayout> parseLayout(std::string_view text) {
  TRY(RegisterLayout layout, parseRegisterLayout(text));
  if (const auto* tiled = std::get_if<TiledLayout>(&layout)) return canonical(*tiled);
  return layout;
}

bool isOfLayouts(std::string_view name) { return name == "in_layouts" || name == "out_layouts"; }
bool isSingle(std::string_view name) { return name == "new_layout" || name == "transforms"; }
bool isOfTransforms(std::string_view name) { return name == "in_transforms"; }

// Lists of sizes as one list of groups: "[[0], [1, 2]]".
Result<KernelAttribute> parseSizesOrGroups(std::string_view text) {
  const std::string_view inside = *bracketed(text);
  if (inside.starts_with('[')) {
    TRY(std::vector<Sizes> groups,
        parseList<Sizes>(text, [](std::string_view part) { return parseList<int64_t>(part, parseSize); }));
    return groups;
  }
  TRY(Sizes sizes, parseList<int64_t>(text, parseSize));
  return sizes;
}

bool isWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.+-").contains(c);
  });
}

std::string sizeText(int64_t size) { return size == kDynamicSize ? "?" : std::to_string(size); }
std::string listText(const Sizes& sizes) {
  std::vector<std::string> parts;
  for (int64_t size : sizes) parts.push_back(sizeText(size));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string text(int64_t value) { return sizeText(value); }
std::string text(const std::string& word) { return word; }
std::string text(const Sizes& sizes) { return listText(sizes); }
std::string text(const std::vector<Sizes>& groups) {
  std::vector<std::string> parts;
  for (const Sizes& group : groups) parts.push_back(listText(group));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}
std::string text(const std::vector<RegisterLayout>& layouts) {
  std::vector<std::string> parts;
  for (const RegisterLayout& layout : layouts) parts.push_back(toString(LayoutConstant(layout)));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}
std::string text(const std::vector<SharedTransforms>& transforms) {
  std::vector<std::string> parts;
  for (const SharedTransforms& one : transforms) parts.push_back(toString(LayoutConstant(one)));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> partsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty()) return parts;
  int64_t depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("([{<").contains(text[i])) ++depth;
    if (std::string_view(")]}>").contains(text[i])) --depth;
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(trimmed(text.substr(from, i - from)));
    from = i + 1;
  }
  parts.push_back(trimmed(text.substr(from)));
  return parts;
}

Result<int64_t> parseSize(std::string_view text) {
  if (text == "?") return kDynamicSize;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == kDynamicSize)
    return wrong("a whole number", text);
  return value;
}

Result<KernelAttribute> parseAttribute(std::string_view name, std::string_view text) {
  if (name == "new_layout") {
    TRY(RegisterLayout layout, parseLayout(text));
    return std::vector{std::move(layout)};
  }
  if (name == "transforms") {
    TRY(SharedTransforms transforms, parseSharedTransforms(text));
    return std::vector{std::move(transforms)};
  }
  if (isOfLayouts(name)) return parseList<RegisterLayout>(text, parseLayout);
  if (isOfTransforms(name)) return parseList<SharedTransforms>(text, parseSharedTransforms);
  if (text == "true" || text == "false") return int64_t{text == "true"};
  if (bracketed(text)) return parseSizesOrGroups(text);
  if (auto number = parseSize(text); number && *number != kDynamicSize) return *number;
  if (isWord(text)) return std::string(text);
  return wrong("a number, a word or a list", text);
}

std::string attributeText(std::string_view name, const KernelAttribute& attribute) {
  const std::string all = std::visit([](const auto& one) { return text(one); }, attribute);
  return isSingle(name) ? all.substr(1, all.size() - 2) : all;
}

}  // namespace hilo::inference
