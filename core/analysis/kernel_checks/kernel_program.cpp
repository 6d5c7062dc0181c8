#include "core/analysis/kernel_checks/kernel_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "core/analysis/kernel_checks/program_expression.h"

namespace hilo {
namespace {

using Words = std::vector<std::string>;

// What follows an action's word.
enum class Takes : uint8_t { Nothing, Refs, RefSlotNumber, Slot, SlotNumber, Semaphore, Number };
struct Row {
  std::string_view word;
  KernelAction action;
  Takes takes;
};
constexpr Row kRows[] = {
    {"read", KernelAction::Read, Takes::Refs},
    {"write", KernelAction::Write, Takes::Refs},
    {"copy-in", KernelAction::CopyIn, Takes::RefSlotNumber},
    {"copy-out", KernelAction::CopyOut, Takes::Refs},
    {"copy-out-pending", KernelAction::CopyOutPending, Takes::Refs},
    {"commit", KernelAction::Commit, Takes::Nothing},
    {"wait-copies", KernelAction::WaitCopies, Takes::Number},
    {"fence", KernelAction::Fence, Takes::Nothing},
    {"arrive", KernelAction::Arrive, Takes::Slot},
    {"expect", KernelAction::Expect, Takes::SlotNumber},
    {"wait", KernelAction::Wait, Takes::SlotNumber},
    {"multiply", KernelAction::Multiply, Takes::Refs},
    {"wait-multiply", KernelAction::WaitMultiply, Takes::Number},
    {"tensor-multiply", KernelAction::TensorMultiply, Takes::Refs},
    {"tensor-copy", KernelAction::TensorCopy, Takes::Refs},
    {"tensor-commit", KernelAction::TensorCommit, Takes::Slot},
    {"signal", KernelAction::Signal, Takes::Semaphore},
    {"await", KernelAction::Await, Takes::Semaphore},
    {"sync", KernelAction::Sync, Takes::Nothing},
    {"cluster-arrive", KernelAction::ClusterArrive, Takes::Nothing},
    {"cluster-wait", KernelAction::ClusterWait, Takes::Nothing},
    {"alloc", KernelAction::Alloc, Takes::Refs},
    {"free", KernelAction::Free, Takes::Refs},
};

// The parts between characters of `at`.
std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

constexpr size_t kMostSlots = 4096, kMostRefs = 4096, kMostGroups = 64;
constexpr int kMostNesting = 8;

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(split(text, "\n")) {}

  Result<KernelProgram> program() {
    TRY_STATUS(block(0, lines_.size(), 0));
    return std::move(program_);
  }

 private:
  std::unexpected<Diagnostic> wrong(const std::string& why) const {
    return fail("kernel-program", why, {.line = static_cast<uint32_t>(line_ + 1)});
  }

  // The lines from `begin` to before `end`; those of a loop as often as it says.
  Status block(size_t begin, size_t end, int depth) {
    if (depth > kMostNesting) return wrong("loops nest too deep");
    for (line_ = begin; line_ < end; ++line_) {
      TRY(const Words words, wordsOf(lines_[line_]));
      if (words.empty()) continue;
      if (words[0] != "repeat") {
        TRY_STATUS(statement(words));
        continue;
      }
      TRY(const size_t last, endOfLoop(line_, end));
      TRY_STATUS(loop(words, line_ + 1, last, depth));
      line_ = last;
    }
    return {};
  }

  Status loop(const Words& words, size_t begin, size_t end, int depth) {
    if (words.size() != 3) return wrong("expected: repeat NAME COUNT");
    TRY(const int64_t count, number(words[2]));
    const size_t at = line_;
    for (int64_t i = 0; i < count; ++i) {
      line_ = at;
      if (++turns_ > kMostKernelEvents) return wrong("loops turn more often than a kernel has events");
      values_[words[1]] = i;
      TRY_STATUS(block(begin, end, depth + 1));
    }
    values_.erase(words[1]);
    return {};
  }

  Result<size_t> endOfLoop(size_t at, size_t end) const {
    int open = 0;
    for (size_t line = at; line < end; ++line) {
      const std::string_view text =
          lines_[line].substr(std::min(lines_[line].find_first_not_of(" \t"), lines_[line].size()));
      if (text.starts_with("repeat ")) ++open;
      if (text.starts_with("end") && --open == 0) return line;
    }
    return wrong("this loop has no end");
  }

  // With `{...}` expanded and comments (`#`) left out.
  Result<Words> wordsOf(std::string_view line) const {
    std::string text;
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const size_t open = line.find('{');
      text += line.substr(0, open);
      if (open == line.npos) break;
      const size_t close = line.find('}', open);
      if (close == line.npos) return wrong("a { is not closed");
      const auto value = programExpression(line.substr(open + 1, close - open - 1), values_);
      if (!value) return wrong(value.error().message);
      text += std::to_string(*value);
      line.remove_prefix(close + 1);
    }
    Words words;
    for (const std::string_view word : split(text, " \t\r")) {
      if (!word.empty()) words.emplace_back(word);
    }
    return words;
  }

  Status statement(const Words& words) {
    if (words[0] == "ref") return ref(words);
    if (words[0] == "barrier") return barrier(words);
    if (words[0] == "semaphore") return semaphore(words);
    if (words[0] == "group") return group(words);
    if (words[0] == "end") return wrong("end of no loop");
    return event(words);
  }

  Status ref(const Words& words) {
    if (words.size() != 5) return wrong("expected: ref NAME shared|tensor|global BEGIN SIZE");
    KernelRef made{.name = words[1]};
    if (words[2] == "tensor") {
      made.memory = KernelMemory::Tensor;
    } else if (words[2] == "global") {
      made.memory = KernelMemory::Global;
    } else if (words[2] != "shared") {
      return wrong(fmt::format("'{}' is no memory", words[2]));
    }
    TRY(made.begin, number(words[3]));
    TRY(made.size, number(words[4]));
    return add(program_.refs, std::move(made), kMostRefs);
  }

  Status barrier(const Words& words) {
    if (words.size() != 6 || words[2] != "slots" || words[4] != "arrivals")
      return wrong("expected: barrier NAME slots COUNT arrivals COUNT");
    KernelBarrier made{.name = words[1], .firstSlot = program_.slotCount()};
    TRY(made.slots, number(words[3]));
    TRY(made.arrivals, number(words[5]));
    if (made.slots < 1 || made.arrivals < 1 || made.firstSlot + static_cast<size_t>(made.slots) > kMostSlots)
      return wrong("a barrier has at least one slot and arrival, and a program 4096 slots at most");
    return add(program_.barriers, std::move(made), kMostSlots);
  }

  Status semaphore(const Words& words) {
    if (words.size() != 3) return wrong("expected: semaphore NAME COUNT");
    KernelSemaphore made{.name = words[1]};
    TRY(made.initial, number(words[2]));
    return add(program_.semaphores, std::move(made), kMostRefs);
  }

  Status group(const Words& words) {
    if (words.size() < 2) return wrong("expected: group NAME");
    std::string name = words[1];
    for (size_t n = 2; n < words.size(); ++n) name += " " + words[n];
    return add(program_.groups, {.name = std::move(name)}, kMostGroups);
  }

  template <typename T>
  Status add(std::vector<T>& list, T made, size_t most) {
    if (std::ranges::find(list, made.name, &T::name) != list.end())
      return wrong(fmt::format("{} is there twice", made.name));
    if (list.size() == most) return wrong(fmt::format("more than {} of a kind", most));
    list.push_back(std::move(made));
    return {};
  }

  Status event(Words words) {
    const auto* row = std::ranges::find(kRows, std::string_view(words[0]), &Row::word);
    if (row == std::end(kRows)) return wrong(fmt::format("'{}' is no action", words[0]));
    if (program_.groups.empty()) return wrong("an action before the first group");
    if (++events_ > kMostKernelEvents) return wrong("more events than a kernel has");
    KernelEvent made{.action = row->action};
    if (words.back().starts_with("@")) {
      TRY(const int64_t line, number(words.back().substr(1)));
      made.line = static_cast<uint32_t>(line);
      words.pop_back();
    }
    words.erase(words.begin());
    TRY_STATUS(arguments(row->takes, words, made));
    program_.groups.back().events.push_back(std::move(made));
    return {};
  }

  Status arguments(Takes takes, const Words& words, KernelEvent& made) {
    constexpr size_t kCounts[] = {0, 1, 3, 1, 2, 2, 1};
    const size_t count = kCounts[static_cast<size_t>(takes)];
    if (takes == Takes::Refs ? words.empty() : words.size() != count)
      return wrong(fmt::format("{} words follow, {} do", words.size(), count));
    const bool hasRefs = takes == Takes::Refs || takes == Takes::RefSlotNumber;
    const size_t refs = takes == Takes::Refs ? words.size() : hasRefs ? 1 : 0;
    for (size_t n = 0; n < refs; ++n) {
      TRY(made.accesses.emplace_back(), access(words[n]));
    }
    if (takes == Takes::Slot || takes == Takes::SlotNumber || takes == Takes::RefSlotNumber) {
      TRY(made.object, slot(words[refs]));
    } else if (takes == Takes::Semaphore) {
      TRY(made.object, find(program_.semaphores, words[0]));
    }
    if (takes == Takes::SlotNumber || takes == Takes::RefSlotNumber || takes == Takes::Semaphore ||
        takes == Takes::Number) {
      TRY(made.amount, number(words.back()));
    }
    return {};
  }

  // The text before `[`, and the numbers in the brackets, as `a[0:4096]` and `full[1]` have them.
  Result<std::pair<std::string, std::vector<int64_t>>> indexed(const std::string& word) const {
    const size_t open = word.find('[');
    std::pair<std::string, std::vector<int64_t>> parts{word.substr(0, open), {}};
    if (open == word.npos) return parts;
    if (!word.ends_with(']')) return wrong(fmt::format("'{}' lacks a ]", word));
    for (const std::string_view text :
         split(std::string_view(word).substr(open + 1, word.size() - open - 2), ":")) {
      TRY(parts.second.emplace_back(), number(text));
    }
    return parts;
  }

  Result<KernelAccess> access(const std::string& word) const {
    TRY(const auto parts, indexed(word));
    TRY(const size_t at, find(program_.refs, parts.first));
    const KernelRef& ref = program_.refs[at];
    if (parts.second.empty()) return KernelAccess{at, ref.begin, ref.size};
    if (parts.second.size() != 2) return wrong(fmt::format("expected {}[OFFSET:SIZE]", ref.name));
    const int64_t offset = parts.second[0], size = parts.second[1];
    if (offset < 0 || size < 0 || offset > ref.size || size > ref.size - offset)
      return wrong(fmt::format("{} is outside of {}, which has {}", word, ref.name, ref.size));
    return KernelAccess{at, ref.begin + offset, size};
  }

  Result<size_t> slot(const std::string& word) const {
    TRY(const auto parts, indexed(word));
    TRY(const size_t at, find(program_.barriers, parts.first));
    const KernelBarrier& barrier = program_.barriers[at];
    const int64_t index = parts.second.empty() ? 0 : parts.second[0];
    if (parts.second.size() > 1 || index < 0 || index >= barrier.slots)
      return wrong(fmt::format("{}: {} has {} slots", word, barrier.name, barrier.slots));
    return barrier.firstSlot + static_cast<size_t>(index);
  }

  template <typename T>
  Result<size_t> find(const std::vector<T>& list, const std::string& name) const {
    const auto found = std::ranges::find(list, name, &T::name);
    if (found == list.end()) return wrong(fmt::format("nothing is called '{}'", name));
    return static_cast<size_t>(found - list.begin());
  }

  Result<int64_t> number(std::string_view text) const {
    int64_t value = 0;
    constexpr int64_t kMost = int64_t{1} << 48;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMost)
      return wrong(fmt::format("'{}' is no number from 0 on", text));
    return value;
  }

  std::vector<std::string_view> lines_;
  size_t line_ = 0, events_ = 0, turns_ = 0;
  std::map<std::string, int64_t> values_;
  KernelProgram program_;
};

}  // namespace

std::string_view kernelActionName(KernelAction action) {
  return std::ranges::find(kRows, action, &Row::action)->word;
}

size_t KernelProgram::slotCount() const {
  return barriers.empty() ? 0 : barriers.back().firstSlot + static_cast<size_t>(barriers.back().slots);
}

std::string KernelProgram::slotName(size_t slot) const {
  for (const KernelBarrier& barrier : barriers) {
    if (slot < barrier.firstSlot + static_cast<size_t>(barrier.slots))
      return fmt::format("{}[{}]", barrier.name, slot - barrier.firstSlot);
  }
  return "?";
}

Result<KernelProgram> parseKernelProgram(std::string_view text) { return Parser(text).program(); }

}  // namespace hilo
