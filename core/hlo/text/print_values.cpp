// The structured attribute values, in the forms of XLA's hlo_instruction.cc, hlo_instructions.cc,
// hlo_op_metadata.cc, window_util.cc and hlo_original_value.cc.

#include "core/hlo/text/print_values.h"

#include "core/hlo/text/escape.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// " name=AxBxC", each part by `part(dimension)`.
template <typename F>
void appendWindowField(std::string& out, std::string_view name, const Window& window, F&& part) {
  out += name;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (i != 0) out += 'x';
    part(window.dimensions[i]);
  }
}

void appendField(std::string& out, bool& first, std::string_view name, std::string_view text,
                 bool escape = true) {
  if (text.empty()) return;
  if (!std::exchange(first, false)) out += ' ';
  out += name;
  out += "=\"";
  if (escape) {
    appendEscaped(out, text);
  } else {
    out += text;
  }
  out += '"';
}

void appendField(std::string& out, bool& first, std::string_view name, int64_t value) {
  if (value == 0) return;
  if (!std::exchange(first, false)) out += ' ';
  out += name;
  out += '=';
  appendInt(out, value);
}

void appendOriginalNode(std::string& out, const OriginalValueNode& node) {
  if (node.isTuple) {
    out += '(';
    for (size_t i = 0; i < node.elements.size(); ++i) {
      if (i != 0) out += ", ";
      appendOriginalNode(out, node.elements[i]);
    }
    out += ')';
    return;
  }
  out += '{';
  if (node.hasArray) {
    out += '"';
    out += node.instruction;
    out += '"';
    if (!node.shapeIndex.empty()) {
      out += ' ';
      appendBraced(out, node.shapeIndex);
    }
  }
  out += '}';
}

// Puts each role's letter where its dimension is; '?' where nothing is.
std::string labels(int64_t first, char firstLetter, int64_t second, char secondLetter,
                   std::span<const int64_t> spatial) {
  int64_t rank = std::max(first, second) + 1;
  for (int64_t dimension : spatial) rank = std::max(rank, dimension + 1);
  constexpr int64_t kMaxRank = 64;
  std::string text(static_cast<size_t>(std::clamp<int64_t>(rank, 0, kMaxRank)), '?');
  const auto put = [&](int64_t at, char letter) {
    if (at >= 0 && at < static_cast<int64_t>(text.size())) text[static_cast<size_t>(at)] = letter;
  };
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i));
  put(first, firstLetter);
  put(second, secondLetter);
  return text;
}

}  // namespace

bool isJsonObject(std::string_view text) {
  if (!text.starts_with('{')) return false;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      if (i >= text.size()) return false;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1 == text.size();
    }
  }
  return false;
}

void appendWindow(std::string& out, const Window& window) {
  const auto any = [&](auto&& test) { return std::ranges::any_of(window.dimensions, test); };
  if (window.dimensions.empty()) return;
  appendWindowField(out, "size=", window, [&](const WindowDimension& d) { appendInt(out, d.size); });
  if (any([](const WindowDimension& d) { return d.stride != 1; })) {
    appendWindowField(out, " stride=", window, [&](const WindowDimension& d) { appendInt(out, d.stride); });
  }
  if (any([](const WindowDimension& d) { return d.paddingLow != 0 || d.paddingHigh != 0; })) {
    appendWindowField(out, " pad=", window, [&](const WindowDimension& d) {
      appendInt(out, d.paddingLow);
      out += '_';
      appendInt(out, d.paddingHigh);
    });
  }
  if (any([](const WindowDimension& d) { return d.baseDilation != 1; })) {
    appendWindowField(out, " lhs_dilate=", window,
                      [&](const WindowDimension& d) { appendInt(out, d.baseDilation); });
  }
  if (any([](const WindowDimension& d) { return d.windowDilation != 1; })) {
    appendWindowField(out, " rhs_dilate=", window,
                      [&](const WindowDimension& d) { appendInt(out, d.windowDilation); });
  }
  if (any([](const WindowDimension& d) { return d.windowReversal; })) {
    appendWindowField(out, " rhs_reversal=", window,
                      [&](const WindowDimension& d) { out += d.windowReversal ? '1' : '0'; });
  }
}

void appendDimLabels(std::string& out, const ConvolutionDimensionNumbers& numbers) {
  out += labels(numbers.inputBatch, 'b', numbers.inputFeature, 'f', numbers.inputSpatial);
  out += '_';
  out += labels(numbers.kernelInputFeature, 'i', numbers.kernelOutputFeature, 'o', numbers.kernelSpatial);
  out += "->";
  out += labels(numbers.outputBatch, 'b', numbers.outputFeature, 'f', numbers.outputSpatial);
}

void appendPadding(std::string& out, std::span<const PaddingDimension> padding) {
  const bool interior =
      std::ranges::any_of(padding, [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < padding.size(); ++i) {
    if (i != 0) out += 'x';
    appendInt(out, padding[i].low);
    out += '_';
    appendInt(out, padding[i].high);
    if (!interior) continue;
    out += '_';
    appendInt(out, padding[i].interior);
  }
}

void appendOpMetadata(std::string& out, const OpMetadata& metadata, bool onlyOpName) {
  bool first = true;
  if (onlyOpName) return appendField(out, first, "op_name", metadata.opName);
  appendField(out, first, "op_type", metadata.opType);
  appendField(out, first, "op_name", metadata.opName);
  appendField(out, first, "source_file", metadata.sourceFile);
  appendField(out, first, "source_line", metadata.sourceLine);
  appendField(out, first, "source_end_line", metadata.sourceEndLine);
  appendField(out, first, "source_column", metadata.sourceColumn);
  appendField(out, first, "source_end_column", metadata.sourceEndColumn);
  if (!metadata.profileType.empty()) {
    if (!std::exchange(first, false)) out += ' ';
    out += "profile_type=";
    appendBraced(out, metadata.profileType);
  }
  appendField(out, first, "deduplicated_name", metadata.deduplicatedName);
  appendField(out, first, "scheduling_name", metadata.schedulingName);
  appendField(out, first, "stack_frame_id", metadata.stackFrameId);
  if (metadata.writesStackFrameZero)
    out += std::exchange(first, false) ? "stack_frame_id=0" : " stack_frame_id=0";
  appendField(out, first, "metadata_payload", metadata.payload);
}

void appendOriginalValue(std::string& out, const OriginalValue& value) {
  out += '{';
  if (value.isSyntheticCall) {
    out += "[synthetic_call]";
  } else {
    appendOriginalNode(out, value.root);
  }
  out += '}';
}

}  // namespace hilo
