#include "core/analysis/kernel_checks/kernel_checks.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/analysis/kernel_checks/access_log.h"
#include "core/analysis/kernel_checks/slots.h"

namespace hilo {
namespace {

constexpr size_t kMostFound = 100;

// A rendezvous of all groups of a block: of `sync`, and of the cluster barrier, which has two halves.
struct Rendezvous {
  size_t arrived = 0, phase = 0;
  KernelClock gathered;
};

struct Player {
  size_t next = 0;  // its next event
  KernelClock known;
  uint32_t copies = 0, committed = 0, products = 0, tensorWork = 0;
  std::vector<uint32_t> copyGroups;         // after how many copies each was committed
  std::optional<size_t> atSync, atCluster;  // the phase it arrived in
};

class Playing {
 public:
  explicit Playing(const KernelProgram& program)
      : program_(program),
        slots_(program, 4 * program.groups.size()),
        log_(program, found_),
        rows_(4 * program.groups.size() + slots_.rowCount()),
        players_(program.groups.size()) {
    for (Player& player : players_) player.known = KernelClock(rows_);
    sync_.gathered = cluster_.gathered = KernelClock(rows_);
    for (const KernelSemaphore& semaphore : program.semaphores) {
      counts_.push_back(semaphore.initial);
      signalled_.emplace_back(rows_);
    }
  }

  Diagnostics run(const CancelToken& cancel) {
    bool moved = true;
    while (moved && !cancel.cancelled()) {
      moved = false;
      for (group_ = 0; group_ < players_.size(); ++group_) {
        while (!isDone(group_) && found_.size() < 4 * kMostFound && play()) {
          ++players_[group_].next;
          moved = true;
        }
      }
    }
    if (!reportDeadlock()) reportEnd();
    return distinct();
  }

 private:
  // ---- rows of the clock: its events, its copies out, its products, its tensor work; then those of slots

  size_t rowOf(size_t kind) const { return kind * players_.size() + group_; }
  size_t copiesRow() const { return rowOf(1); }
  size_t productsRow() const { return rowOf(2); }
  size_t tensorRow() const { return rowOf(3); }

  bool isDone(size_t group) const { return players_[group].next == program_.groups[group].events.size(); }
  const KernelEvent& event() const { return program_.groups[group_].events[players_[group_].next]; }
  Player& player() { return players_[group_]; }

  // The next event of the group. False: it has to wait, and nothing was changed.
  bool play() {
    const KernelEvent& now = event();
    switch (now.action) {
      case KernelAction::Wait:
        return playWait();
      case KernelAction::Await:
        return playAwait();
      case KernelAction::Sync:
        return meet(sync_, player().atSync);
      case KernelAction::ClusterWait:
        return playClusterWait();
      default:
        break;
    }
    const uint32_t turn = player().known.tick(rowOf(0));
    switch (now.action) {
      case KernelAction::Read:
      case KernelAction::Write:
        accessAll(rowOf(0), turn, now.action == KernelAction::Write ? now.accesses.size() : 0);
        break;
      case KernelAction::Fence:
        log_.fence(group_);
        break;
      case KernelAction::Expect:
        slots_.expect(now.object, now.amount);
        [[fallthrough]];
      case KernelAction::Arrive:
        slots_.arrive(now.object, player().known);
        break;
      case KernelAction::Signal:
        counts_[now.object] += now.amount;
        signalled_[now.object].learn(player().known);
        break;
      case KernelAction::ClusterArrive:
        playClusterArrive();
        break;
      case KernelAction::Alloc:
        log_.alloc(now, group_);
        break;
      case KernelAction::Free:
        log_.free(now, group_);
        break;
      default:
        playQueues(now);
    }
    return true;
  }

  // What goes on by itself, and waits for it.
  void playQueues(const KernelEvent& now) {
    switch (now.action) {
      case KernelAction::CopyIn:
        copyIn(now);
        break;
      case KernelAction::CopyOut:
        accessAll(copiesRow(), ++player().copies, 0);
        commit();
        break;
      case KernelAction::CopyOutPending:
        accessAll(copiesRow(), ++player().copies, 0);
        break;
      case KernelAction::Commit:
        commit();
        break;
      case KernelAction::WaitCopies:
        waitCopies(now);
        break;
      case KernelAction::Multiply:
        accessAll(productsRow(), ++player().products, 0);
        break;
      case KernelAction::WaitMultiply:
        if (player().products > now.amount)
          player().known.learn(productsRow(), player().products - static_cast<uint32_t>(now.amount));
        break;
      case KernelAction::TensorMultiply:
      case KernelAction::TensorCopy:
        accessAll(tensorRow(), ++player().tensorWork, 1);
        break;
      case KernelAction::TensorCommit:
        tensorCommit(now);
        break;
      default:
        break;
    }
  }

  // The first `writes` of its accesses write.
  void accessAll(size_t row, uint32_t index, size_t writes) {
    for (size_t n = 0; n < event().accesses.size(); ++n) {
      const LoggedAccess by{row, index, event().action, group_, event().line};
      log_.access(event().accesses[n], by, n < writes, player().known);
    }
  }

  void copyIn(const KernelEvent& now) {
    copiesIn_.resize(program_.slotCount());
    const uint32_t index = ++copiesIn_[now.object];
    accessAll(slots_.copiesRow(now.object), index, 1);
    slots_.bring(now.object, index, now.amount);
  }

  void commit() {
    player().committed = player().copies;
    player().copyGroups.push_back(player().copies);
  }

  void waitCopies(const KernelEvent& now) {
    const std::vector<uint32_t>& groups = player().copyGroups;
    if (player().committed < player().copies)
      report("missing-commit",
             fmt::format("{} waits for copies, and {} of them are in no group", name(),
                         player().copies - player().committed),
             now.line);
    if (std::ssize(groups) > now.amount)
      player().known.learn(copiesRow(), groups[groups.size() - 1 - static_cast<size_t>(now.amount)]);
  }

  void tensorCommit(const KernelEvent& now) {
    KernelClock after = player().known;
    after.learn(tensorRow(), player().tensorWork);
    slots_.arrive(now.object, after);
  }

  bool playWait() {
    const KernelEvent& now = event();
    const auto end = slots_.wait(now.object, now.amount, player().known);
    if (end == KernelSlots::Wait::Missed && !hasMissed_) {
      hasMissed_ = true;
      report("missed-phase",
             fmt::format("{} waits for {}, parity {}, which may be two phases further by then", name(),
                         program_.slotName(now.object), now.amount),
             now.line);
    }
    if (end != KernelSlots::Wait::Passes) return false;
    player().known.tick(rowOf(0));
    return true;
  }

  bool playAwait() {
    const KernelEvent& now = event();
    if (counts_[now.object] < now.amount) return false;
    counts_[now.object] -= now.amount;
    player().known.learn(signalled_[now.object]);
    player().known.tick(rowOf(0));
    return true;
  }

  // ---- rendezvous of all groups: those that have ended are not waited for

  size_t present() const {
    size_t count = 0;
    for (size_t group = 0; group < players_.size(); ++group) count += isDone(group) ? 0 : 1;
    return count;
  }

  void arriveAt(Rendezvous& rendezvous, std::optional<size_t>& mine) {
    mine = rendezvous.phase;
    ++rendezvous.arrived;
    rendezvous.gathered.learn(player().known);
  }

  // True once all that are present have arrived.
  bool isOver(Rendezvous& rendezvous, const std::optional<size_t>& mine, size_t needed) {
    if (*mine < rendezvous.phase) return true;
    if (rendezvous.arrived < needed) return false;
    rendezvous.arrived = 0;
    ++rendezvous.phase;
    return true;
  }

  bool meet(Rendezvous& rendezvous, std::optional<size_t>& mine) {
    if (!mine) {
      player().known.tick(rowOf(0));
      arriveAt(rendezvous, mine);
    }
    if (!isOver(rendezvous, mine, present())) return false;
    player().known.learn(rendezvous.gathered);
    mine.reset();
    return true;
  }

  void playClusterArrive() {
    if (player().atCluster)
      report("cluster-barrier", fmt::format("{} arrives at the cluster barrier twice without a wait", name()),
             event().line);
    arriveAt(cluster_, player().atCluster);
  }

  bool playClusterWait() {
    if (!player().atCluster) {
      report("cluster-barrier", fmt::format("{} waits at the cluster barrier and has not arrived", name()),
             event().line);
      return true;
    }
    // Groups that went on may have arrived and ended.
    if (!isOver(cluster_, player().atCluster, clusterNeeded())) return false;
    player().known.learn(cluster_.gathered);
    player().atCluster.reset();
    return true;
  }

  size_t clusterNeeded() const {
    size_t count = 0;
    for (size_t group = 0; group < players_.size(); ++group)
      count += !isDone(group) || players_[group].atCluster == cluster_.phase ? 1 : 0;
    return count;
  }

  // ---- what is said

  std::string name() const { return program_.groups[group_].name; }

  std::string waitsFor(size_t group) const {
    const KernelEvent& stuck = program_.groups[group].events[players_[group].next];
    const std::string& who = program_.groups[group].name;
    switch (stuck.action) {
      case KernelAction::Wait:
        return fmt::format("{} waits for {}, phase {} of parity {}: {} missing", who,
                           program_.slotName(stuck.object), slots_.phase(stuck.object), stuck.amount,
                           slots_.missing(stuck.object));
      case KernelAction::Await:
        return fmt::format("{} waits for {} of the semaphore {}, which holds {}", who, stuck.amount,
                           program_.semaphores[stuck.object].name, counts_[stuck.object]);
      case KernelAction::Sync:
        return fmt::format("{} waits for the other groups of the block", who);
      default:
        return fmt::format("{} waits at the cluster barrier for the other groups", who);
    }
  }

  bool reportDeadlock() {
    std::vector<std::string> stuck;
    uint32_t line = 0;
    for (size_t group = 0; group < players_.size(); ++group) {
      if (isDone(group)) continue;
      if (stuck.empty()) line = program_.groups[group].events[players_[group].next].line;
      stuck.push_back(waitsFor(group));
    }
    if (stuck.empty()) return false;
    Diagnostic deadlock{.kind = "deadlock", .message = stuck[0], .place = {.line = line}};
    deadlock.notes.assign(stuck.begin() + 1, stuck.end());
    found_.push_back(std::move(deadlock));
    return true;
  }

  void reportEnd() {
    for (group_ = 0; group_ < players_.size(); ++group_) reportUnfinished();
    for (size_t slot = 0; slot < program_.slotCount(); ++slot) {
      if (slots_.bytesLeft(slot) != 0)
        report("bytes-left",
               fmt::format("at the end {} lacks {}", program_.slotName(slot), slots_.missing(slot)), 0);
    }
    for (size_t n = 0; n < counts_.size(); ++n) {
      const KernelSemaphore& semaphore = program_.semaphores[n];
      if (counts_[n] != semaphore.initial)
        report("semaphore-left",
               fmt::format("{} holds {} at the end and {} before", semaphore.name, counts_[n],
                           semaphore.initial),
               0);
    }
    log_.end();
  }

  void reportUnfinished() {
    const auto& events = program_.groups[group_].events;
    const uint32_t line = events.empty() ? 0 : events.back().line;
    if (player().committed < player().copies) {
      report("missing-commit", fmt::format("{} ends with copies that are in no group", name()), line);
    } else if (player().known[copiesRow()] < player().copies) {
      report("unfinished-copy", fmt::format("{} ends and does not wait for its copies", name()), line);
    }
    if (player().known[productsRow()] < player().products)
      report("unfinished-multiply", fmt::format("{} ends and does not wait for its products", name()), line);
    if (player().atCluster)
      report("cluster-barrier",
             fmt::format("{} ends between arriving and waiting at the cluster barrier", name()), line);
  }

  void report(const std::string& kind, const std::string& message, uint32_t line) {
    found_.push_back({.kind = kind, .message = message, .place = {.line = line}});
  }

  // The turns of a loop say the same.
  Diagnostics distinct() {
    absl::flat_hash_set<std::string> said;
    Diagnostics result;
    for (Diagnostic& each : found_) {
      if (said.insert(fmt::format("{} {} {}", each.kind, each.place.line, each.message)).second &&
          result.size() < kMostFound)
        result.push_back(std::move(each));
    }
    return result;
  }

  const KernelProgram& program_;
  Diagnostics found_;
  KernelSlots slots_;
  AccessLog log_;
  size_t rows_;
  std::vector<Player> players_;
  std::vector<uint32_t> copiesIn_;  // by slot
  std::vector<int64_t> counts_;     // of semaphores
  std::vector<KernelClock> signalled_;
  Rendezvous sync_, cluster_;
  bool hasMissed_ = false;
  size_t group_ = 0;
};

}  // namespace

Diagnostics checkKernel(const KernelProgram& program, const CancelToken& cancel) {
  return Playing(program).run(cancel);
}

}  // namespace hilo
