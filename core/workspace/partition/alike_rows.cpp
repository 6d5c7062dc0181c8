#include "core/workspace/partition/alike_rows.h"

#include <tuple>

namespace hilo {

std::vector<std::vector<const PartitionCollective*>> alikeCollectives(const Partitioning& partitioning) {
  return alikeRows(
      std::span<const PartitionCollective>(partitioning.collectives),
      [](const PartitionCollective& row) {
        return std::tuple(row.kind, row.bytes, row.times, row.axes,
                          row.cause ? row.cause->consumer.source : std::string());
      },
      &PartitionCollective::ns);
}

std::vector<std::vector<const Replication*>> alikeReplications(const Partitioning& partitioning) {
  return alikeRows(
      std::span<const Replication>(partitioning.replications),
      [](const Replication& row) { return std::tuple(row.text, row.source); }, &Replication::wastedNs);
}

}  // namespace hilo
