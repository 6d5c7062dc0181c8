// hilo diff --kernels: the kernels of two optimised modules, matched.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/diff_forms.h"
#include "app/cli/report.h"
#include "core/base/amount_text.h"
#include "core/workspace/schedule/kernel_times.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct ClassTotal {
  size_t count = 0;
  double nsBefore = 0, nsAfter = 0;
};

std::array<ClassTotal, kKernelDifferenceCount> totalsOf(const std::vector<KernelPair>& pairs) {
  std::array<ClassTotal, kKernelDifferenceCount> totals{};
  for (const KernelPair& pair : pairs) {
    ClassTotal& total = totals[static_cast<size_t>(pair.difference)];
    ++total.count;
    total.nsBefore += pair.before.ns;
    total.nsAfter += pair.after.ns;
  }
  return totals;
}

nlohmann::json kernelJson(const TimedKernel& kernel) {
  if (kernel.instruction == nullptr) return nullptr;
  return {{"name", kernel.instruction->name()},
          {"kernel", kernelTitle(*kernel.instruction)},
          {"shape", toString(kernel.instruction->shape())},
          {"ns", kernel.ns}};
}

nlohmann::json diffJson(const KernelDiff& diff, const std::string& device) {
  nlohmann::json classes = nlohmann::json::object(), differ = nlohmann::json::array();
  for (const auto& totals : {totalsOf(diff.matched), totalsOf(diff.differ)}) {
    for (size_t n = 1; n < totals.size(); ++n) {
      if (totals[n].count == 0) continue;
      classes[std::string(kernelDifferenceName(static_cast<KernelDifference>(n)))] = {
          {"count", totals[n].count}, {"ns", {{"before", totals[n].nsBefore}, {"after", totals[n].nsAfter}}}};
    }
  }
  for (const KernelPair& pair : diff.differ) {
    differ.push_back({{"class", kernelDifferenceName(pair.difference)},
                      {"before", kernelJson(pair.before)},
                      {"after", kernelJson(pair.after)}});
  }
  return {{"device", device},
          {"kernels", {{"before", diff.kernelsBefore}, {"after", diff.kernelsAfter}}},
          {"ns", {{"before", diff.nsBefore}, {"after", diff.nsAfter}}},
          {"matched", diff.matched.size()},
          {"matched_share", diff.matchedShare()},
          {"classes", std::move(classes)},
          {"differ", std::move(differ)}};
}

std::string timeText(double ns) { return durationText(static_cast<int64_t>(ns)); }

std::string sideText(const TimedKernel& kernel) {
  if (kernel.instruction == nullptr) return "-";
  return fmt::format("%{} ({})", kernel.instruction->name(), kernelTitle(*kernel.instruction));
}

void print(const KernelDiff& diff, const std::string& device, size_t limit) {
  fmt::print("{} before, {} after; {} matched by kind, root and shapes ({:.1f}%)\n",
             amount::countOf(static_cast<int64_t>(diff.kernelsBefore), "kernel"),
             grouped(static_cast<int64_t>(diff.kernelsAfter)),
             grouped(static_cast<int64_t>(diff.matched.size())), 100 * diff.matchedShare());
  fmt::print("estimated on {}: {} before, {} after\n", device, timeText(diff.nsBefore),
             timeText(diff.nsAfter));
  if (diff.differ.empty()) return;
  Table classes({Left, Right, Right, Right});
  classes.add({"difference", "count", "time before", "time after"});
  const auto totals = totalsOf(diff.differ);
  for (size_t n = 1; n < totals.size(); ++n) {
    if (totals[n].count == 0) continue;
    classes.add({std::string(kernelDifferenceName(static_cast<KernelDifference>(n))),
                 grouped(static_cast<int64_t>(totals[n].count)), timeText(totals[n].nsBefore),
                 timeText(totals[n].nsAfter)});
  }
  fmt::print("\n{}", classes.text());
  Table table({Left, Right, Left, Left});
  table.add({"difference", "time", "before", "after"});
  for (size_t n = 0; n < std::min(limit, diff.differ.size()); ++n) {
    const KernelPair& pair = diff.differ[n];
    table.add({std::string(kernelDifferenceName(pair.difference)),
               timeText(std::max(pair.before.ns, pair.after.ns)), sideText(pair.before),
               sideText(pair.after)});
  }
  fmt::print("\n{}", table.text());
  if (diff.differ.size() > limit)
    fmt::print("... {} more (--limit 0 shows all)\n", diff.differ.size() - limit);
}

}  // namespace

int printKernelDiff(const DiffedModules& modules, const DiffForm& form) {
  const std::string device =
      form.device.empty() ? scheduleTargetOf(*modules.before, modules.beforePath).device : form.device;
  const auto before = kernelTimes(*modules.before, device), after = kernelTimes(*modules.after, device);
  for (const auto* side : {&before, &after}) {
    if (*side) continue;
    printError(side->error());
    return kUsage;
  }
  const KernelDiff diff = diffKernels(*before, *after);
  form.json ? printJson(diffJson(diff, device)) : print(diff, device, form.limit);
  return diff.differ.empty() ? kOk : kNo;
}

}  // namespace hilo::cli
