#include "core/analysis/kernel_layouts/inference/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/analysis/kernel_layouts/inference/kernel_attribute_text.h"

namespace hilo::inference {
namespace {

constexpr size_t kMostRegions = 200;  // one within the other
constexpr size_t kMostDimensions = 32;

std::unexpected<Diagnostic> wrong(std::string what) { return fail("kernel-text", std::move(what)); }

// Where the first of these characters is that no bracket encloses.
size_t findOutside(std::string_view text, std::string_view characters) {
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && characters.contains(text[i])) return i;
    if (std::string_view("([{<").contains(text[i])) ++depth;
    if (std::string_view(")]}>").contains(text[i])) --depth;
  }
  return std::string_view::npos;
}

// "2x128xbf16", then its strides and memory.
Result<KernelType> parseShaped(std::string_view text, KernelType type) {
  const auto parts = partsOf(text);
  if (parts.empty()) return wrong(fmt::format("a type without elements: '{}'", text));
  std::string_view rest = parts[0];
  for (size_t x = rest.find('x'); x != std::string_view::npos; x = rest.find('x')) {
    const auto size = parseSize(rest.substr(0, x));
    if (!size) break;  // the x of "index"
    if ((*size < 0 && *size != kDynamicSize) || type.shape.size() == kMostDimensions)
      return wrong(fmt::format("'{}' has a size below 0, or more than {} of them", text, kMostDimensions));
    type.shape.push_back(*size);
    rest.remove_prefix(x + 1);
  }
  type.element = rest.starts_with('!') ? "barrier" : std::string(rest);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "smem") {
      type.space = MemorySpace::Shared;
    } else if (parts[i] == "tmem") {
      type.space = MemorySpace::Tensor;
    } else if (parts[i].starts_with("strided[")) {
      TRY(const KernelAttribute strides, parseAttribute("strides", parts[i].substr(7)));
      const auto* sizes = std::get_if<Sizes>(&strides);
      if (!sizes || sizes->size() != type.shape.size())
        return wrong(fmt::format("'{}' has a stride for each of its dimensions", text));
      type.strides = *sizes;
    } else {
      return wrong(fmt::format("expected smem, tmem or strided[...], found '{}'", parts[i]));
    }
  }
  if (type.element.empty()) return wrong(fmt::format("'{}' names no element type", text));
  return type;
}

Result<KernelType> parseType(std::string_view text) {
  for (const bool isVector : {true, false}) {
    const std::string_view word = isVector ? "vector<" : "memref<";
    if (!text.starts_with(word)) continue;
    if (!text.ends_with('>')) return wrong(fmt::format("'{}' has no end", text));
    KernelType type;
    type.kind = isVector ? KernelType::Kind::Vector : KernelType::Kind::Memory;
    type.space = isVector ? MemorySpace::Registers : MemorySpace::Global;
    TRY(type, parseShaped(text.substr(word.size(), text.size() - word.size() - 1), std::move(type)));
    if (isVector && type.space != MemorySpace::Registers)
      return wrong(fmt::format("'{}': a vector lies in registers", text));
    return type;
  }
  if (text.empty() || text.contains(' ') || text.contains('<'))
    return wrong(fmt::format("'{}' is no type", text));
  KernelType type;
  type.element = text.contains(".barrier") ? "barrier" : std::string(text);
  return type;
}

// "%x = op %a : i32 @12" without the line it is of; nothing where it names none.
Result<std::optional<uint32_t>> takeLine(std::string_view& line) {
  const size_t at = line.rfind(" @");
  if (at == std::string_view::npos) return std::nullopt;
  TRY(const int64_t number, parseSize(line.substr(at + 2)));
  if (number <= 0 || number > std::numeric_limits<uint32_t>::max())
    return wrong(fmt::format("no text has a line {}", number));
  line = trimmed(line.substr(0, at));
  return static_cast<uint32_t>(number);
}

class Reader {
 public:
  Result<KernelDescription> read(std::string_view text) {
    for (uint32_t line = 1; !text.empty(); ++line) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      one = trimmed(one.substr(0, one.find("//")));
      if (one.empty()) continue;
      line_ = line;
      if (auto status = readLine(one); !status) {
        status.error().place.line = line;
        return std::unexpected(std::move(status).error());
      }
    }
    if (!open_.empty()) return fail("kernel-text", "a region has no end", {"", line_, 0, "", ""});
    return std::move(kernel_);
  }

 private:
  Status readLine(std::string_view line) {
    if (line.starts_with("kernel ")) return readHead(trimmed(line.substr(7)));
    if (line == "}" || line == "} {") {
      if (open_.empty()) return wrong("no region is open here");
      if (line == "}") {
        open_.pop_back();
        return {};
      }
      kernel_.ops[open_.back()].regions.emplace_back();
      return {};
    }
    if (line.starts_with("^(")) return readArguments(line);
    return readOp(line);
  }

  Status readHead(std::string_view architecture) {
    if (!kernel_.ops.empty()) return wrong("the architecture stands before the first operation");
    int64_t number = 0;
    if (architecture.starts_with("sm_"))
      std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
    if (number < 90 || number > 999)
      return wrong(fmt::format("expected sm_90 or later, found '{}'", architecture));
    kernel_.smMajor = number / 10;
    return {};
  }

  Status readArguments(std::string_view line) {
    if (open_.empty() || !line.ends_with(')')) return wrong("arguments of a region stand at its begin");
    KernelRegion& region = kernel_.ops[open_.back()].regions.back();
    if (!region.ops.empty() || !region.arguments.empty())
      return wrong("arguments of a region stand at its begin");
    for (std::string_view part : partsOf(line.substr(2, line.size() - 3))) {
      const size_t colon = part.find(':');
      if (colon == std::string_view::npos) return wrong(fmt::format("'{}' has no type", part));
      TRY(KernelType type, parseType(trimmed(part.substr(colon + 1))));
      const auto number = static_cast<uint32_t>(region.arguments.size());
      const auto regionNumber = static_cast<int32_t>(kernel_.ops[open_.back()].regions.size()) - 1;
      TRY(region.arguments.emplace_back(),
          define(trimmed(part.substr(0, colon)), {"", std::move(type), open_.back(), number, regionNumber}));
    }
    return {};
  }

  Status readOp(std::string_view line) {
    KernelOp op;
    op.line = line_;
    const bool hasRegion = line.ends_with('{');
    if (hasRegion) line = trimmed(line.substr(0, line.size() - 1));
    TRY(const std::optional<uint32_t> source, takeLine(line));
    if (source) op.line = *source;
    std::vector<std::string_view> names, types;
    if (const size_t equals = findOutside(line, "="); equals != std::string_view::npos) {
      names = partsOf(line.substr(0, equals));
      line = trimmed(line.substr(equals + 1));
    }
    if (const size_t colon = findOutside(line, ":"); colon != std::string_view::npos) {
      types = partsOf(line.substr(colon + 1));
      line = trimmed(line.substr(0, colon));
    }
    if (const size_t brace = findOutside(line, "{"); brace != std::string_view::npos) {
      TRY_STATUS(readAttributes(line.substr(brace), op));
      line = trimmed(line.substr(0, brace));
    }
    const size_t space = line.find(' ');
    op.opcode = line.substr(0, space);
    if (op.opcode.empty() || op.opcode.starts_with('%')) return wrong("expected the name of an operation");
    if (space != std::string_view::npos)
      for (std::string_view name : partsOf(line.substr(space))) {
        TRY(op.operands.emplace_back(), valueOf(name));
      }
    if (names.size() != types.size())
      return wrong(fmt::format("{} results have {} types", names.size(), types.size()));
    return place(std::move(op), names, types, hasRegion);
  }

  Status readAttributes(std::string_view text, KernelOp& op) {
    if (!text.ends_with('}')) return wrong("attributes have no end");
    for (std::string_view part : partsOf(text.substr(1, text.size() - 2))) {
      const size_t equals = part.find('=');
      const std::string_view name = trimmed(part.substr(0, equals));
      if (name.empty()) return wrong(fmt::format("'{}' is no attribute", part));
      KernelAttribute value = int64_t{1};
      if (equals != std::string_view::npos) {
        TRY(value, parseAttribute(name, trimmed(part.substr(equals + 1))));
      }
      if (!op.attributes.emplace(name, std::move(value)).second)
        return wrong(fmt::format("{} is given twice", name));
    }
    return {};
  }

  Status place(KernelOp op, const std::vector<std::string_view>& names,
               const std::vector<std::string_view>& types, bool hasRegion) {
    const auto id = static_cast<OpId>(kernel_.ops.size());
    for (uint32_t i = 0; i < names.size(); ++i) {
      TRY(KernelType type, parseType(types[i]));
      TRY(op.results.emplace_back(), define(names[i], {"", std::move(type), id, i, -1}));
    }
    if (hasRegion) op.regions.emplace_back();
    if (hasRegion && open_.size() >= kMostRegions)
      return wrong(fmt::format("more than {} regions one within the other", kMostRegions));
    (open_.empty() ? kernel_.body : kernel_.ops[open_.back()].regions.back().ops).push_back(id);
    kernel_.ops.push_back(std::move(op));
    if (hasRegion) open_.push_back(id);
    return {};
  }

  Result<ValueId> define(std::string_view name, KernelValue value) {
    if (!name.starts_with('%'))
      return wrong(fmt::format("'{}' is no name of a value: it begins with %", name));
    const auto id = static_cast<ValueId>(kernel_.values.size());
    if (!ids_.emplace(name, id).second) return wrong(fmt::format("{} is defined twice", name));
    value.name = name;
    kernel_.values.push_back(std::move(value));
    return id;
  }

  Result<ValueId> valueOf(std::string_view name) const {
    const auto at = ids_.find(name);
    if (at == ids_.end()) return wrong(fmt::format("'{}' is not defined before its use", name));
    return at->second;
  }

  KernelDescription kernel_;
  std::map<std::string, ValueId, std::less<>> ids_;
  std::vector<OpId> open_;  // ops whose region is being read
  uint32_t line_ = 0;
};

}  // namespace

Result<KernelDescription> parseKernel(std::string_view text) { return Reader().read(text); }

bool isKernelText(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && !line.starts_with("//"))
      return line.starts_with("kernel sm_") || line.starts_with('%');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace hilo::inference
