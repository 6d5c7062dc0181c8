#include "core/workspace/schedule/schedule_proto.h"

#include "core/analysis/backend.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/module_proto.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/workspace/open/read_bytes.h"

namespace hilo {
namespace {

using pb::ScheduleProto;

// Ids as writeModule gave them, by name: names are unique in what it writes.
struct WrittenIds {
  absl::flat_hash_map<std::string_view, int64_t> instructions, computations;
  explicit WrittenIds(const pb::HloModuleProto& proto) {
    for (const auto& computation : proto.computations()) {
      computations[computation.name()] = computation.id();
      for (const auto& instruction : computation.instructions())
        instructions[instruction.name()] = instruction.id();
    }
  }
};

void addWaste(ScheduleProto::SchedulerStatisticsProto& statistics, Opcode inner, double cycles) {
  statistics.set_total_wasted_cycles(statistics.total_wasted_cycles() + cycles);
  switch (inner) {
#define WASTE(opcode, field)                             \
  case Opcode::opcode:                                   \
    statistics.set_##field(statistics.field() + cycles); \
    break
    WASTE(AllGather, all_gather_wasted_cycles);
    WASTE(AllReduce, all_reduce_wasted_cycles);
    WASTE(CollectiveBroadcast, collective_broadcast_wasted_cycles);
    WASTE(CollectivePermute, collective_permute_wasted_cycles);
    WASTE(AllToAll, all_to_all_wasted_cycles);
    WASTE(RaggedAllToAll, ragged_all_to_all_wasted_cycles);
    WASTE(ReduceScatter, reduce_scatter_wasted_cycles);
    WASTE(Send, send_wasted_cycles);
    WASTE(Recv, recv_wasted_cycles);
    WASTE(Call, call_wasted_cycles);
#undef WASTE
    default:
      break;
  }
}

struct Times {
  double start = 0, end = 0;
};

// When the stream that issues instructions is busy with each.
absl::flat_hash_map<const Instruction*, Times> timesOf(const ComputationTimeline& timeline,
                                                       ScheduleProto::SchedulerStatisticsProto& statistics) {
  absl::flat_hash_map<const Instruction*, Times> times;
  for (const TimelineEvent& event : timeline.events) {
    if (event.kind == TimelineEventKind::Async) {
      times[event.instruction] = {event.startNs, event.startNs};
      addWaste(statistics, canonicalAsyncOp(*event.instruction, true).inner, event.exposedNs);
    } else {
      times[event.instruction] = {event.startNs, event.endNs};
    }
  }
  return times;
}

// The low half of an id counts within its computation; newer files have the computation's in the high half.
int64_t localId(int64_t id) { return id & 0xffffffff; }

// A schedule's file: the module in it and, for each computation the schedule names, its
// instructions in order.
struct ReadSchedule {
  std::shared_ptr<Module> module;
  std::vector<std::pair<Computation*, std::vector<Instruction*>>> orders;
};

Result<std::vector<Instruction*>> orderOf(const ScheduleProto::ComputationScheduleProto& schedule,
                                          const Computation& computation) {
  absl::flat_hash_map<int64_t, Instruction*> byId;
  for (Instruction* i : computation.instructions()) {
    if (const auto id = i->get<Attr::UniqueId>()) byId[localId(*id)] = i;
  }
  std::vector<Instruction*> order;
  for (const auto& step : schedule.instructions()) {
    const auto found = byId.find(localId(step.id()));
    if (found == byId.end()) {
      return fail("bad-schedule",
                  fmt::format("the schedule names an instruction of id {}, which is not in {}", step.id(),
                              computation.name()));
    }
    order.push_back(found->second);
  }
  return order;
}

Result<ReadSchedule> ordersIn(const LoadedFile& file, const ScheduleProto& proto, const std::string& path) {
  if (file.module == nullptr) return fail("no-module", fmt::format("{} holds an order but no module", path));
  ReadSchedule read{.module = file.module->clone(), .orders = {}};
  absl::flat_hash_map<int64_t, Computation*> computations;
  for (Computation* computation : read.module->computations()) {
    if (const auto id = computation->attributes().get<Attr::UniqueId>()) computations[*id] = computation;
  }
  for (const auto& schedule : proto.computation_schedules()) {
    const auto found = computations.find(schedule.computation_id());
    if (found == computations.end()) {
      return fail("bad-schedule",
                  fmt::format("the schedule is of a computation of id {}, which the module lacks",
                              schedule.computation_id()));
    }
    TRY(std::vector<Instruction*> order, orderOf(schedule, *found->second));
    read.orders.emplace_back(found->second, std::move(order));
  }
  return read;
}

Status applyOrder(Computation& computation, std::vector<Instruction*> order) {
  const std::vector<const Instruction*> given(order.begin(), order.end());
  TRY_STATUS(verifyOrder(computation, given));
  computation.reorder(order);
  return {};
}

}  // namespace

Result<std::string> writeScheduleProto(const Module& module, const Timeline& timeline) {
  ScheduleProto proto;
  writeModule(module, *proto.mutable_hlo_module());
  const WrittenIds ids(proto.hlo_module());
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, backendOf(module)));
  const ValueLiveRanges ranges(alias);
  const MemoryUsage memory = memoryUsage(ranges);
  for (const ComputationTimeline& played : timeline.computations) {
    auto& computation = *proto.add_computation_schedules();
    computation.set_computation_id(ids.computations.at(played.computation->name()));
    computation.set_cycles_per_microsecond(1000);
    auto& statistics = *computation.mutable_scheduler_statistics();
    statistics.set_total_cycles(played.durationNs);
    const auto times = timesOf(played, statistics);
    double now = 0;
    int64_t peak = 0;
    for (const Instruction* instruction : played.computation->instructions()) {
      auto& step = *computation.add_instructions();
      step.set_id(ids.instructions.at(instruction->name()));
      const auto found = times.find(instruction);
      const Times own = found == times.end() ? Times{now, now} : found->second;
      now = std::max(now, own.end);
      step.set_start_timestamp_cycles(own.start);
      step.set_end_timestamp_cycles(own.end);
      const int64_t at = ranges.timeOf(*instruction);
      if (at < 0 || static_cast<size_t>(at) >= memory.liveBytes.size()) continue;
      const int64_t live = memory.liveBytes[static_cast<size_t>(at)];
      peak = std::max(peak, live);
      step.set_memory_usage_after(live);
      step.set_peak_memory_after(peak);
    }
    statistics.set_memory_pressure_peak(peak);
  }
  return toBinaryProto(proto);
}

Result<std::shared_ptr<const Module>> moduleInOrderOf(const std::string& path) {
  TRY(const LoadedFile file, loadFile(path, {.inferShape = inferShape}));
  const auto* proto = dynamic_cast<const ScheduleProto*>(file.message.get());
  if (proto == nullptr)
    return fail("no-schedule", fmt::format("{} is {}, not a schedule", path, file.describe()));
  TRY(ReadSchedule read, ordersIn(file, *proto, path));
  for (auto& [computation, order] : read.orders) TRY_STATUS(applyOrder(*computation, std::move(order)));
  read.module->set<Attr::IsScheduled>(true);
  return std::shared_ptr<const Module>(read.module);
}

Result<std::string> orderTextOf(const std::string& path) {
  const auto file = loadFile(path, {.inferShape = inferShape});
  // A list of names is no file that could be loaded.
  const auto* proto = file ? dynamic_cast<const ScheduleProto*>(file->message.get()) : nullptr;
  if (proto == nullptr) return readBytes(path);
  TRY(const ReadSchedule read, ordersIn(*file, *proto, path));
  std::string text;
  for (const auto& [computation, order] : read.orders) {
    text += fmt::format("%{} {{\n", computation->name());
    for (const Instruction* instruction : order) text += fmt::format("%{}\n", instruction->name());
    text += "}\n";
  }
  return text;
}

}  // namespace hilo
