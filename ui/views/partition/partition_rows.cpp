#include "ui/views/partition/partition_rows.h"

#include <ranges>

#include "core/workspace/partition/alike_rows.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// The last part of a path is what tells lines apart: "linears.py:102".
QString fileOf(const std::string& source) { return qs(source).section('/', -1); }

template <typename Row, typename Field>
TableColumn<Row> sourceColumn(Field field) {
  return {"source", [field](const Row& row) { return fileOf(field(row)); }, nullptr,
          [field](const Row& row) { return qs(field(row)); }};
}

template <typename Row>
TableColumn<Row> timeColumn(const char* title, double Row::* field) {
  return {title, [field](const Row& row) { return durationText(row.*field); },
          [field](const Row& row) { return row.*field; }};
}

template <typename Row>
TableColumn<Row> bytesColumn(const char* title, int64_t Row::* field) {
  return {title, [field](const Row& row) { return bytesText(row.*field); },
          [field](const Row& row) { return static_cast<double>(row.*field); }};
}

// "all-gather.3 and 4 more".
QString namesText(const std::string& first, size_t others) {
  return others == 0 ? qs(first) : QString("%1 and %2 more").arg(qs(first), countText(others));
}

}  // namespace

QString alongText(const PartitionCollective& row) {
  if (!row.axes.empty()) return qs(fmt::format("{}", fmt::join(row.axes, ", ")));
  return countOf(static_cast<size_t>(row.groupSize), "device");
}

std::vector<AlikeCollectives> collectiveRows(const Partitioning& partitioning, bool alikeAsOne) {
  std::vector<AlikeCollectives> rows;
  if (!alikeAsOne) {
    for (const PartitionCollective& row : partitioning.collectives) rows.push_back({row, {}});
    return rows;
  }
  for (const auto& group : alikeCollectives(partitioning)) {
    AlikeCollectives& row = rows.emplace_back(AlikeCollectives{*group[0], {}});
    row.ns = sumOf(group, &PartitionCollective::ns);
    row.exposedNs = sumOf(group, &PartitionCollective::exposedNs);
    for (const PartitionCollective* other : group | std::views::drop(1)) row.others.push_back(other->name);
  }
  return rows;
}

std::vector<PartitionProblem> problemsOf(const Partitioning& partitioning, bool alikeAsOne) {
  std::vector<PartitionProblem> rows;
  for (const FullRematerialization& full : partitioning.fullRematerializations) {
    rows.push_back({.what = "full rematerialization",
                    .name = full.cause.producer.name,
                    .text = full.cause.text,
                    .source = full.cause.consumer.source,
                    .bytes = full.bytes,
                    .full = &full});
  }
  const auto add = [&](const Replication& row, size_t others, double ns) {
    rows.push_back({.what = fmt::format("computed {} times", row.shares),
                    .name = row.name,
                    .text = row.text,
                    .source = row.source,
                    .others = others,
                    .ns = ns,
                    .replication = &row});
  };
  if (alikeAsOne) {
    for (const auto& group : alikeReplications(partitioning))
      add(*group[0], group.size() - 1, sumOf(group, &Replication::wastedNs));
  } else {
    for (const Replication& row : partitioning.replications) add(row, 0, row.wastedNs);
  }
  return rows;
}

std::vector<TableColumn<PartitionProblem>> problemColumns() {
  using Row = PartitionProblem;
  return {
      {"what", [](const Row& row) { return qs(row.what); }},
      {"instruction", [](const Row& row) { return namesText(row.name, row.others); }},
      {"costs",
       [](const Row& row) { return row.full != nullptr ? bytesText(row.bytes) : durationText(row.ns); },
       [](const Row& row) { return row.full != nullptr ? 1e18 + static_cast<double>(row.bytes) : row.ns; }},
      {"why", [](const Row& row) { return qs(row.text); }},
      sourceColumn<Row>([](const Row& row) { return row.source; })};
}

std::vector<TableColumn<AlikeCollectives>> collectiveColumns() {
  using Row = AlikeCollectives;
  const auto names = [](const Row& row) {
    return qs(fmt::format("{}{}{}", row.name, row.others.empty() ? "" : ", ", fmt::join(row.others, ", ")));
  };
  return {
      {"collective", [](const Row& row) { return namesText(row.name, row.others.size()); }, nullptr, names},
      timeColumn<Row>("time", static_cast<double Row::*>(&Row::ns)),
      timeColumn<Row>("exposed", static_cast<double Row::*>(&Row::exposedNs)),
      {"bytes",
       [](const Row& row) {
         return row.times == 1 ? bytesText(row.bytes)
                               : QString("%1 × %2").arg(bytesText(row.bytes), countText(row.times));
       },
       [](const Row& row) { return static_cast<double>(row.bytes) * static_cast<double>(row.times); }},
      {"along", alongText},
      {"cause",
       [](const Row& row) {
         return row.cause ? qs(row.cause->text) : QString("it was in the module before");
       }},
      sourceColumn<Row>([](const Row& row) { return row.cause ? row.cause->consumer.source : row.source; })};
}

std::vector<TableColumn<Reshard>> reshardColumns() {
  using Row = Reshard;
  return {{"value", [](const Row& row) { return qs(row.cause.producer.name); }},
          {"needed by", [](const Row& row) { return qs(row.cause.consumer.name); }},
          timeColumn<Row>("time", &Row::ns),
          timeColumn<Row>("exposed", &Row::exposedNs),
          bytesColumn<Row>("total bytes (x trip count)", &Row::bytes),
          {"from", [](const Row& row) { return qs(row.cause.from); }},
          {"to", [](const Row& row) { return qs(row.cause.to); }},
          sourceColumn<Row>([](const Row& row) { return row.cause.consumer.source; })};
}

std::vector<TableColumn<ShardedArray>> arrayColumns() {
  using Row = ShardedArray;
  return {{"array", [](const Row& row) { return qs(row.name); }},
          bytesColumn<Row>("on a device", &Row::partBytes),
          bytesColumn<Row>("whole", &Row::wholeBytes),
          {"copies", [](const Row& row) { return countText(row.copies); },
           [](const Row& row) { return static_cast<double>(row.copies); }},
          {"cut in",
           [](const Row& row) { return row.axes.empty() ? QString("whole on each device") : qs(row.axes); }},
          {"shape", [](const Row& row) { return qs(row.shape); }},
          {"sharding", [](const Row& row) { return qs(row.sharding); }}};
}

}  // namespace hilo
