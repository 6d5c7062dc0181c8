#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/kernel_code.h"
#include "app/cli/kernel_listing.h"
#include "app/cli/report.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/base/files.h"

namespace hilo::cli {
namespace {

using namespace inference;

struct Options {
  std::string path, name;
  int64_t fuel = kUsualFuel;
  bool steps = false;
  bool json = false;
  KernelCodeOptions code;

  SearchLimits limits() const { return {.fuel = fuel, .cancel = {}, .steps = steps ? kMostListedSteps : 0}; }
};

void sayWhy(Diagnostic why, const std::string& where) {
  why.place.file = where;
  printError(why);
}

// The places of a payload's layouts are lines of what `hilo kernels --text` prints.
struct Asked {
  std::string name;  // of a custom call or dumped kernel; "" of text
  std::string where;
  Result<InferredKernel> inferred;
};

// False: there are no layouts. `json` gets what is printed as JSON.
bool show(const Asked& asked, const Options& options, nlohmann::json& json) {
  if (!asked.inferred) {
    json = {{"error", reportJson(asked.inferred.error())}};
    if (!options.json || asked.name.empty()) sayWhy(asked.inferred.error(), asked.where);
    return false;
  }
  const KernelListing listing(*asked.inferred);
  if (options.code.wantsAny() && listing.layouts().isFound())
    return showKernelCode(listing.kernel(), listing.layouts(), options.code, asked.where,
                          options.json ? &json : nullptr);
  json = jsonOf(listing, options.steps);
  if (options.json) return listing.layouts().isFound();
  if (!asked.name.empty()) fmt::print("{}\n", asked.where);
  if (options.steps) printSteps(listing);
  if (listing.layouts().isFound())
    print(listing);
  else
    sayWhy(listing.whyNot(), asked.where);
  return listing.layouts().isFound();
}

int showText(const std::string& text, const Options& options) {
  nlohmann::json json;
  const Asked asked{"", options.path, inferText(text, options.limits())};
  const bool isFound = show(asked, options, json);
  if (options.json && asked.inferred) printJson(json);
  return isFound ? kOk : kNo;
}

Result<InferredKernel> inferFound(const FoundKernel& found, const Options& options) {
  if (found.unreadable) return std::unexpected(*found.unreadable);
  return inferPayload(found.bytes, found.path(), options.limits());
}

// Of HLO, a dump or MLIR: those that it holds.
int showFound(const std::vector<FoundKernel>& found, const Options& options) {
  nlohmann::json all = nlohmann::json::array();
  bool isFine = true, isFound = false;
  for (const FoundKernel& kernel : found) {
    if (!options.name.empty() && kernel.name != options.name && kernel.path() != options.name) continue;
    isFound = true;
    nlohmann::json json;
    isFine = show({kernel.name, kernel.path(), inferFound(kernel, options)}, options, json) && isFine;
    json["kernel"] = kernel.path();
    all.push_back(std::move(json));
  }
  if (!isFound && !options.name.empty()) {
    printError(
        {Severity::kError, "unknown-instruction", fmt::format("no kernel is called '{}'", options.name)});
    return kUsage;
  }
  if (options.json) printJson(all);
  if (!isFound && !options.json) fmt::print("{} has no kernels of Mosaic GPU\n", options.path);
  return isFine ? kOk : kNo;
}

int run(const Options& options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.path, error)) {
    const auto text = readBytes(options.path);
    if (!text) {
      sayWhy(text.error(), options.path);
      return kNo;
    }
    if (options.path == "-" || isKernelText(*text)) return showText(*text, options);
  }
  const auto found = findKernels(options.path);
  if (found) return showFound(*found, options);
  printError(found.error());
  return kNo;
}

}  // namespace

void addKernelLayouts(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("kernel-layouts",
                                         "Say how the arrays of a hand-written kernel lie, and what set it");
  command
      ->add_option("FILE", options->path,
                   "HLO, a dump of XLA or of Mosaic GPU, a kernel as MLIR or as text; - reads text")
      ->required();
  command->add_option("--name", options->name, "This instruction's or dumped kernel's alone");
  command->add_option("--fuel", options->fuel, "As many layouts are tried, at most")
      ->check(CLI::Range(0, 100'000'000));
  command->add_flag("--steps", options->steps,
                    "Print what the solver set, tried and took back, round by round");
  command->add_flag("--llvm", options->code.llvm, "Print its code as LLVM IR alone");
  command->add_option("--ptx", options->code.ptx, "Print its code for this GPU alone, such as sm_90a");
  command->add_flag("--run", options->code.run, "Run it on the simulated GPU, on arrays made up");
  command->add_flag("--check", options->code.checks,
                    "Hold each access of --run against the memory that is known");
  command->add_option("--seed", options->code.seed, "The same seed makes the same arrays");
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer(R"(
Kernels are those that custom calls carry (`hilo kernels`), each with its name before it and lines of what
`hilo kernels FILE --name NAME --text` prints, or one kernel as text.

Every array in registers, shared and tensor memory with its layout and the constraint that set it, as JAX's Mosaic GPU
infers them; then each copy between registers and shared memory with the times that memory is asked, and how often
without bank conflicts; then the most shared memory that living arrays take at once, and from which line to which each
lives. Where the constraints cannot all hold, a smallest set of them that cannot.

A kernel for sm_90 or sm_100 has code: --llvm and --ptx print it. Without tensor memory --run runs it on the simulated
GPU and prints how the values of each array spread before and after.

Exit status: 0 there are layouts, and what was asked for; 1 there are none, the kernel cannot be read or has no code, its
run failed or --check found something; 2 wrong usage.

Examples:
  hilo kernel-layouts module.hlo
  hilo kernel-layouts module.hlo --name custom-call.3 --steps
  hilo kernel-layouts kernel.txt
  hilo kernel-layouts kernel.txt --json
  hilo kernel-layouts kernel.txt --ptx sm_90a
  hilo kernel-layouts kernel.txt --run --check --seed 3)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
