#include "core/workspace/schedule/schedule_why.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/workspace/schedule/schedule_costs.h"
#include "core/workspace/schedule/schedule_edits.h"

namespace hilo {
namespace {

std::string percentName(const Instruction& instruction) { return fmt::format("%{}", instruction.name()); }

// All that comes before (or after) an instruction through uses and control dependencies, within its
// computation and with itself.
absl::flat_hash_set<const Instruction*> reachable(const Instruction& from, bool backwards) {
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> controlled;
  if (!backwards) {
    for (const Instruction* i : from.parent().instructions()) {
      for (const Instruction* before : i->get<Attr::ControlPredecessors>()) controlled[before].push_back(i);
    }
  }
  absl::flat_hash_set<const Instruction*> seen = {&from};
  std::vector<const Instruction*> stack = {&from};
  const auto visit = [&](const Instruction* next) {
    if (&next->parent() == &from.parent() && seen.insert(next).second) stack.push_back(next);
  };
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    if (backwards) {
      for (const Instruction* operand : at->operands()) visit(operand);
      for (const Instruction* before : at->get<Attr::ControlPredecessors>()) visit(before);
    } else {
      for (const Instruction* user : at->users()) visit(user);
      if (const auto found = controlled.find(at); found != controlled.end()) {
        for (const Instruction* after : found->second) visit(after);
      }
    }
  }
  return seen;
}

struct ReasonCount {
  SchedulingReason reason;
  InstructionId example;  // the other of the first comparison
  int64_t count = 0;
};

void countReason(std::vector<ReasonCount>& counts, SchedulingReason reason, InstructionId other) {
  for (ReasonCount& known : counts) {
    if (known.reason == reason) {
      ++known.count;
      return;
    }
  }
  counts.push_back({reason, other, 1});
}

class Explainer {
 public:
  // kNone: the order came as it is. kLater: they are told another time.
  enum class Decisions : uint8_t { kNone, kLater, kLog };
  Explainer(const ScheduleOutcome& outcome, Decisions told, const ScheduleDecisions* decisions,
            const Instruction& instruction)
      : outcome_(outcome),
        told_(told),
        decisions_(decisions),
        instruction_(instruction),
        facts_(outcome, instruction.parent()),
        window_(legalWindow(instruction)) {}

  ScheduleAnswer run() {
    answer_.instruction = instruction_.id();
    answer_.name = instruction_.name();
    answer_.place = window_.place;
    answer_.earliest = window_.earliest;
    answer_.latest = window_.latest;
    answer_.count = facts_.order().size();
    if (window_.after != nullptr) answer_.after = window_.after->id();
    if (window_.before != nullptr) answer_.before = window_.before->id();
    headline();
    explainOverlap();
    explainDecisions();
    explainEarlier();
    explainLater();
    return std::move(answer_);
  }

 private:
  std::string time(double ns) const { return scheduleTimeText(ns, isAbstract(outcome_.scenario)); }
  std::string nameOf(InstructionId id) const { return percentName(*outcome_.module->instruction(id)); }
  bool isDone() const { return canonicalAsyncOp(instruction_, true).role == AsyncRole::Done; }

  // Start and done of what the instruction belongs to; null for work, and where one of them is elsewhere.
  std::pair<const Instruction*, const Instruction*> pair() const {
    const CanonicalAsyncOp op = canonicalAsyncOp(instruction_, true);
    if (op.role == AsyncRole::None) return {};
    const Instruction* start = op.role == AsyncRole::Start ? &instruction_ : startOfDone(instruction_);
    return {start, start == nullptr ? nullptr : doneOfStart(*start)};
  }

  void headline() {
    const double work = facts_.workNs(instruction_);
    std::string text = fmt::format("{} in %{}",
                                   canonicalAsyncOp(instruction_, true).role == AsyncRole::None
                                       ? std::string(instruction_.opcodeText())
                                       : collectiveText(instruction_),
                                   instruction_.parent().name());
    text = fmt::format("{}, position {} of {}", text, window_.place + 1, answer_.count);
    const bool isAsync = canonicalAsyncOp(instruction_, true).role != AsyncRole::None;
    if (work > 0 && !isAsync) text += fmt::format(", takes {}", time(work));
    answer_.headline = text;
  }

  void explainOverlap() {
    const auto [start, done] = pair();
    if (const TimelineEvent* sync = facts_.event(instruction_, TimelineEventKind::Work);
        sync != nullptr && sync->exposedNs > 0) {
      add("Why not overlapped?",
          {fmt::format(
              "It is synchronous: the compute stream stands still for all of its {}. It has no start "
              "and done of its own to put work between.",
              time(sync->exposedNs))});
      return;
    }
    const TimelineEvent* event = start == nullptr ? nullptr : facts_.event(*start, TimelineEventKind::Async);
    if (event == nullptr || done == nullptr || !facts_.has(*done)) return;
    const double takes = event->endNs - event->startNs;
    const size_t first = facts_.placeOf(*start), last = facts_.placeOf(*done);
    const double between = facts_.workBetweenNs(first + 1, last);
    std::vector<std::string> lines = {
        fmt::format("From {} to {} it takes {}: {} overlapped with compute, {} exposed.", percentName(*start),
                    percentName(*done), time(takes), time(std::max(0.0, takes - event->exposedNs)),
                    time(event->exposedNs)),
        last - first == 2
            ? fmt::format("One instruction with {} of compute is scheduled between start and done.",
                          time(between))
            : fmt::format("{} instructions with {} of compute are scheduled between start and done.",
                          last - first - 1, time(between))};
    explainQueue(*start, *event, lines);
    if (event->exposedNs <= 0) {
      add("Why is it hidden?", std::move(lines));
      return;
    }
    explainExposed(*start, *done, between, event->exposedNs, lines);
    add("Why not overlapped?", std::move(lines));
  }

  void explainQueue(const Instruction& start, const TimelineEvent& event, std::vector<std::string>& lines) {
    const double queued = event.startNs - facts_.issueNs(start);
    if (queued <= 0 || facts_.timeline() == nullptr) return;
    const Instruction* other = nullptr;
    for (const TimelineEvent& each : facts_.timeline()->events) {
      if (each.kind == TimelineEventKind::Async && each.lane == event.lane && &each != &event &&
          each.endNs <= event.startNs && each.endNs > event.startNs - queued)
        other = each.instruction;
    }
    if (other == nullptr) return;
    lines.push_back(
        fmt::format("It waits {} for its stream, where {} runs until then: only so many run at a "
                    "time (parallel_collective_overlap_limit).",
                    time(queued), percentName(*other)));
  }

  // What could hide it: work that neither leads to the start nor needs the done.
  void explainExposed(const Instruction& start, const Instruction& done, double between, double exposed,
                      std::vector<std::string>& lines) {
    const auto leads = reachable(start, true), needs = reachable(done, false);
    double leading = 0, needing = 0, before = 0, after = 0;
    std::vector<std::pair<double, const Instruction*>> elsewhere;
    const size_t first = facts_.placeOf(start), last = facts_.placeOf(done);
    for (size_t place = 0; place < facts_.order().size(); ++place) {
      const Instruction* i = facts_.order()[place];
      const double work = facts_.workNs(*i);
      if (work <= 0) continue;
      if (leads.contains(i)) {
        leading += work;
      } else if (needs.contains(i)) {
        needing += work;
      } else if (place < first || place > last) {
        (place < first ? before : after) += work;
        elsewhere.emplace_back(work, i);
      }
    }
    lines.push_back(
        fmt::format("Of the other compute of this computation {} lead to it, {} need its result, and {} are "
                    "independent of it.",
                    time(leading), time(needing), time(before + after + between)));
    if (before + after <= exposed / 100) {
      lines.push_back(
          "All independent compute is already scheduled between start and done: no order of this computation "
          "hides more. Smaller pieces, or pipelining over a loop's iterations, would make more.");
      return;
    }
    std::ranges::sort(elsewhere, std::greater<>());
    std::string examples;
    for (size_t i = 0; i < std::min<size_t>(3, elsewhere.size()); ++i) {
      const Instruction* user = userBefore(*elsewhere[i].second, first);
      examples += fmt::format(
          "{}{} ({}{})", i == 0 ? "" : ", ", percentName(*elsewhere[i].second), time(elsewhere[i].first),
          user == nullptr ? "" : fmt::format(", needed before by {}", percentName(*user)));
    }
    lines.push_back(
        fmt::format("Independent compute elsewhere: {} before the start, {} after the done; most of it {}.",
                    time(before), time(after), examples));
    suggest(start, done, exposed, lines);
  }

  // What needs the instruction's result before `place`, past get-tuple-elements; null when nothing does.
  const Instruction* userBefore(const Instruction& instruction, size_t place) const {
    for (const Instruction* user : instruction.users()) {
      if (!facts_.has(*user) || facts_.placeOf(*user) >= place) continue;
      if (!isNopForScheduling(*user)) return user;
      if (const Instruction* further = userBefore(*user, place)) return further;
    }
    return nullptr;
  }

  // The two ends by themselves: how far they may go, and what that would put between them.
  void suggest(const Instruction& start, const Instruction& done, double exposed,
               std::vector<std::string>& lines) {
    const LegalWindow ofStart = legalWindow(start), ofDone = legalWindow(done);
    const auto worth = [&](double work) { return work < exposed / 100 ? 0 : work; };
    const double earlier = worth(facts_.workBetweenNs(ofStart.earliest, ofStart.place));
    const double later = worth(facts_.workBetweenNs(ofDone.place + 1, ofDone.latest + 1));
    if (earlier <= 0 && ofStart.after != nullptr)
      lines.push_back(
          fmt::format("The start cannot be hoisted: it needs {}, and next to no compute is between them.",
                      percentName(*ofStart.after)));
    if (later <= 0 && ofDone.before != nullptr)
      lines.push_back(
          fmt::format("The done cannot be sunk: {} needs it, and next to no compute is between them.",
                      percentName(*ofDone.before)));
    if (earlier > 0) {
      const Instruction* before = facts_.order()[ofStart.earliest];
      answer_.suggestions.push_back(
          {fmt::format(
               "Hoist start {}: overlaps {} more compute",
               ofStart.after == nullptr ? "to the beginning" : "to after " + percentName(*ofStart.after),
               time(earlier)),
           {std::string(start.name()), std::string(before->name())}});
    }
    if (later > 0 && ofDone.before != nullptr) {
      answer_.suggestions.push_back({fmt::format("Sink done to before {}: overlaps {} more compute",
                                                 percentName(*ofDone.before), time(later)),
                                     {std::string(done.name()), std::string(ofDone.before->name())}});
    }
  }

  void explainEarlier() {
    std::vector<std::string> lines;
    const double work = facts_.workBetweenNs(window_.earliest, window_.place);
    if (window_.after == nullptr && window_.place == 0) {
      lines.push_back("It is the first.");
    } else if (window_.after == nullptr) {
      lines.push_back(
          fmt::format("No operand keeps it from being the first, {} of compute earlier.", time(work)));
    } else if (window_.earliest == window_.place || work <= 0) {
      lines.push_back(fmt::format(
          "It needs {}, which is {}.", percentName(*window_.after),
          window_.earliest == window_.place ? "right before it" : "before it with no compute between them"));
      explainWait(*window_.after, lines);
    } else {
      lines.push_back(fmt::format("Earliest legal position: after {}, position {}: {} of compute earlier.",
                                  percentName(*window_.after), window_.earliest + 1, time(work)));
    }
    noteLimits(lines);
    add("Why not earlier?", std::move(lines));
  }

  void explainWait(const Instruction& needed, std::vector<std::string>& lines) {
    const TimelineEvent* wait = facts_.event(needed, TimelineEventKind::Wait);
    if (wait != nullptr)
      lines.push_back(
          fmt::format("{} waits {} for its operation to end.", percentName(needed), time(wait->exposedNs)));
  }

  void noteLimits(std::vector<std::string>& lines) {
    for (const SchedulePin& pin : outcome_.scenario.pins) {
      if (pin.instruction == instruction_.name())
        lines.push_back(fmt::format("It is pinned after %{} and before %{}.", pin.after, pin.before));
    }
    if (const auto group = frontendAttribute(instruction_, "_scheduling_group_id"))
      lines.push_back(fmt::format("It belongs to scheduling group {}, which is taken as a whole.", *group));
  }

  void explainLater() {
    std::vector<std::string> lines;
    const double work = facts_.workBetweenNs(window_.place + 1, window_.latest + 1);
    if (window_.before == nullptr) {
      lines.push_back(window_.place + 1 == answer_.count ? "It is the last."
                                                         : "No user keeps it from being the last.");
    } else if (window_.latest == window_.place || work <= 0) {
      lines.push_back(fmt::format(
          "{} needs it and is {}.", percentName(*window_.before),
          window_.latest == window_.place ? "right after it" : "after it with no compute between them"));
    } else {
      lines.push_back(fmt::format("Latest legal position: before {}, position {}: {} of compute later.",
                                  percentName(*window_.before), window_.latest + 1, time(work)));
    }
    add("Why not later?", std::move(lines));
  }

  const DecisionLog* log() const {
    for (const DecisionLog& log : decisions_->logs) {
      if (log.computation == instruction_.parent().id()) return &log;
    }
    return nullptr;
  }

  void explainDecisions() {
    const ScheduleScenario& scenario = outcome_.scenario;
    if (told_ == Decisions::kLater) return;
    if (told_ == Decisions::kNone) {
      add("Scheduler reason",
          {"Not recorded in the input. Choose a preset to see what Hilo's scheduler, which compares as "
           "XLA's does, takes instead, and why."});
      return;
    }
    if (decisions_ == nullptr) {
      add("Scheduler reason",
          {"The memory-minimising scheduler: it looks at live bytes alone and hides nothing."});
      return;
    }
    const DecisionLog* log = this->log();
    if (log == nullptr) {
      add("Scheduler reason", {fmt::format("%{} has nothing that could be hidden: its order is unchanged.",
                                           instruction_.parent().name())});
      return;
    }
    const auto moved = std::ranges::find(scenario.moves, answer_.name, &ScheduleMove::instruction);
    if (moved != scenario.moves.end())
      add("Scheduler reason",
          {fmt::format("It was moved by hand, before %{}. What follows is of its position before that.",
                       moved->before)});
    explainLog(*log);
  }

  void explainLog(const DecisionLog& log) {
    std::vector<ReasonCount> won, lost;
    int64_t overLimit = 0, groupNotReady = 0;
    const SchedulingStep* taken = nullptr;
    const SchedulingStep* firstSkip = nullptr;
    for (size_t step = 0; step < log.steps.size() && taken == nullptr; ++step) {
      if (log.steps[step].scheduled == instruction_.id()) taken = &log.steps[step];
      for (const SchedulingDecision& decision : log.decisionsOf(step)) {
        if (decision.winner == instruction_.id() && taken != nullptr)
          countReason(won, decision.reason, decision.loser);
        if (decision.loser == instruction_.id()) countReason(lost, decision.reason, decision.winner);
      }
      for (const SkippedNode& skipped : log.skippedOf(step)) {
        if (skipped.instruction != instruction_.id()) continue;
        if (firstSkip == nullptr) firstSkip = &log.steps[step];
        ++(skipped.reason == SkipReason::GroupNotReady ? groupNotReady : overLimit);
      }
    }
    if (taken == nullptr) return;
    std::vector<std::string> lines = {
        log.topDown
            ? "The scheduler goes from the parameters down: what it picks first comes first."
            : "The scheduler goes from the result up: what it picks first comes last in the program."};
    const char* const earlier = log.topDown ? "later" : "earlier";
    const char* const later = log.topDown ? "earlier" : "later";
    if (taken->kind == DecisionKind::Nop) {
      lines.push_back("It does nothing at run time and is taken as soon as it is ready.");
    } else if (won.empty()) {
      lines.push_back("When it was taken nothing else was ready.");
    }
    for (const ReasonCount& each : won) {
      lines.push_back(fmt::format("Not {}: taken before {}{}, because {} ({}).", earlier,
                                  nameOf(each.example), others(each.count), reasonMeaning(each.reason),
                                  reasonName(each.reason)));
    }
    for (const ReasonCount& each : lost) {
      lines.push_back(
          fmt::format("Not {}: {}{} came first, because {} ({}).", later, nameOf(each.example),
                      each.count > 1 ? fmt::format(" and others, in {} comparisons,", each.count) : "",
                      reasonMeaning(each.reason), reasonName(each.reason)));
    }
    if (overLimit > 0)
      lines.push_back(fmt::format("Not {}: left aside {}, for it would exceed an overlap limit{}.", later,
                                  overLimit == 1 ? "once" : fmt::format("{} times", overLimit),
                                  inFlight(*firstSkip)));
    if (groupNotReady > 0)
      lines.push_back(fmt::format("Not {}: left aside {} times, for its scheduling group was not ready.",
                                  later, groupNotReady));
    add("Scheduler reason", std::move(lines));
  }

  static std::string others(int64_t count) {
    return count > 1 ? fmt::format(" and {} others", count - 1) : std::string();
  }

  std::string inFlight(const SchedulingStep& step) const {
    std::string text;
    for (const ResourceCount& each : step.inFlight)
      text += fmt::format("{}{} {}", text.empty() ? " (in flight: " : ", ", each.count,
                          resourceName(each.resource));
    return text.empty() ? text : text + ")";
  }

  void add(std::string title, std::vector<std::string> lines) {
    for (ScheduleAnswer::Section& section : answer_.sections) {
      if (section.title != title) continue;
      section.lines.insert(section.lines.end(), lines.begin(), lines.end());
      return;
    }
    answer_.sections.push_back({std::move(title), std::move(lines)});
  }

  const ScheduleOutcome& outcome_;
  const Decisions told_;
  const ScheduleDecisions* decisions_;  // of the memory scheduler there are none
  const Instruction& instruction_;
  const OrderFacts facts_;
  const LegalWindow window_;
  ScheduleAnswer answer_;
};

std::string partnerText(const ScheduleOutcome& outcome, const ChartEvent& event) {
  const Instruction* partner = event.partner.valid() ? outcome.module->instruction(event.partner) : nullptr;
  return partner == nullptr ? std::string("its operation") : percentName(*partner);
}

}  // namespace

Result<ScheduleAnswer> explainPlace(const ScheduleStudy& study, const ScheduleOutcome& outcome,
                                    InstructionId id, const JobContext& context, bool decisions) {
  const Instruction* instruction = outcome.module->instruction(id);
  if (instruction == nullptr || outcome.chart->eventOf(id) == kNoEvent) {
    return fail("unknown-instruction",
                instruction == nullptr ? "the instruction is not in this schedule"
                                       : fmt::format("{} has no place of its own in the schedule: it runs "
                                                     "as part of {}",
                                                     instruction->name(), instruction->parent().name()));
  }
  const bool asItCame = outcome.scenario.preset == "original" || !outcome.scenario.order.empty() ||
                        (outcome.scenario.preset == "best" && outcome.module.get() == &study.base());
  using Told = Explainer::Decisions;
  if (asItCame) return Explainer(outcome, Told::kNone, nullptr, *instruction).run();
  if (!decisions) return Explainer(outcome, Told::kLater, nullptr, *instruction).run();
  ScheduleScenario scenario = outcome.scenario;
  scenario.moves.clear();
  if (scenario.preset == "best") {
    scenario.preset = "gpu";
    scenario.settings = outcome.settings;
  }
  TRY(const ScheduleOutcome watched, study.run(scenario, context, {.all = false, .instructions = {id}}));
  return Explainer(outcome, Told::kLog, watched.decisions.get(), *instruction).run();
}

std::string answerText(const ScheduleAnswer& answer) {
  std::string text = fmt::format("%{}: {}\n", answer.name, answer.headline);
  std::string help = answer.suggestions.empty() ? "" : "\nWhat would help?\n";
  for (const ScheduleAnswer::Suggestion& suggestion : answer.suggestions)
    help += fmt::format("  {}.\n    --move {}:{}\n", suggestion.text, suggestion.move.instruction,
                        suggestion.move.before);
  for (const ScheduleAnswer::Section& section : answer.sections) {
    text += fmt::format("\n{}\n", section.title);
    for (const std::string& line : section.lines) text += fmt::format("  {}\n", line);
    text += std::exchange(help, {});
  }
  return text;
}

std::string placeText(const ScheduleOutcome& outcome, const ChartEvent& event) {
  const bool abstract = isAbstract(outcome.scenario);
  const Instruction* instruction = outcome.module->instruction(event.instruction);
  if (instruction == nullptr) return {};
  const double shown = event.time.width();
  switch (event.kind) {
    case TimelineEventKind::Block:
      return fmt::format("{} iterations, {} each; {} exposed in all", event.repeat,
                         scheduleTimeText(shown, abstract), scheduleTimeText(event.exposedNs, abstract));
    case TimelineEventKind::Wait:
      return fmt::format("waits {}: {} has not ended when its result is needed",
                         scheduleTimeText(event.exposedNs, abstract), partnerText(outcome, event));
    case TimelineEventKind::Async:
      return fmt::format("{}: {}, {} of it exposed", collectiveText(*instruction),
                         scheduleTimeText(shown, abstract), scheduleTimeText(event.exposedNs, abstract));
    case TimelineEventKind::Work:
      break;
  }
  if (event.synchronous)
    return fmt::format("synchronous {}: the compute stream stands still for {}", collectiveText(*instruction),
                       scheduleTimeText(shown, abstract));
  return shown > 0 ? scheduleTimeText(shown, abstract) : std::string("takes no time");
}

}  // namespace hilo
