#include "core/compiler/schedule/list_scheduler.h"

#include <climits>
#include <map>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int64_t kPointerBytes = 8;

bool isIgnored(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Parameter || instruction.opcode() == Opcode::Constant;
}

class ListScheduler {
 public:
  ListScheduler(const Computation& computation, const DataflowAnalysis& dataflow)
      : dataflow_(dataflow), unscheduledUses_(dataflow.values().size()) {
    const size_t count = computation.instructionCount();
    uses_.reserve(count);
    for (Instruction* instruction : computation.instructions()) {
      indexOf_[instruction] = instructions_.size();
      instructions_.push_back(instruction);
      uses_.push_back(valuesUsed(*instruction));
      defined_.push_back(bytesDefined(*instruction));
      for (const ValueId value : uses_.back()) ++unscheduledUses_[value.value];
    }
    // What the computation gives out is used once more, at its end.
    for (const ValueId value : dataflow.flattenedValues(*computation.root())) ++unscheduledUses_[value.value];
    waiting_.resize(count);
    controlSuccessors_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      for (const Instruction* user : instructions_[i]->users()) ++waiting_[indexOf_.at(user)];
      for (const Instruction* before : instructions_[i]->get<Attr::ControlPredecessors>()) {
        ++waiting_[i];
        controlSuccessors_[indexOf_.at(before)].push_back(i);
      }
    }
    readyAt_.resize(count, ready_.end());
  }

  std::vector<Instruction*> run() {
    std::vector<Instruction*> order;
    for (size_t i = 0; i < instructions_.size(); ++i) {
      if (waiting_[i] == 0) addReady(i);
    }
    while (!ready_.empty()) {
      const auto best = std::prev(ready_.end());
      const size_t index = best->second;
      ready_.erase(best);
      readyAt_[index] = ready_.end();
      order.push_back(instructions_[index]);
      take(index);
    }
    CHECK(order.size() == instructions_.size());
    return order;
  }

 private:
  // Bytes freed, then users.
  using Priority = std::pair<int64_t, int64_t>;
  using Ready = std::multimap<Priority, size_t>;

  std::vector<ValueId> valuesUsed(const Instruction& instruction) const {
    std::vector<ValueId> used;
    absl::flat_hash_set<const Instruction*> seen;
    for (const Instruction* operand : instruction.operands()) {
      if (!seen.insert(operand).second) continue;
      for (const ValueSet& set : dataflow_.valueSetsOf(*operand))
        used.insert(used.end(), set.begin(), set.end());
    }
    std::ranges::sort(used);
    used.erase(std::ranges::unique(used).begin(), used.end());
    return used;
  }

  int64_t bytesOf(ValueId value) const { return bufferBytes(dataflow_.value(value).shape, kPointerBytes); }

  int64_t bytesDefined(const Instruction& instruction) const {
    if (isIgnored(instruction)) return 0;
    int64_t bytes = 0;
    for (const ValueSet& set : dataflow_.valueSetsOf(instruction)) {
      for (const ValueId value : set) {
        if (&dataflow_.value(value).instruction() == &instruction) bytes += bytesOf(value);
      }
    }
    return bytes;
  }

  int64_t bytesFreed(size_t index) const {
    const Instruction& instruction = *instructions_[index];
    // The other side gets more time to do its part.
    if (instruction.opcode() == Opcode::Outfeed && !instruction.get<Attr::OutfeedConfig>().empty())
      return INT_MAX;
    if (instruction.opcode() == Opcode::Infeed && !instruction.get<Attr::InfeedConfig>().empty())
      return INT_MIN;
    int64_t freed = -defined_[index];
    for (const ValueId value : uses_[index]) {
      if (unscheduledUses_[value.value] == 1 && !isIgnored(dataflow_.value(value).instruction()))
        freed += bytesOf(value);
    }
    return freed;
  }

  // Scalars go together, so that they may stay in registers.
  Priority priorityOf(size_t index) const {
    const Shape shape = instructions_[index]->shape();
    if (shape.isArray() && std::ranges::all_of(shape.dimensions(), [](int64_t d) { return d == 1; }))
      return {INT64_MAX, INT64_MAX};
    return {bytesFreed(index), static_cast<int64_t>(instructions_[index]->users().size())};
  }

  void addReady(size_t index) { readyAt_[index] = ready_.emplace(priorityOf(index), index); }

  void take(size_t index) {
    bool someNearlyFree = false;
    for (const ValueId value : uses_[index]) someNearlyFree |= --unscheduledUses_[value.value] == 1;
    const auto arrive = [&](size_t next) {
      if (--waiting_[next] == 0) addReady(next);
    };
    for (const Instruction* user : instructions_[index]->users()) arrive(indexOf_.at(user));
    for (const size_t next : controlSuccessors_[index]) arrive(next);
    if (!someNearlyFree) return;
    for (const Instruction* operand : instructions_[index]->operands()) {
      for (const Instruction* user : operand->users()) updatePriority(indexOf_.at(user));
    }
  }

  void updatePriority(size_t index) {
    const auto at = readyAt_[index];
    if (at == ready_.end()) return;
    const Priority now = priorityOf(index);
    if (now == at->first) return;
    ready_.erase(at);
    readyAt_[index] = ready_.emplace(now, index);
  }

  const DataflowAnalysis& dataflow_;
  std::vector<Instruction*> instructions_;
  absl::flat_hash_map<const Instruction*, size_t> indexOf_;
  std::vector<std::vector<ValueId>> uses_;
  std::vector<int64_t> defined_;
  std::vector<int32_t> unscheduledUses_;  // by value id
  std::vector<int32_t> waiting_;
  std::vector<absl::InlinedVector<size_t, 1>> controlSuccessors_;
  Ready ready_;
  std::vector<Ready::iterator> readyAt_;
};

}  // namespace

std::vector<Instruction*> listOrder(const Computation& computation, const DataflowAnalysis& dataflow) {
  return ListScheduler(computation, dataflow).run();
}

}  // namespace hilo
