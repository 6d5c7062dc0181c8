#include "core/workspace/schedule/schedule_facts.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/base/amount_text.h"
#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

// How often each computation runs in a step.
absl::flat_hash_map<const Computation*, int64_t> runsOf(const Timeline& timeline) {
  absl::flat_hash_map<const Computation*, int64_t> times;
  if (timeline.computations.empty()) return times;
  times[timeline.entry().computation] = 1;
  for (size_t i = timeline.computations.size(); i-- > 0;) {  // callers come last
    const ComputationTimeline& computation = timeline.computations[i];
    const int64_t own = times[computation.computation];
    for (const TimelineEvent& event : computation.events) {
      if (event.kind != TimelineEventKind::Block) continue;
      for (const Computation* called : event.instruction->calledComputations()) {
        int64_t runs = 0;
        if (called == nullptr || __builtin_mul_overflow(own, event.repeat, &runs)) continue;
        times[called] += runs;
      }
    }
  }
  return times;
}

}  // namespace

std::string scheduleTimeText(double ns, bool abstract) {
  return abstract ? fmt::format("{:.0f} units", ns) : amount::duration(ns);
}

std::string collectiveText(const Instruction& instruction) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  std::string text(opcodeName(op.inner));
  const Instruction* start = op.role == AsyncRole::Done ? startOfDone(instruction) : &instruction;
  if (start == nullptr || !isCollectiveCommunication(op.inner)) return text;
  const ReplicaGroups* groups = asyncOperation(*start).get<Attr::ReplicaGroups>();
  if (groups == nullptr) return text;
  const auto lists = expandReplicaGroups(*groups);
  return lists.empty() ? text : fmt::format("{} of {} devices", text, lists[0].size());
}

const Instruction* doneOfStart(const Instruction& start) {
  for (const Instruction* user : start.users()) {
    const Instruction* done = user->opcode() == Opcode::AsyncUpdate ? asyncChainDone(*user) : user;
    if (done != nullptr && canonicalAsyncOp(*done, true).role == AsyncRole::Done) return done;
  }
  return nullptr;
}

std::vector<OverlapRow> overlapRows(const ScheduleOutcome& outcome) {
  const auto times = runsOf(*outcome.timeline);
  std::vector<OverlapRow> rows;
  for (const ComputationTimeline& computation : outcome.timeline->computations) {
    const OrderFacts facts(outcome, *computation.computation);
    const auto runs = times.find(computation.computation);
    for (const TimelineEvent& event : computation.events) {
      const bool sync = event.kind == TimelineEventKind::Work && event.exposedNs > 0;
      if (event.kind != TimelineEventKind::Async && !sync) continue;
      const Instruction& start = *event.instruction;
      const Instruction* done = sync ? &start : doneOfStart(start);
      OverlapRow row{.start = start.id(),
                     .done = done == nullptr ? InstructionId{} : done->id(),
                     .name = std::string(start.name()),
                     .what = collectiveText(start),
                     .computation = std::string(computation.computation->name()),
                     .times = runs == times.end() ? 1 : runs->second,
                     .latencyNs = event.endNs - event.startNs,
                     .exposedNs = event.exposedNs};
      if (!sync) {
        row.queuedNs = std::max(0.0, event.startNs - facts.issueNs(start));
        const size_t end = done != nullptr && facts.has(*done) ? facts.placeOf(*done) : facts.order().size();
        row.workNs = facts.workBetweenNs(facts.placeOf(start) + 1, end);
      }
      rows.push_back(std::move(row));
    }
  }
  std::ranges::sort(rows, {}, [](const OverlapRow& row) {
    return std::tuple(-row.totalExposedNs(), -row.latencyNs * static_cast<double>(row.times), row.start);
  });
  return rows;
}

OrderFacts::OrderFacts(const ScheduleOutcome& outcome, const Computation& computation) {
  for (const ComputationTimeline& timeline : outcome.timeline->computations) {
    if (timeline.computation == &computation) timeline_ = &timeline;
  }
  if (timeline_ != nullptr) {
    for (const TimelineEvent& event : timeline_->events)
      events_.emplace(std::pair(event.instruction, event.kind), &event);
  }
  double sum = 0, nowNs = 0;
  for (const Instruction* instruction : computation.instructions()) {
    place_[instruction] = order_.size();
    order_.push_back(instruction);
    sumNs_.push_back(sum);
    issueNs_.push_back(nowNs);
    sum += workNs(*instruction);
    for (const auto kind : {TimelineEventKind::Work, TimelineEventKind::Wait, TimelineEventKind::Block}) {
      if (const TimelineEvent* played = event(*instruction, kind)) nowNs = std::max(nowNs, played->endNs);
    }
  }
  sumNs_.push_back(sum);
}

double OrderFacts::workNs(const Instruction& instruction) const {
  const TimelineEvent* work = event(instruction, TimelineEventKind::Work);
  if (work == nullptr) work = event(instruction, TimelineEventKind::Block);
  return work == nullptr ? 0 : work->endNs - work->startNs - work->exposedNs;
}

double OrderFacts::workBetweenNs(size_t first, size_t last) const {
  return first < last ? sumNs_[last] - sumNs_[first] : 0;
}

const TimelineEvent* OrderFacts::event(const Instruction& instruction, TimelineEventKind kind) const {
  const auto found = events_.find(std::pair(&instruction, kind));
  return found == events_.end() ? nullptr : found->second;
}

}  // namespace hilo
