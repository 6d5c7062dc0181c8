#include "core/analysis/dataflow/overwritten_values.h"

#include <fmt/format.h>

#include "core/analysis/dataflow/value_order.h"

namespace hilo {
namespace {

class Finder {
 public:
  explicit Finder(const ValueLiveRanges& ranges)
      : ranges_(ranges),
        dataflow_(ranges.aliases().dataflow()),
        execution_(dataflow_.module(), dataflow_.callGraph(), /*sequential=*/true),
        order_(dataflow_, execution_, ranges.aliases().backend()) {}

  std::optional<OverwrittenValue> find(const HloBuffer& buffer) {
    std::vector<const HloValue*> values;
    for (const ValueId id : buffer.values) {
      if (ranges_.of(id)) values.push_back(&dataflow_.value(id));
    }
    std::ranges::sort(values, {}, [&](const HloValue* value) {
      const LiveRange& range = *ranges_.of(value->id);
      return std::tuple(range.start, range.end, value->id);
    });
    for (const HloValue* value : values) {
      if (!isReadOnly(dataflow_.module(), *value)) continue;
      const auto writer = std::ranges::find_if(
          values, [&](const HloValue* other) { return other != value && !other->isPhi; });
      if (writer == values.end()) continue;
      const bool constant = value->instruction().opcode() == Opcode::Constant;
      return OverwrittenValue{value->id, (*writer)->id,
                              constant ? "it is a constant" : "it is a parameter and not donated"};
    }
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      if (!order_.liveRangeBefore(*values[i], *values[i + 1]))
        return OverwrittenValue{values[i]->id, values[i + 1]->id, whyNeeded(*values[i], *values[i + 1])};
    }
    return std::nullopt;
  }

 private:
  std::string whyNeeded(const HloValue& value, const HloValue& writer) {
    if (value.livesOut) return "it is a result";
    const HloUse* blocking = nullptr;
    if (!order_.usesBeforeDefinition(value.uses, writer, false, &blocking))
      return fmt::format("%{} may read it later", blocking->instruction->name());
    if (isRootOf(value, writer.instruction().parent()))
      return fmt::format("it is the result of %{}", writer.instruction().parent().name());
    return "which of both is written first is not known";
  }

  const ValueLiveRanges& ranges_;
  const DataflowAnalysis& dataflow_;
  ExecutionOrder execution_;
  ValueOrder order_;
};

}  // namespace

std::string overwrittenText(const DataflowAnalysis& dataflow, const OverwrittenValue& overwritten) {
  return fmt::format("%{} must share a buffer with %{} and is overwritten by it: {}",
                     toString(dataflow.value(overwritten.value).definition()),
                     toString(dataflow.value(overwritten.writer).definition()), overwritten.reason);
}

std::vector<OverwrittenValue> overwrittenValues(const ValueLiveRanges& ranges) {
  Finder finder(ranges);
  std::vector<OverwrittenValue> found;
  for (const HloBuffer& buffer : ranges.aliases().buffers()) {
    if (buffer.values.size() < 2) continue;
    if (auto overwritten = finder.find(buffer)) found.push_back(*std::move(overwritten));
  }
  std::ranges::sort(
      found, {}, [&](const OverwrittenValue& o) { return std::pair(ranges.of(o.writer)->start, o.value); });
  return found;
}

}  // namespace hilo
