#include "core/analysis/diff/diff_patterns.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

struct Sides {
  const Instruction* before;
  const Instruction* after;
  const Instruction& any() const { return after != nullptr ? *after : *before; }
};

Sides sidesOf(const Module& before, const Module& after, const InstructionChange& change) {
  return {change.before.valid() ? before.instruction(change.before) : nullptr,
          change.after.valid() ? after.instruction(change.after) : nullptr};
}

std::string opcodeChange(const Sides& sides) {
  const std::string_view now = sides.any().opcodeText();
  if (sides.before == nullptr || sides.before->opcodeText() == now) return std::string(now);
  return fmt::format("{} -> {}", sides.before->opcodeText(), now);
}

// Without where it moved from: that is the group's detail when all share it.
std::string_view withoutOrigin(const InstructionChange& change) {
  if (change.kind != ChangeKind::Moved) return change.what;
  const size_t end = change.what.find("; ");
  return end == std::string::npos ? std::string_view() : std::string_view(change.what).substr(end + 2);
}

std::string detailOf(const InstructionChange& change, const Sides& sides) {
  switch (change.kind) {
    case ChangeKind::Added:
    case ChangeKind::Removed:
      return toString(sides.any().shape());
    case ChangeKind::Moved:
      return change.what.substr(0, change.what.find("; "));
    default:
      break;
  }
  const Shape b = sides.before->shape(), a = sides.after->shape();
  return b == a ? toString(a) : fmt::format("{} -> {}", toString(b), toString(a));
}

// Which changes hang together: two whose instructions read each other on a side where both stand.
class ChangeRegions {
 public:
  ChangeRegions(const Module& before, const Module& after, const StepDiff& diff)
      : before_(before), after_(after), diff_(diff), parent_(diff.changes.size()) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    for (size_t n = 0; n < diff.changes.size(); ++n) {
      if (diff.changes[n].before.valid()) changeBefore_[diff.changes[n].before.value] = n;
      if (diff.changes[n].after.valid()) changeAfter_[diff.changes[n].after.value] = n;
    }
    for (size_t n = 0; n < diff.changes.size(); ++n) {
      for (const size_t operand : operandsOf(n)) parent_[find(operand)] = find(n);
    }
  }

  // Changes among what a change reads, in the order of the operands: after's, then what was read before
  // and is gone.
  std::vector<size_t> operandsOf(size_t change) const {
    const Sides sides = sidesOf(before_, after_, diff_.changes[change]);
    std::vector<size_t> operands;
    const auto note = [&](const Instruction* side, const auto& index, bool goneOnly) {
      if (side == nullptr) return;
      for (const Instruction* operand : side->operands()) {
        const auto found = index.find(operand->id().value);
        if (found == index.end()) continue;
        if (!goneOnly || diff_.changes[found->second].kind == ChangeKind::Removed)
          operands.push_back(found->second);
      }
    };
    note(sides.after, changeAfter_, false);
    note(sides.before, changeBefore_, sides.after != nullptr);
    return operands;
  }

  std::vector<std::vector<size_t>> regions() {
    absl::btree_map<size_t, std::vector<size_t>> byRoot;
    for (size_t n = 0; n < parent_.size(); ++n) byRoot[find(n)].push_back(n);
    std::vector<std::vector<size_t>> regions;
    for (auto& [root, members] : byRoot) regions.push_back(std::move(members));
    return regions;
  }

 private:
  size_t find(size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  const Module& before_;
  const Module& after_;
  const StepDiff& diff_;
  std::vector<size_t> parent_;
  absl::flat_hash_map<uint32_t, size_t> changeBefore_, changeAfter_;
};

// What one change of a region is, without names.
std::string lineOf(const Module& before, const Module& after, const InstructionChange& change) {
  const Sides sides = sidesOf(before, after, change);
  const std::string_view what = withoutOrigin(change);
  return fmt::format("{} {} {}{}{}", changeName(change.kind), opcodeChange(sides), detailOf(change, sides),
                     what.empty() ? "" : ": ", what);
}

}  // namespace

std::vector<ChangeGroup> groupChanges(const Module& before, const Module& after, const StepDiff& diff) {
  struct Building {
    ChangeGroup group;
    bool detailShared = true;
  };
  std::vector<Building> building;
  absl::flat_hash_map<std::string, size_t> index;
  for (size_t n = 0; n < diff.changes.size(); ++n) {
    const InstructionChange& change = diff.changes[n];
    const Sides sides = sidesOf(before, after, change);
    const std::string opcode = opcodeChange(sides);
    const std::string_view what = withoutOrigin(change);
    const auto [entry, isNew] = index.try_emplace(
        fmt::format("{}\n{}\n{}", static_cast<int>(change.kind), opcode, what), building.size());
    std::string detail = detailOf(change, sides);
    if (isNew) building.push_back({{change.kind, opcode, std::string(what), detail, {}}});
    Building& to = building[entry->second];
    to.detailShared &= to.group.detail == detail;
    to.group.members.push_back(n);
  }
  std::vector<ChangeGroup> groups;
  for (Building& b : building) {
    if (!b.detailShared) b.group.detail.clear();
    groups.push_back(std::move(b.group));
  }
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const ChangeGroup& g) { return g.members.size(); });
  return groups;
}

std::vector<DiffPattern> findDiffPatterns(const Module& before, const Module& after, const StepDiff& diff) {
  ChangeRegions regions(before, after, diff);
  absl::flat_hash_map<size_t, size_t> index;  // by what a region is
  std::vector<DiffPattern> patterns;
  for (std::vector<size_t>& region : regions.regions()) {
    if (region.size() < 2) continue;
    // Operands come before their users among the changes of a side, so each change can say what it reads by
    // how many changes before it that is.
    absl::flat_hash_map<size_t, size_t> place;
    size_t print = 0;
    std::vector<std::string> lines;
    for (size_t n = 0; n < region.size(); ++n) {
      lines.push_back(lineOf(before, after, diff.changes[region[n]]));
      print = absl::HashOf(print, lines.back());
      for (const size_t operand : regions.operandsOf(region[n])) {
        const auto found = place.find(operand);
        print = absl::HashOf(print, found == place.end() ? region.size() : found->second);
      }
      place.emplace(region[n], n);
    }
    const auto [entry, isNew] = index.try_emplace(print, patterns.size());
    if (isNew) patterns.push_back({std::move(lines), region.size(), {}});
    patterns[entry->second].occurrences.push_back(std::move(region));
  }
  std::erase_if(patterns, [](const DiffPattern& p) { return p.occurrences.size() < 2; });
  std::ranges::stable_sort(patterns, std::ranges::greater{},
                           [](const DiffPattern& p) { return p.changes * p.occurrences.size(); });
  return patterns;
}

}  // namespace hilo
