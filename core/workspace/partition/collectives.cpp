#include "core/workspace/partition/collectives.h"

#include "core/analysis/async_op.h"
#include "core/analysis/execution_counts.h"
#include "core/analysis/instruction_card.h"
#include "core/hlo/ir/op_facts.h"
#include "core/workspace/partition/partition_series.h"

namespace hilo {
namespace {

int64_t bytesOf(const Instruction& collective) {
  int64_t operands = 0;
  for (const Instruction* operand : collective.operands()) operands += operand->shape().byteSize();
  return std::max(operands, resultOfStart(collective).byteSize());
}

// "all-gather" of an all-gather-start and of an async-start that wraps one.
std::string kindOf(const Instruction& start) {
  return std::string(opcodeName(canonicalAsyncOp(start, true).inner));
}

PartitionCollective collectiveOf(const Instruction& start, const DeviceMesh& mesh) {
  PartitionCollective row{.instruction = start.id(),
                          .name = std::string(start.name()),
                          .kind = kindOf(start),
                          .shape = toString(start.shape().withoutLayout()),
                          .source = sourcePlace(start)};
  const auto groups = partitionGroups(start);
  row.axes = axesOfGroups(mesh, groups);
  for (const auto& group : groups)
    row.groupSize = std::max(row.groupSize, static_cast<int64_t>(group.size()));
  row.bytes = bytesOf(start);
  return row;
}

// The same move has one key.
std::string keyOf(const MoveCause& cause) {
  return fmt::format("{}|{}|{}|{}|{}", cause.what, cause.producer.name, cause.consumer.name, cause.from,
                     cause.to);
}

}  // namespace

std::vector<PartitionCollective> collectivesOf(const Module& local, const DeviceMesh& mesh,
                                               const TimesByCollective& times) {
  std::vector<PartitionCollective> rows;
  const auto counts = executionCounts(local);
  for (const Computation* computation : local.computations()) {
    const uint32_t id = computation->id().value;
    const int64_t runs = id < counts.size() ? counts[id] : 0;
    if (runs == 0) continue;
    for (const Instruction* i : computation->instructions()) {
      if (!startsCollective(i->opcode())) continue;
      PartitionCollective row = collectiveOf(*i, mesh);
      row.times = runs;
      if (const auto found = times.find(i->id()); found != times.end()) {
        row.ns = found->second.ns;
        // Less is what sums of times leave over.
        row.exposedNs = found->second.exposedNs < 1 ? 0 : found->second.exposedNs;
      }
      rows.push_back(std::move(row));
    }
  }
  std::ranges::sort(rows, {}, [](const PartitionCollective& row) {
    return std::tuple(-row.ns, -row.bytes, row.instruction.value);
  });
  return rows;
}

void addCauses(std::vector<PartitionCollective>& collectives, const PassSeries& series,
               const MoveCauses& causes) {
  absl::flat_hash_map<std::string, MoveRemark> moves;
  for (const Remark* remark : remarksOf(series, "spmd-partitioning")) {
    if (auto read = readCollectiveRemark(*remark)) moves[read->collective] = std::move(read->move);
  }
  for (PartitionCollective& row : collectives) {
    if (const auto found = moves.find(row.name); found != moves.end())
      row.cause = causes.causeOf(found->second, row.axes);
  }
}

std::vector<Reshard> reshardsOf(const std::vector<PartitionCollective>& collectives) {
  std::vector<Reshard> reshards;
  absl::flat_hash_map<std::string, size_t> place;
  for (size_t i = 0; i < collectives.size(); ++i) {
    const PartitionCollective& row = collectives[i];
    if (!row.cause || row.cause->from.empty()) continue;
    const auto [at, isNew] = place.emplace(keyOf(*row.cause), reshards.size());
    if (isNew) reshards.push_back({.cause = *row.cause});
    Reshard& reshard = reshards[at->second];
    reshard.collectives.push_back(i);
    reshard.bytes += row.bytes * row.times;
    reshard.ns += row.ns;
    reshard.exposedNs += row.exposedNs;
  }
  return reshards;
}

std::vector<FullRematerialization> fullRematerializationsOf(const PassSeries& series,
                                                            const MoveCauses& causes) {
  std::vector<FullRematerialization> rows;
  for (const Remark* remark : remarksOf(series, "spmd-partitioning")) {
    const auto move = readFullRematerialization(*remark);
    if (!move) continue;
    FullRematerialization row{.cause = causes.causeOf(*move, {})};
    if (const Instruction* array = causes.find(move->producer)) {
      row.shape = toString(array->shape().withoutLayout());
      row.bytes = array->shape().byteSize();
    }
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, {}, [](const FullRematerialization& row) {
    return std::pair(-row.bytes, row.cause.producer.name + row.cause.consumer.name);
  });
  return rows;
}

}  // namespace hilo
