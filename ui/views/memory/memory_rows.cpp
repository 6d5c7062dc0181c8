#include "ui/views/memory/memory_rows.h"

#include "ui/models/source_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString kindText(PlaceKind kind) { return qs(placeKindName(kind)); }

template <typename Row>
TableColumn<Row> bytesColumn(const char* title, int64_t Row::* field) {
  return {title, [field](const Row& row) { return bytesText(row.*field); },
          [field](const Row& row) { return static_cast<double>(row.*field); }};
}
template <typename Row>
TableColumn<Row> countColumn(const char* title, int64_t Row::* field) {
  return {title, [field](const Row& row) { return countText(row.*field); },
          [field](const Row& row) { return static_cast<double>(row.*field); }};
}
template <typename Row>
TableColumn<Row> textColumn(const char* title, QString Row::* field) {
  return {title, [field](const Row& row) { return row.*field; }};
}

void addEnds(const MemoryPlan& plan, const char* whose, std::vector<EndRow>& rows) {
  for (const HeapEnd& end : plan.ends) {
    const PlacedValue& value = plan.profile.values[end.value];
    rows.push_back({value.instruction, whose, qs(value.name), value.sizeBytes,
                    value.offsetBytes + value.sizeBytes, end.neededBytes, end.freeBelowBytes,
                    end.fullestStep});
  }
}

}  // namespace

QString signedBytes(int64_t bytes, const char* none) {
  if (bytes == 0) return none;
  return (bytes < 0 ? "−" : "+") + bytesText(std::abs(bytes));
}

std::vector<TableColumn<LiveRow>> liveColumns() {
  return {bytesColumn("bytes", &LiveRow::bytes),
          textColumn("value", &LiveRow::name),
          textColumn("opcode", &LiveRow::opcode),
          textColumn("kind", &LiveRow::kind),
          textColumn("allocation + offset", &LiveRow::place),
          countColumn("from step", &LiveRow::start),
          countColumn("to step", &LiveRow::end),
          textColumn("source", &LiveRow::source),
          textColumn("op_name", &LiveRow::scope)};
}

std::vector<LiveRow> liveRows(const MemoryPlans& plans, const MemoryPlan& plan, int64_t step, bool fixed,
                              size_t limit) {
  std::vector<LiveRow> rows;
  for (const size_t i : liveSetAt(plan.profile, step, fixed)) {
    if (rows.size() == limit) break;
    const PlacedValue& value = plan.profile.values[i];
    const Instruction& instruction = *plans.module->instruction(value.instruction);
    const BufferAllocation& allocation = plan.assignment.allocations[value.allocation];
    rows.push_back({.value = i,
                    .instruction = value.instruction,
                    .name = qs(value.name),
                    .opcode = qs(instruction.opcodeText()),
                    .place = QString("%1 + %2").arg(allocation.index).arg(value.offsetBytes),
                    .kind = kindText(placeKindOf(allocation)),
                    .scope = qs(instruction.opName()),
                    .source = sourceText(instruction),
                    .bytes = value.sizeBytes,
                    .start = value.range.start,
                    .end = value.range.end});
  }
  return rows;
}

std::vector<TableColumn<GroupRow>> groupColumns() {
  return {bytesColumn("at the cursor", &GroupRow::bytes), bytesColumn("at the peak", &GroupRow::peakBytes),
          countColumn("values at the cursor", &GroupRow::values), textColumn("group", &GroupRow::name)};
}

std::vector<GroupRow> groupRows(const MemoryPlan& plan, const RankedGroups& groups, int64_t step,
                                bool fixed) {
  std::vector<GroupRow> all(groups.names.size());
  for (const size_t i : liveSetAt(plan.profile, step, fixed)) {
    GroupRow& row = all[groups.of[i]];
    row.bytes += plan.profile.values[i].sizeBytes;
    ++row.values;
  }
  for (const size_t i : liveSetAt(plan.profile, plan.profile.peakStep, fixed))
    all[groups.of[i]].peakBytes += plan.profile.values[i].sizeBytes;
  std::vector<GroupRow> rows;
  for (uint32_t group = 0; group < all.size(); ++group) {
    GroupRow& row = all[group];
    if (row.bytes == 0 && row.peakBytes == 0) continue;
    row.group = group;
    row.name = groups.names[group].empty() ? QString("(none)") : qs(groups.names[group]);
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, {},
                    [](const GroupRow& row) { return std::tuple(-row.bytes, -row.peakBytes, row.group); });
  return rows;
}

std::vector<TableColumn<EndRow>> endColumns() {
  return {textColumn("plan", &EndRow::plan),          textColumn("value", &EndRow::name),
          bytesColumn("bytes", &EndRow::bytes),       bytesColumn("end offset", &EndRow::end),
          bytesColumn("heap needs", &EndRow::needed), bytesColumn("free below", &EndRow::freeBytes),
          countColumn("at step", &EndRow::step)};
}

std::vector<EndRow> endRows(const MemoryPlans& plans) {
  std::vector<EndRow> rows;
  if (plans.xla) addEnds(*plans.xla, "XLA", rows);
  if (plans.hilo) addEnds(*plans.hilo, "Hilo", rows);
  return rows;
}

std::vector<TableColumn<PlacementDifference>> differenceColumns() {
  using Row = PlacementDifference;
  const auto place = [](PlaceKind kind, int64_t allocation, int64_t offset, const std::string& shared) {
    QString text = QString("%1 %2 + %3").arg(kindText(kind)).arg(allocation).arg(offset);
    return shared.empty() ? text : text + " with " + qs(shared);
  };
  return {bytesColumn("bytes", &Row::sizeBytes),
          {"value", [](const Row& r) { return qs(r.name); }},
          {"XLA's plan", [place](const Row& r) { return place(r.a, r.allocationA, r.offsetA, r.sharedA); }},
          {"Hilo's plan", [place](const Row& r) { return place(r.b, r.allocationB, r.offsetB, r.sharedB); }}};
}

std::vector<TableColumn<AliasRow>> aliasColumns() {
  return {bytesColumn("bytes", &AliasRow::bytes),
          {"why", [](const AliasRow& r) { return qs(r.kind); }},
          {"value", [](const AliasRow& r) { return qs(r.from); }},
          {"lies where", [](const AliasRow& r) { return qs(r.to); }}};
}

std::vector<TableColumn<CopyVerdict>> copyColumns() {
  return {{"copy", [](const CopyVerdict& r) { return qs(r.name); }},
          {"verdict", [](const CopyVerdict& r) { return qs(r.verdict); }},
          {"reason", [](const CopyVerdict& r) { return qs(r.reason); }}};
}

}  // namespace hilo
