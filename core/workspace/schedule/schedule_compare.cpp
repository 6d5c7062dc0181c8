#include "core/workspace/schedule/schedule_compare.h"

#include "core/workspace/schedule/schedule_costs.h"

namespace hilo {
namespace {

// Marks a longest run of instructions that stand in the same order on both sides; the rest moved.
std::vector<bool> stays(const std::vector<size_t>& placeInB) {
  std::vector<size_t> ends, before(placeInB.size(), SIZE_MAX);
  for (size_t i = 0; i < placeInB.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, placeInB[i], {}, [&](size_t e) { return placeInB[e]; });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<bool> stay(placeInB.size());
  for (size_t i = ends.empty() ? SIZE_MAX : ends.back(); i != SIZE_MAX; i = before[i]) stay[i] = true;
  return stay;
}

struct Moved {
  const Instruction* inB;
  size_t placeA, placeB;
  int weight;  // shown first
};

int weightOf(const Instruction& instruction) {
  if (canonicalAsyncOp(instruction, true).role != AsyncRole::None) return 2;
  return isNopForScheduling(instruction) ? 0 : 1;
}

std::vector<Moved> findMoved(const ScheduleOutcome& a, const ScheduleOutcome& b) {
  std::vector<Moved> moved;
  for (const ComputationTimeline& played : a.timeline->computations) {
    const Computation* inB = b.module->computation(played.computation->id());
    if (inB == nullptr) continue;
    absl::flat_hash_map<InstructionId, size_t> places;
    for (const Instruction* instruction : inB->instructions())
      places.emplace(instruction->id(), places.size());
    std::vector<size_t> placeInB;
    std::vector<const Instruction*> order;
    std::vector<size_t> placeInA;
    size_t place = 0;
    for (const Instruction* instruction : played.computation->instructions()) {
      const auto found = places.find(instruction->id());
      if (found != places.end()) {
        placeInB.push_back(found->second);
        placeInA.push_back(place);
        order.push_back(instruction);
      }
      ++place;
    }
    const std::vector<bool> stay = stays(placeInB);
    for (size_t i = 0; i < order.size(); ++i) {
      if (stay[i]) continue;
      const Instruction* moving = b.module->instruction(order[i]->id());
      moved.push_back({moving, placeInA[i], placeInB[i], weightOf(*moving)});
    }
  }
  std::ranges::sort(moved, {}, [](const Moved& each) {
    return std::tuple(-each.weight, each.inB->parent().id().value, each.placeB);
  });
  return moved;
}

// The comparison that put it later than it was, or kept it earlier.
std::string reasonOf(const ScheduleDecisions& decisions, const Instruction& instruction, bool later) {
  for (const DecisionLog& log : decisions.logs) {
    if (log.computation != instruction.parent().id()) continue;
    // What is taken first comes last, unless the scheduler goes down.
    const bool wins = later != log.topDown;
    std::array<int64_t, 256> counts{};
    std::array<InstructionId, 256> others{};
    for (const SchedulingDecision& decision : log.decisions) {
      const InstructionId self = wins ? decision.winner : decision.loser;
      if (self != instruction.id()) continue;
      const auto reason = static_cast<size_t>(decision.reason);
      others[reason] = wins ? decision.loser : decision.winner;
      ++counts[reason];
    }
    const auto most = std::ranges::max_element(counts) - counts.begin();
    if (counts[static_cast<size_t>(most)] == 0) return {};
    const auto reason = static_cast<SchedulingReason>(most);
    return fmt::format("{} %{}: {} ({})", later ? "behind" : "ahead of",
                       instruction.module().instruction(others[static_cast<size_t>(most)])->name(),
                       reasonMeaning(reason), reasonName(reason));
  }
  return {};
}

class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Numbers to the right; the first column and the last to the left.
  std::string text() const {
    std::vector<size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = " ";
      for (size_t c = 0; c < row.size(); ++c) {
        const bool left = c == 0 || c + 1 == widths.size();
        line +=
            left ? fmt::format(" {:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c] - 1);
        if (c == 0) line += " ";
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string nameOf(const ScheduleOutcome& outcome) {
  return outcome.scenario.name.empty() ? outcome.scenario.preset : outcome.scenario.name;
}

}  // namespace

Result<ScheduleComparison> compareSchedules(const ScheduleStudy& study, const ScheduleOutcome& a,
                                            const ScheduleOutcome& b, const JobContext& context) {
  ScheduleComparison result{.nameA = nameOf(a), .nameB = nameOf(b), .abstract = isAbstract(b.scenario)};
  result.a = a.metrics;
  result.b = b.metrics;
  absl::flat_hash_map<InstructionId, OverlapRow> inA;
  for (OverlapRow& row : overlapRows(a)) inA[row.start] = std::move(row);
  for (OverlapRow& row : overlapRows(b)) {
    const auto found = inA.find(row.start);
    if (found != inA.end()) result.overlaps.push_back({found->second, std::move(row)});
  }
  std::ranges::sort(result.overlaps, {}, [](const ComparedOverlap& each) {
    return std::tuple(-std::abs(each.changeNs()), -each.b.totalExposedNs(), each.b.start.value);
  });
  std::vector<Moved> moved = findMoved(a, b);
  result.movedCount = moved.size();
  if (moved.size() > ScheduleComparison::kMostMoved) moved.resize(ScheduleComparison::kMostMoved);
  ScheduleWatch watch;
  for (const Moved& each : moved) watch.instructions.insert(each.inB->id());
  std::shared_ptr<const ScheduleDecisions> decisions;
  if (!moved.empty() && b.module.get() != &study.base()) {
    ScheduleScenario scenario = b.scenario;
    scenario.moves.clear();
    if (scenario.preset == "best") {
      scenario.preset = "gpu";
      scenario.settings = b.settings;
    }
    TRY(const ScheduleOutcome watched, study.run(scenario, context, watch));
    decisions = watched.decisions;
  }
  for (const Moved& each : moved) {
    const Instruction& i = *each.inB;
    const bool later = each.placeB > each.placeA;
    const auto byHand = std::ranges::find(b.scenario.moves, i.name(), &ScheduleMove::instruction);
    std::string why = byHand != b.scenario.moves.end() ? "moved by hand"
                      : decisions != nullptr           ? reasonOf(*decisions, i, later)
                                                       : std::string();
    result.moved.push_back({i.id(), std::string(i.name()), std::string(i.parent().name()), each.placeA,
                            each.placeB, std::move(why)});
  }
  return result;
}

std::string comparisonText(const ScheduleComparison& c, size_t rows) {
  const auto time = [&](double ns) { return scheduleTimeText(ns, c.abstract); };
  std::string text;
  if (!c.overlaps.empty()) {
    TextTable table;
    table.add({"collective", "takes", "times", c.nameA + " exposes", c.nameB + " exposes", ""});
    for (size_t i = 0; i < std::min(rows, c.overlaps.size()); ++i) {
      const auto& [a, b] = c.overlaps[i];
      table.add({b.name, time(b.latencyNs), std::to_string(b.times), time(a.totalExposedNs()),
                 time(b.totalExposedNs()), b.what});
    }
    text += table.text();
    if (c.overlaps.size() > rows) text += fmt::format("  and {} more\n", c.overlaps.size() - rows);
  }
  if (c.movedCount == 0) return text + "nothing moved\n";
  text += fmt::format("{} instructions moved\n", c.movedCount);
  TextTable table;
  table.add({"instruction", "from", "to", "why"});
  for (size_t i = 0; i < std::min(rows, c.moved.size()); ++i) {
    const MovedInstruction& m = c.moved[i];
    table.add({m.name, std::to_string(m.placeA + 1), std::to_string(m.placeB + 1), m.why});
  }
  text += table.text();
  if (c.movedCount > std::min(rows, c.moved.size()))
    text += fmt::format("  and {} more\n", c.movedCount - std::min(rows, c.moved.size()));
  return text;
}

}  // namespace hilo
