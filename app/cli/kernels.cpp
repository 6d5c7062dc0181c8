#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string path, name;
  bool verify = false, text = false, program = false, json = false;
};

std::string orUnknown(const std::optional<int64_t>& number) { return number ? std::to_string(*number) : "?"; }

std::string text(const KernelSizes& sizes) {
  std::vector<std::string> all;
  for (const auto& size : sizes) all.push_back(orUnknown(size));
  return fmt::format("{}", fmt::join(all, "x"));
}

json jsonOf(const KernelSizes& sizes) {
  json list = json::array();
  for (const auto& size : sizes) list.push_back(size ? json(*size) : json(nullptr));
  return list;
}
json jsonOf(const std::optional<int64_t>& number) { return number ? json(*number) : json(nullptr); }

json jsonOf(const KernelPayload& payload) {
  return {{"target", payload.target},
          {"hash", payload.hash},
          {"hashFits", payload.hashFits},
          {"usesCustomBarrier", payload.usesCustomBarrier},
          {"usesCollectiveMetadata", payload.usesCollectiveMetadata},
          {"replicaIds", payload.replicaIds},
          {"multimem", payload.multimem}};
}

json jsonOf(const StudiedKernel& kernel) {
  const KernelDescription& is = kernel.description;
  json out = {{"format", kernel.format}, {"kernel", is.name}, {"text", kernel.text}};
  if (is.archMajor && is.archMinor) out["arch"] = {*is.archMajor, *is.archMinor};
  out["launches"] = out["arrays"] = out["barriers"] = json::array();
  for (const KernelLaunch& launch : is.launches)
    out["launches"].push_back({{"line", launch.line},
                               {"grid", jsonOf(launch.grid)},
                               {"cluster", jsonOf(launch.cluster)},
                               {"block", jsonOf(launch.block)},
                               {"sharedBytes", jsonOf(launch.sharedBytes)}});
  for (const KernelArray& array : is.arrays)
    out["arrays"].push_back({{"name", array.name},
                             {"line", array.line},
                             {"memory", array.memory},
                             {"type", array.type},
                             {"bytes", jsonOf(array.bytes)},
                             {"offset", jsonOf(array.offset)}});
  for (const KernelBarrierInit& barrier : is.barriers)
    out["barriers"].push_back({{"name", barrier.name},
                               {"line", barrier.line},
                               {"count", jsonOf(barrier.count)},
                               {"arrivals", jsonOf(barrier.arrivals)},
                               {"tensorCore", barrier.tensorCore}});
  out["operations"] = json::object();
  for (const auto& [name, count] : is.operations) out["operations"][name] = count;
  out["program"] = is.program;
  if (!is.notFollowed.empty()) out["notFollowed"] = is.notFollowed;
  out["problems"] = out["findings"] = json::array();
  for (const Diagnostic& problem : kernel.problems) out["problems"].push_back(reportJson(problem));
  for (const Diagnostic& finding : kernel.findings) out["findings"].push_back(reportJson(finding));
  return out;
}

void printPayload(const KernelPayload& payload) {
  fmt::print("  carried by a call to {}", payload.target);
  if (!payload.hash.empty())
    fmt::print(", hash {}{}", payload.hash.substr(0, 16), payload.hashFits ? "" : " (of another kernel)");
  if (payload.usesCustomBarrier) fmt::print(", with a barrier between devices");
  if (!payload.replicaIds.empty()) fmt::print(", of the devices {}", payload.replicaIds);
  fmt::print("\n");
}

void printFiles(const std::vector<MosaicDumpFile>& files) {
  for (const MosaicDumpFile& file : files) fmt::print("  {}: {}\n", mosaicDumpPartName(file.part), file.path);
}

void printDescription(const KernelDescription& is) {
  if (is.archMajor && is.archMinor)
    fmt::print("  for compute capability {}.{}\n", *is.archMajor, *is.archMinor);
  for (const KernelLaunch& launch : is.launches)
    fmt::print("  line {}: launched as {} blocks of {} threads, clusters of {}, {} bytes of shared memory\n",
               launch.line, text(launch.grid), text(launch.block), text(launch.cluster),
               orUnknown(launch.sharedBytes));
  for (const KernelBarrierInit& barrier : is.barriers)
    fmt::print("  line {}: barrier {}: {} of {} arrivals{}\n", barrier.line, barrier.name,
               orUnknown(barrier.count), orUnknown(barrier.arrivals),
               barrier.tensorCore ? ", for tensor cores" : "");
  Table table(
      {Table::Align::Left, Table::Align::Left, Table::Align::Right, Table::Align::Right, Table::Align::Left});
  table.add({"array", "memory", "offset", "bytes", "type"});
  for (const KernelArray& array : is.arrays)
    table.add({array.name, array.memory, orUnknown(array.offset), orUnknown(array.bytes), array.type});
  if (!is.arrays.empty()) fmt::print("{}", table.text(2));
  if (!is.notFollowed.empty()) fmt::print("  Its barriers and copies are not checked: {}\n", is.notFollowed);
}

void printProblems(const StudiedKernel& kernel) {
  for (const Diagnostic& problem : kernel.problems) printError(problem);
  for (const Diagnostic& finding : kernel.findings) printError(finding);
}

// False: something is wrong with it.
bool show(const FoundKernel& found, const Options& options, bool whole, json& out) {
  json entry = {{"name", found.name}, {"module", found.module}};
  if (found.payload) entry["payload"] = jsonOf(*found.payload);
  for (const MosaicDumpFile& file : found.files)
    entry["files"].push_back({{"part", mosaicDumpPartName(file.part)}, {"path", file.path}});
  const auto refuse = [&](const Diagnostic& why) {
    entry["error"] = reportJson(why);
    out.push_back(std::move(entry));
    if (!options.json) printError(why);
    return false;
  };
  if (found.unreadable) return refuse(*found.unreadable);
  const auto kernel = studyKernel(found.bytes, found.path());
  if (!kernel) return refuse(kernel.error());
  entry.update(jsonOf(*kernel));
  out.push_back(std::move(entry));
  const bool isFine =
      !hasErrors(kernel->problems) && kernel->findings.empty() && (!found.payload || found.payload->hashFits);
  if (options.json) return isFine;
  if (options.text || options.program) {
    fmt::print("{}", options.text ? kernel->text : kernel->description.program);
    return isFine;
  }
  fmt::print("{}: {}{}\n", found.path(), kernel->format, isFine ? "" : ", with problems");
  if (found.payload) printPayload(*found.payload);
  if (!options.verify) printFiles(found.files);
  if (!options.verify) printDescription(kernel->description);
  printProblems(*kernel);
  if (whole && !options.verify) fmt::print("\n{}", kernel->text);
  return isFine;
}

int run(const Options& options) {
  const auto found = findKernels(options.path);
  if (!found) {
    printError(found.error());
    return kNo;
  }
  json all = json::array();
  bool isFine = true, isFound = options.name.empty();
  for (const FoundKernel& kernel : *found) {
    if (!options.name.empty() && kernel.name != options.name && kernel.path() != options.name) continue;
    isFound = true;
    isFine = show(kernel, options, !options.name.empty() || found->size() == 1, all) && isFine;
  }
  if (!isFound) {
    printError(
        {Severity::kError, "unknown-instruction", fmt::format("no kernel is called '{}'", options.name)});
    return kUsage;
  }
  if (options.json) printJson(all);
  if (!options.json && found->empty()) fmt::print("{} has no kernels of Mosaic GPU\n", options.path);
  return isFine ? kOk : kNo;
}

}  // namespace

void addKernels(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "kernels", "Show the kernels that custom calls carry, and check their barriers and copies");
  command->add_option("FILE", options->path, "HLO, a dump of XLA or of Mosaic GPU, or a kernel as MLIR")
      ->required();
  command->add_option("--name", options->name, "This instruction's or dumped kernel's alone, with its text");
  command->add_flag("--verify", options->verify, "Print what is wrong alone");
  CLI::Option* text = command->add_flag("--text", options->text, "Print the text alone, as MLIR reads it");
  command->add_flag("--program", options->program, "Print what its warpgroups do with shared memory alone")
      ->excludes(text);
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer(R"(
Kernels are those of calls to mosaic_gpu_v2 and mosaic_gpu, which Pallas writes for Mosaic GPU, and of the folder that
MOSAIC_GPU_DUMP_TO names. They are read by the plug-in mosaic; older spellings are printed as they are written now.

Exit status: 0 nothing is wrong, 1 a kernel cannot be read, is not valid, or its barriers and copies are wrong,
2 wrong usage.

Examples:
  hilo kernels module.hlo
  hilo kernels module.hlo --name custom-call.3
  hilo kernels module.hlo --name custom-call.3 --text > kernel.mlir
  hilo kernels /tmp/mosaic_dump --verify --json)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
