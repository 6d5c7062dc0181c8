#include "core/hlo/proto/attribute_codec.h"

#include "core/base/bounded_text.h"

namespace hilo {

void ProtoProblems::add(Severity severity, std::string kind, std::string message) {
  size_t& count = severity == Severity::kError ? errorCount_ : warningCount_;
  if (count++ >= kMaxProblems) return;
  Place place{
      .file = file_, .computation = std::string(computation_), .instruction = std::string(instruction_)};
  diagnostics_.push_back({severity, std::move(kind), boundedText(std::move(message)), std::move(place), {}});
}

const AttributeCodec* codecOf(Attr attr) {
  static const auto table = [] {
    std::array<const AttributeCodec*, kAttrCount> byAttr = {};
    for (const auto rows : {scalarCodecs(), dimensionCodecs(), payloadCodecs(), referenceCodecs()}) {
      for (const AttributeCodec& row : rows) byAttr[static_cast<size_t>(row.attr)] = &row;
    }
    return byAttr;
  }();
  return table[static_cast<size_t>(attr)];
}

}  // namespace hilo
