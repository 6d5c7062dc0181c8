#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/kernel_code.h"
#include "app/cli/report.h"
#include "core/analysis/kernel_layouts/inference/inference_steps.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/analysis/kernel_layouts/inference/planned_moves.h"
#include "core/base/files.h"
#include "core/workspace/kernels/inferred_kernel.h"

namespace hilo::cli {
namespace {

using namespace inference;

constexpr size_t kMostSteps = 10'000;

struct Options {
  std::string path, name;
  int64_t fuel = kUsualFuel;
  bool steps = false;
  bool json = false;
  KernelCodeOptions code;

  SearchLimits limits() const { return {.fuel = fuel, .cancel = {}, .steps = steps ? kMostSteps : 0}; }
};

// Reads one kernel with its layouts, and says what is in it.
class Listing {
 public:
  explicit Listing(const InferredKernel& inferred) : inferred_(inferred) {}

  const inference::KernelDescription& kernel() const { return inferred_.kernel; }
  const KernelLayouts& layouts() const { return inferred_.layouts; }
  const LayoutVariable& variable(VariableId id) const { return layouts().derived.variables[id]; }
  uint32_t line(OpId op) const { return kernel().ops[op].line; }
  std::string lineOf(OpId op) const { return line(op) == 0 ? "" : fmt::format("line {}: ", line(op)); }
  std::string cause(const SetLayout& set) const { return causeText(kernel(), layouts(), set.cause); }
  std::vector<ListedStep> steps() const { return listedSteps(kernel(), layouts()); }
  Diagnostic whyNot() const { return whyNoLayouts(kernel(), layouts()); }

 private:
  const InferredKernel& inferred_;
};

std::string stepText(const ListedStep& step) {
  std::string text =
      fmt::format("{:>5}  {}{}", step.number, std::string(2 * step.depth, ' '), stepWord(step.kind));
  if (!step.variable.empty()) text += fmt::format(" {} = {}", step.variable, step.layout);
  for (const NamedConstraint& one : step.constraints)
    text +=
        fmt::format("{}rule {}, {}", &one == step.constraints.data() ? "  by " : "\n" + std::string(14, ' '),
                    one.rule, toString(one));
  return text;
}

void printSteps(const Listing& listing) {
  uint32_t round = 0;
  const auto steps = listing.steps();
  for (const ListedStep& step : steps) {
    if (step.round != round) fmt::print("round {}\n", round = step.round);
    fmt::print("{}\n", stepText(step));
  }
  if (steps.size() == kMostSteps) fmt::print("  further steps are not kept\n");
}

void printMoves(const Listing& listing) {
  const auto moves = plannedMoves(listing.layouts());
  if (moves.empty()) return;
  fmt::print("Copies between registers and shared memory\n");
  for (const PlannedMove& move : moves)
    fmt::print("  {}{}: {}\n", listing.lineOf(move.op), listing.kernel().ops[move.op].opcode,
               !move.notCounted.empty()
                   ? "not counted: " + move.notCounted
                   : fmt::format("{}, {} without bank conflicts", counted(move.wavefronts, "wavefront"),
                                 grouped(move.least)));
}

void print(const Listing& listing) {
  const KernelLayouts& layouts = listing.layouts();
  for (const auto& [id, set] : layouts.outcome.layouts) {
    fmt::print("{}{}\n", listing.lineOf(layouts.derived.sites[id].front().op), listing.variable(id).name);
    fmt::print("    {} in {}\n", toString(set.layout), toString(listing.variable(id).space));
    fmt::print("    {}\n", listing.cause(set));
  }
  fmt::print("{}, {}, {}\n", counted(static_cast<int64_t>(layouts.derived.variables.size()), "variable"),
             counted(static_cast<int64_t>(layouts.derived.constraints.size()), "constraint"),
             counted(layouts.outcome.fuelUsed, "layout") + " tried");
  printMoves(listing);
}

nlohmann::json movesJson(const Listing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const PlannedMove& move : plannedMoves(listing.layouts())) {
    nlohmann::json one = {{"operation", listing.kernel().ops[move.op].opcode},
                          {"line", listing.kernel().ops[move.op].line},
                          {"registers", toString(move.registers)},
                          {"memory", toString(LayoutConstant(move.memory))}};
    if (move.notCounted.empty()) {
      one["wavefronts"] = move.wavefronts;
      one["withoutConflicts"] = move.least;
    } else {
      one["notCounted"] = move.notCounted;
    }
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json constraintJson(const NamedConstraint& one) {
  return {{"rule", one.rule}, {"operation", one.opcode}, {"line", one.line}, {"constraint", one.constraint}};
}

nlohmann::json stepsJson(const Listing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const ListedStep& step : listing.steps()) {
    nlohmann::json one = {{"number", step.number},
                          {"round", step.round},
                          {"depth", step.depth},
                          {"step", stepWord(step.kind)},
                          {"constraints", nlohmann::json::array()}};
    if (!step.variable.empty()) one["value"] = step.variable;
    if (!step.layout.empty()) one["layout"] = step.layout;
    for (const NamedConstraint& each : step.constraints) one["constraints"].push_back(constraintJson(each));
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json conflictJson(const Listing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const uint32_t number : listing.layouts().conflict.constraints)
    all.push_back(constraintJson(namedConstraint(listing.kernel(), listing.layouts(), number)));
  return all;
}

nlohmann::json jsonOf(const Listing& listing, const Options& options) {
  const KernelLayouts& layouts = listing.layouts();
  nlohmann::json json = {{"variables", layouts.derived.variables.size()},
                         {"constraints", layouts.derived.constraints.size()},
                         {"fuelUsed", layouts.outcome.fuelUsed},
                         {"layouts", nlohmann::json::array()}};
  for (const auto& [id, set] : layouts.outcome.layouts)
    json["layouts"].push_back({{"value", listing.variable(id).name},
                               {"line", listing.kernel().ops[layouts.derived.sites[id].front().op].line},
                               {"memory", toString(listing.variable(id).space)},
                               {"layout", toString(set.layout)},
                               {"setBy", listing.cause(set)},
                               {"round", set.cause.round}});
  if (options.steps) json["steps"] = stepsJson(listing);
  if (layouts.isFound()) {
    json["copies"] = movesJson(listing);
  } else {
    json["error"] = reportJson(listing.whyNot());
    json["conflict"] = conflictJson(listing);
  }
  return json;
}

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
  const Listing listing(*asked.inferred);
  if (options.code.wantsAny() && listing.layouts().isFound())
    return showKernelCode(listing.kernel(), listing.layouts(), options.code, asked.where,
                          options.json ? &json : nullptr);
  json = jsonOf(listing, options);
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
without bank conflicts. Where the constraints cannot all hold, a smallest set of them that cannot.

A kernel for sm_90 has code: --llvm and --ptx print it, --run runs it on the simulated GPU and prints how the values of
each array spread before and after.

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
