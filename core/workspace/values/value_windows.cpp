#include "core/workspace/values/value_windows.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_map.h>
#include <fmt/format.h>

#include "core/base/amount_text.h"
#include "core/workspace/values/probe.h"

namespace hilo {
namespace {

// What an instruction's value is made of: parameters and steps, seen through what only takes tuples apart and
// puts them together.
class Sources {
 public:
  // Asked for in the order of the computation, so that operands' are known.
  void find(const Instruction& instruction) {
    std::vector<const Instruction*>& sources = known_[&instruction];
    const Instruction& seen = seenThrough(instruction);
    if (&seen != &instruction) return take(seen, sources);
    for (const Instruction* operand : instruction.operands()) take(seenThrough(*operand), sources);
    std::ranges::sort(sources);
    sources.erase(std::ranges::unique(sources).begin(), sources.end());
  }
  const std::vector<const Instruction*>& of(const Instruction& instruction) const {
    return known_.at(&instruction);
  }

 private:
  void take(const Instruction& made, std::vector<const Instruction*>& sources) const {
    if (made.opcode() == Opcode::Parameter || isStep(made)) return sources.push_back(&made);
    const auto& further = of(made);
    sources.insert(sources.end(), further.begin(), further.end());
  }
  absl::node_hash_map<const Instruction*, std::vector<const Instruction*>> known_;
};

struct Interval {
  int64_t first = -1, last = -1;
  void take(int64_t place) {
    if (first < 0) first = place;
    last = place;
  }
};

class WindowCutter {
 public:
  WindowCutter(const Computation& computation, int64_t devices, int64_t copies, int64_t room)
      : instructions_(computation.instructions().begin(), computation.instructions().end()),
        devices_(devices),
        copies_(copies),
        room_(room) {
    for (size_t i = 0; i < instructions_.size(); ++i) place_[instructions_[i]] = static_cast<int64_t>(i);
    for (const Instruction* instruction : instructions_) {
      sources_.find(*instruction);
      if (!belongs(*instruction)) continue;
      for (const Instruction* source : sources_.of(*instruction)) lastUse_[source] = place_[instruction];
    }
    findTogether();
  }

  Result<std::vector<ValueWindow>> cut() {
    for (size_t begin = 0; begin < instructions_.size();) {
      size_t end = begin + 1;
      while (end < instructions_.size() && together_[end]) ++end;
      TRY_STATUS(add(begin, end));
      begin = end;
    }
    close(static_cast<int64_t>(instructions_.size()));
    return std::move(windows_);
  }

 private:
  // What a window grows by, and what it comes to.
  struct Amounts {
    int64_t made = 0, taken = 0, largest = 0;
    int64_t total(int64_t held) const { return held + 3 * made + 2 * taken + 4 * largest; }
  };

  static bool belongs(const Instruction& instruction) { return isStep(instruction) || isTied(instruction); }
  int64_t bytesOf(const Instruction& instruction) const {
    return instruction.opcode() == Opcode::Parameter ? 0 : devices_ * valueBytes(instruction.shape());
  }

  // together_[i]: instruction i is in the window of the one before it.
  void findTogether() {
    std::vector<Interval> spans(1);  // the first: what is tied
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const Instruction& instruction = *instructions_[i];
      const auto place = static_cast<int64_t>(i);
      if (isTied(instruction)) spans[0].take(place);
      if (isStep(instruction) && hasDynamicShape(instruction)) {
        const auto last = lastUse_.find(&instruction);
        spans.push_back({place, last == lastUse_.end() ? place : last->second});
      }
    }
    together_.resize(instructions_.size());
    for (const Interval& span : spans) {
      for (int64_t i = span.first + 1; span.first >= 0 && i <= span.last; ++i)
        together_[static_cast<size_t>(i)] = true;
    }
  }

  Amounts with(Amounts amounts, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Instruction& instruction = *instructions_[i];
      if (!belongs(instruction)) continue;
      const int64_t own = bytesOf(instruction);
      int64_t weight = own;
      for (const Instruction* source : sources_.of(instruction)) {
        weight += bytesOf(*source);
        if (place_[source] < first_ && !taken_.contains(source)) amounts.taken += bytesOf(*source);
      }
      amounts.made += own;
      amounts.largest = std::max(amounts.largest, weight);
    }
    return amounts;
  }

  Status add(size_t begin, size_t end) {
    Amounts amounts = with(amounts_, begin, end);
    if (!window_.steps.empty() && amounts.total(held_ + again_) > room_) {
      close(static_cast<int64_t>(begin));
      amounts = with({}, begin, end);
    }
    if (amounts.made > 0 && amounts.total(held_ + again_) > room_)
      return tooLarge(*instructions_[begin], amounts.total(held_ + again_));
    for (size_t i = begin; i < end; ++i) {
      const Instruction* instruction = instructions_[i];
      if (!belongs(*instruction)) continue;
      (isStep(*instruction) ? window_.steps : window_.tied).push_back(instruction);
      for (const Instruction* source : sources_.of(*instruction)) {
        if ((place_[source] < first_ || source->opcode() == Opcode::Parameter) &&
            taken_.insert(source).second)
          window_.taken.push_back(source);
      }
    }
    amounts_ = amounts;
    return {};
  }

  std::unexpected<Diagnostic> tooLarge(const Instruction& at, int64_t bytes) const {
    Place place;
    place.computation = std::string(at.parent().name());
    place.instruction = std::string(at.name());
    return fail("memory-limit",
                fmt::format("the values that are needed here, and looking at them, take about {} of "
                            "memory, and there is {}",
                            amount::bytes(bytes), amount::bytes(std::max<int64_t>(room_, 0))),
                std::move(place), {"a higher memory limit would do, or a part of the module by itself"});
  }

  // The window ends before `place`.
  void close(int64_t place) {
    if (window_.steps.empty() && window_.tied.empty()) return;
    window_.heldBytes = held_ + amounts_.made;
    alive_.insert(alive_.end(), window_.steps.begin(), window_.steps.end());
    std::erase_if(alive_, [&](const Instruction* value) {
      const auto last = lastUse_.find(value);
      if (last != lastUse_.end() && last->second >= place) return false;
      window_.freed.push_back(value);
      return true;
    });
    again_ = copies_ > 1 ? amounts_.made + 2 * held_ / copies_ : 0;
    held_ = 0;
    for (const Instruction* value : alive_) held_ += copies_ * bytesOf(*value);
    windows_.push_back(std::exchange(window_, {}));
    taken_.clear();
    amounts_ = {};
    first_ = place;
  }

  const std::vector<const Instruction*> instructions_;
  const int64_t devices_, copies_, room_;
  Sources sources_;
  absl::flat_hash_map<const Instruction*, int64_t> place_, lastUse_;
  std::vector<bool> together_;

  std::vector<ValueWindow> windows_;
  ValueWindow window_;                             // the one that grows
  absl::flat_hash_set<const Instruction*> taken_;  // by it
  Amounts amounts_;                                // of it
  int64_t first_ = 0;                              // where it begins
  std::vector<const Instruction*> alive_;          // what windows before made and later ones take
  int64_t again_ = 0;                              // what it takes to work the window before out once more
  int64_t held_ = 0;                               // bytes of all copies of that
};

}  // namespace

int64_t valueBytes(Shape shape) {
  if (shape.isTuple()) {
    int64_t total = 0;
    for (const Shape element : shape.tupleShapes()) total += valueBytes(element);
    return total;
  }
  return shape.isArray() ? shape.elementCount() * elementStorageBytes(shape.elementType()) : 0;
}

Result<std::vector<ValueWindow>> cutIntoWindows(const Computation& computation, int64_t devices,
                                                int64_t copies, int64_t roomBytes) {
  return WindowCutter(computation, devices, copies, roomBytes).cut();
}

}  // namespace hilo
