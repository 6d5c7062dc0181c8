#include "core/analysis/kernel_checks/access_log.h"

#include <fmt/format.h>

namespace hilo {
namespace {

constexpr int64_t kTensorColumns = 512;

bool isAsynchronous(KernelAction action) {
  switch (action) {
    case KernelAction::CopyIn:
    case KernelAction::CopyOut:
    case KernelAction::CopyOutPending:
    case KernelAction::Multiply:
    case KernelAction::TensorMultiply:
    case KernelAction::TensorCopy:
      return true;
    default:
      return false;
  }
}

std::string_view remedy(KernelAction before) {
  switch (before) {
    case KernelAction::CopyIn:
      return "wait for the barrier of the copy";
    case KernelAction::CopyOut:
    case KernelAction::CopyOutPending:
      return "wait for the copies (wait-copies)";
    case KernelAction::Multiply:
      return "wait for the product (wait-multiply)";
    case KernelAction::TensorMultiply:
    case KernelAction::TensorCopy:
      return "commit to a barrier (tensor-commit) and wait for it";
    default:
      return "let a barrier come between them";
  }
}

}  // namespace

AccessLog::AccessLog(const KernelProgram& program, Diagnostics& found)
    : program_(program), found_(found), lives_(program.refs.size(), Life::Whole) {
  for (const KernelGroup& group : program.groups) {
    for (const KernelEvent& event : group.events) {
      if (event.action != KernelAction::Alloc) continue;
      for (const KernelAccess& access : event.accesses) lives_[access.ref] = Life::Before;
    }
  }
}

void AccessLog::access(const KernelAccess& where, const LoggedAccess& by, bool writes,
                       const KernelClock& known) {
  checkLifetime(where, by);
  const KernelMemory memory = program_.refs[where.ref].memory;
  for (const Range& range : ranges_) {
    const bool overlaps =
        range.where.begin < where.begin + where.size && where.begin < range.where.begin + range.where.size;
    if (overlaps && program_.refs[range.where.ref].memory == memory)
      checkAgainst(range, where, by, writes, known);
  }
  Range& range = rangeOf(where);
  if (!writes) {
    const auto same = std::ranges::find(range.reads, by.row, &LoggedAccess::row);
    (same == range.reads.end() ? range.reads.emplace_back() : *same) = by;
    return;
  }
  range.write = by;
  const auto mine = std::ranges::find(range.unfenced, by.group);
  if (by.action == KernelAction::Write && mine == range.unfenced.end()) range.unfenced.push_back(by.group);
}

void AccessLog::checkAgainst(const Range& range, const KernelAccess& where, const LoggedAccess& by,
                             bool writes, const KernelClock& known) {
  const auto isOrdered = [&](const LoggedAccess& before) {
    return before.index == 0 || before.row == by.row || known[before.row] >= before.index;
  };
  const bool isShared = program_.refs[where.ref].memory == KernelMemory::Shared;
  if (!isOrdered(range.write)) {
    conflict(where, by, writes, range.write, true);
  } else if (!writes && range.write.index > 0 && range.where.ref != where.ref) {
    report(
        "overlapping-refs",
        fmt::format("{} reads {} where {} wrote {}, which lies in the same place", whose(by),
                    program_.refs[where.ref].name, whose(range.write), program_.refs[range.where.ref].name),
        by.line);
  } else if (!writes && isShared && isAsynchronous(by.action) && !range.unfenced.empty()) {
    report("missing-fence",
           fmt::format("{} of {} may not see what {} wrote at line {}: {} has to fence after it writes",
                       whose(by), program_.refs[where.ref].name, program_.groups[range.unfenced[0]].name,
                       range.write.line, program_.groups[range.unfenced[0]].name),
           by.line);
  }
  if (!writes) return;
  for (const LoggedAccess& read : range.reads) {
    if (!isOrdered(read)) conflict(where, by, writes, read, false);
  }
}

void AccessLog::conflict(const KernelAccess& where, const LoggedAccess& by, bool writes,
                         const LoggedAccess& before, bool wrote) {
  report("unordered-accesses",
         fmt::format("{} {} {} while {} may still {} it: {}", whose(by), writes ? "writes" : "reads",
                     program_.refs[where.ref].name, whose(before), wrote ? "write" : "read",
                     remedy(before.action)),
         by.line);
}

AccessLog::Range& AccessLog::rangeOf(const KernelAccess& where) {
  for (Range& range : ranges_) {
    if (range.where.ref == where.ref && range.where.begin == where.begin && range.where.size == where.size)
      return range;
  }
  ranges_.push_back({.where = where});
  return ranges_.back();
}

void AccessLog::fence(size_t group) {
  for (Range& range : ranges_) std::erase(range.unfenced, group);
}

void AccessLog::checkLifetime(const KernelAccess& where, const LoggedAccess& by) {
  const Life life = lives_[where.ref];
  if (life != Life::Before && life != Life::After) return;
  report(life == Life::Before ? "used-before-alloc" : "used-after-free",
         fmt::format("{} of {} {}", whose(by), program_.refs[where.ref].name,
                     life == Life::Before ? "before it is allocated" : "after it is freed"),
         by.line);
}

void AccessLog::alloc(const KernelEvent& event, size_t group) {
  for (const KernelAccess& access : event.accesses) lives_[access.ref] = Life::Within;
  int64_t columns = 0;
  for (size_t ref = 0; ref < lives_.size(); ++ref)
    columns += lives_[ref] == Life::Within ? program_.refs[ref].size : 0;
  if (columns <= kTensorColumns) return;
  report("tensor-memory-full",
         fmt::format("{} allocates up to {} columns of {}", program_.groups[group].name, columns,
                     kTensorColumns),
         event.line);
}

void AccessLog::free(const KernelEvent& event, size_t group) {
  for (const KernelAccess& access : event.accesses) {
    if (lives_[access.ref] == Life::After)
      report("used-after-free",
             fmt::format("{} frees {} again", program_.groups[group].name, program_.refs[access.ref].name),
             event.line);
    lives_[access.ref] = Life::After;
  }
}

void AccessLog::end() {
  for (size_t ref = 0; ref < lives_.size(); ++ref) {
    if (lives_[ref] == Life::Within)
      report("tensor-memory-left", fmt::format("{} is allocated and never freed", program_.refs[ref].name),
             0);
  }
}

void AccessLog::report(const std::string& kind, const std::string& message, uint32_t line) {
  found_.push_back({.kind = kind, .message = message, .place = {.line = line}});
}

std::string AccessLog::whose(const LoggedAccess& by) const {
  return fmt::format("{} of {}", kernelActionName(by.action), program_.groups[by.group].name);
}

}  // namespace hilo
