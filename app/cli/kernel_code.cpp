#include "app/cli/kernel_code.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/arguments.h"
#include "app/cli/report.h"
#include "core/workspace/kernels/warpgroup_run.h"
#include "core/workspace/values/value_summary.h"

namespace hilo::cli {
namespace {

class KernelCode {
 public:
  KernelCode(const std::string& path, nlohmann::json* json) : path_(path), json_(json) {}

  bool give(const char* name, const Result<std::string>& text) {
    if (!text) return refuse(text.error());
    out_[name] = *text;
    if (json_ == nullptr) fmt::print("{}", *text);
    return true;
  }

  bool give(const Result<MadeUpRun>& made) {
    if (!made) return refuse(made.error());
    for (size_t i = 0; i < made->names.size(); ++i) {
      const Literal &before = made->before[i], &after = made->run.arrays[i];
      const bool isSame = before == after;
      out_["arrays"].push_back({{"name", made->names[i]},
                                {"before", summaryText(before)},
                                {"after", summaryText(after)},
                                {"changed", !isSame}});
      if (json_ == nullptr)
        fmt::print("{}: {}{}\n", made->names[i], summaryText(before),
                   isSame ? ", unchanged" : "; afterwards " + spreadText(summarize(after)));
    }
    out_["findings"] = findingsJson(made->run.findings);
    if (json_ == nullptr)
      for (const Diagnostic& finding : made->run.findings) printError(finding);
    return !hasErrors(made->run.findings);
  }

  void finish() {
    if (json_ != nullptr) *json_ = std::move(out_);
  }

 private:
  bool refuse(Diagnostic why) {
    if (why.place.file.empty()) why.place.file = path_;
    out_["error"] = reportJson(why);
    if (json_ == nullptr) printError(why);
    return false;
  }

  const std::string& path_;
  nlohmann::json* const json_;
  nlohmann::json out_ = nlohmann::json::object();
};

}  // namespace

bool showKernelCode(const inference::KernelDescription& kernel, const inference::KernelLayouts& layouts,
                    const KernelCodeOptions& options, const std::string& path, nlohmann::json* json) {
  KernelCode code(path, json);
  bool isGood = true;
  if (options.llvm) isGood = code.give("llvm", kernelLlvm(kernel, layouts));
  if (!options.ptx.empty()) isGood = code.give("ptx", kernelPtx(kernel, layouts, options.ptx)) && isGood;
  if (options.run) isGood = code.give(runMadeUp(kernel, layouts, options.seed, options.checks)) && isGood;
  code.finish();
  return isGood;
}

}  // namespace hilo::cli
