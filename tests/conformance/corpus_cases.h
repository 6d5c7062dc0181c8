// The modules of the corpus as what an engine is held to: each with values made up for its devices, or with
// the reason why there is nothing to hold an engine to.
#pragma once

#include <functional>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/eval/infeeds.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/prepared_run.h"
#include "tests/conformance/corpus_modules.h"

namespace hilo {

inline constexpr int64_t kMostCorpusArguments = 256 << 20;  // bytes
inline constexpr uintmax_t kLargestCorpusFile = 1 << 20;
inline constexpr int64_t kMostCorpusDevices = 16;

// A module, and what its devices are given.
struct CorpusCase {
  std::shared_ptr<const Module> module;
  std::vector<std::vector<Literal>> arguments;
  std::vector<InfeedValues> infeeds;
};

inline int64_t argumentBytes(const CorpusCase& given) {
  int64_t bytes = 0;
  for (const auto& list : given.arguments) {
    for (const Literal& argument : list) bytes += argument.shape().byteSize();
  }
  return bytes;
}

inline bool isTooMuch(const Diagnostic& error) {
  return error.kind == "cancelled" || error.kind == "memory-limit" || error.kind == "out-of-memory" ||
         error.kind == "literal-too-large" || error.kind == "time-limit";
}

inline std::string reasonOf(const Diagnostic& error) {
  return error.kind == "cancelled" ? "takes too long" : toString(error).substr(0, 200);
}

// What an outcome is where the engine gave none.
inline std::string endOf(const Diagnostic& error) {
  if (isTooMuch(error)) return "too large: " + reasonOf(error);
  if (error.kind.starts_with("unsupported-")) return "refused by the engine: " + reasonOf(error);
  return "fail: " + reasonOf(error);
}

// How an engine is held to a case: why it takes no such module, and what came of it, "agree", or in what way;
// or why there is no answer, and after a colon more exactly.
struct CorpusJudge {
  std::function<Diagnostics(const Module&)> obstacles;
  std::function<std::string(const CorpusCase&)> outcome;
};

inline std::string outcomeOf(std::shared_ptr<const Module> module, const CorpusJudge& judge) {
  module = withDevices(std::move(module));
  Diagnostics problems = verify(*module);
  std::erase_if(problems, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  if (!problems.empty()) return "not what the verifier takes: " + reasonOf(problems[0]);
  const DeviceGrid grid = gridOf(*module);
  if (grid.count() > kMostCorpusDevices) return "too large: for more devices";
  if (const Diagnostics reasons = checkRunnable(*module, grid); !reasons.empty())
    return "refused by the evaluator: " + reasonOf(reasons[0]);
  CorpusCase given;
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto made = makeArguments(*module, 1 + static_cast<uint64_t>(device),
                                    {.limitBytes = kMostCorpusArguments / grid.count()});
    if (!made)
      return isTooMuch(made.error()) ? "too large: its arguments" : "no arguments: " + reasonOf(made.error());
    given.arguments.push_back(made->arguments);
    const auto infeed = makeInfeeds(infeedShapes(*module), 1 + static_cast<uint64_t>(device));
    if (!infeed) return "no arguments: " + reasonOf(infeed.error());
    given.infeeds.push_back(*infeed);
    if (device == 0) module = withConstants(module, *made);
  }
  if (const Diagnostics obstacles = judge.obstacles(*module); !obstacles.empty())
    return "refused by the engine: " + reasonOf(obstacles[0]);
  given.module = std::move(module);
  return judge.outcome(given);
}

// One a module of the file.
inline std::vector<std::string> outcomesOf(const std::filesystem::path& path, const CorpusJudge& judge) {
  if (std::filesystem::file_size(path) > kLargestCorpusFile) return {"too large: its file"};
  const auto opened = openItem(path.string());
  if (!opened) {
    const std::string& kind = opened.error().kind;
    return kind == "unknown-file-kind" ? std::vector<std::string>()
                                       : std::vector{"not read: " + reasonOf(opened.error())};
  }
  const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&*opened);
  if (file == nullptr) return {};
  std::vector<std::shared_ptr<const OpenedFile>> all = {*file};
  all.insert(all.end(), (*file)->others.begin(), (*file)->others.end());
  std::vector<std::string> outcomes;
  for (const auto& one : all) {
    const bool isWhole = one->module != nullptr && !hasErrors(one->diagnostics);
    outcomes.push_back(isWhole ? outcomeOf(one->module, judge) : "not read: it has errors");
  }
  return outcomes;
}

}  // namespace hilo
