#include "app/cli/memory_trials.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/memory_peaks.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/workspace/peak/peak_study.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

std::string stepText(const PeakFigures& figures) {
  return figures.stepNs ? durationText(static_cast<int64_t>(*figures.stepNs)) : "not known";
}

void printBase(const PeakStudy& study) {
  fmt::print("{}: plan {}, peak {} at %{}, step {}\n", study.base.module->name(),
             bytesText(study.figures.planBytes), bytesText(study.figures.peakBytes), study.at,
             stepText(study.figures));
  fmt::print("by Hilo's plan; times are estimated for {}\n", study.base.deviceText);
  for (const std::string& note : study.base.notes) fmt::print("note: {}\n", note);
}

void printMade(const PeakStudy& study) {
  Table table({Right, Right, Right, Right, Right, Right, Left});
  table.add({"", "plan", "change", "peak", "change", "step", ""});
  size_t number = 0;
  for (const PeakTrial& trial : study.trials) {
    ++number;
    if (!trial.figures) continue;
    const PeakFigures& now = *trial.figures;
    table.add({grouped(static_cast<int64_t>(number)), bytesText(now.planBytes),
               signedBytes(now.planBytes - study.figures.planBytes, "as before"), bytesText(now.peakBytes),
               signedBytes(now.peakBytes - study.figures.peakBytes, "as before"), stepText(now),
               trial.change.text});
    if (!trial.change.how.empty()) table.add({"", "", "", "", "", "", "  " + trial.change.how});
    table.add({"", "", "", "", "", "", "  " + trial.change.command()});
  }
  fmt::print("\ntried\n{}", table.text(2));
}

void printNotMade(const PeakStudy& study) {
  Table table({Left, Left});
  for (const PeakTrial& trial : study.trials) {
    if (!trial.figures) table.add({trial.change.text, trial.whyNot});
  }
  if (!table.empty()) fmt::print("\nnot possible, or without effect\n{}", table.text(2));
}

nlohmann::json figuresJson(const PeakFigures& figures) {
  nlohmann::json json = {{"peak_bytes", figures.peakBytes},
                         {"total_bytes", figures.planBytes},
                         {"host_bytes", figures.hostBytes}};
  if (figures.stepNs) json["step_ns"] = *figures.stepNs;
  return json;
}

nlohmann::json studyJson(const PeakStudy& study) {
  nlohmann::json trials = nlohmann::json::array();
  for (const PeakTrial& trial : study.trials) {
    nlohmann::json row = {{"kind", trial.change.kind},
                          {"text", trial.change.text},
                          {"how", trial.change.how},
                          {"command", trial.change.command()},
                          {"done", trial.done}};
    if (trial.figures) row["figures"] = figuresJson(*trial.figures);
    if (!trial.figures) row["why_not"] = trial.whyNot;
    trials.push_back(std::move(row));
  }
  return {{"module", study.base.module->name()},
          {"device", study.base.device},
          {"wanted_bytes", study.base.wantedBytes},
          {"at", study.at},
          {"figures", figuresJson(study.figures)},
          {"notes", study.base.notes},
          {"trials", trials}};
}

// The module of one change.
int writeChanged(const PeakStudy& study, const TrialOptions& options) {
  const PeakTrial* trial =
      options.change <= study.trials.size() ? &study.trials[options.change - 1] : nullptr;
  if (trial == nullptr || !trial->figures) {
    printError({Severity::kError,
                "no-such-change",
                trial == nullptr ? fmt::format("{} changes were tried", study.trials.size())
                                 : fmt::format("change {} was not made: {}", options.change, trial->whyNot),
                {},
                {}});
    return kNo;
  }
  const auto module = trial->series.steps.back().module();
  const Status written =
      module ? writeResult(options.output, **module, OutputKind::Text) : std::unexpected(module.error());
  if (written) return kOk;
  printError(written.error());
  return kNo;
}

}  // namespace

int runTrials(const std::string& path, const TrialOptions& options) {
  const auto file = openWholeOrStage(path);
  if (!file) {
    printError(file.error());
    return kNo;
  }
  const PeakRequest request{.module = (*file)->module,
                            .path = (*file)->path,
                            .device = options.device,
                            .limitBytes = options.limitBytes,
                            .values = options.values};
  const auto study = withProgress("memory", [&](JobContext& job) { return makePeakStudy(request, job); });
  if (!study) {
    printError(study.error());
    return study.error().kind == "unknown-device" || study.error().kind == "bad-device" ? kUsage : kNo;
  }
  if (options.change > 0) return writeChanged(**study, options);
  if (options.json) {
    printJson(studyJson(**study));
    return kOk;
  }
  printBase(**study);
  printMade(**study);
  printNotMade(**study);
  return kOk;
}

}  // namespace hilo::cli
