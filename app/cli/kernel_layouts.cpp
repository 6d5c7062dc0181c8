#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/analysis/kernel_layouts/inference/planned_moves.h"
#include "core/base/files.h"

namespace hilo::cli {
namespace {

using namespace inference;

struct Options {
  std::string path;
  int64_t fuel = kUsualFuel;
  bool steps = false;
  bool json = false;
};

constexpr size_t kMostSteps = 10'000;

// Reads one kernel with its layouts, and says what is in it.
class Listing {
 public:
  Listing(const KernelDescription& kernel, const KernelLayouts& layouts)
      : kernel_(kernel), layouts_(layouts) {}

  const KernelDescription& kernel() const { return kernel_; }
  const KernelLayouts& layouts() const { return layouts_; }
  const LayoutVariable& variable(VariableId id) const { return layouts_.derived.variables[id]; }

  std::string lineOf(OpId op) const {
    return kernel_.ops[op].line == 0 ? "" : fmt::format("line {}: ", kernel_.ops[op].line);
  }

  std::string constraintText(uint32_t number) const {
    const KernelConstraint& one = layouts_.derived.constraints[number];
    return fmt::format("{}{}: {}", lineOf(one.op), kernel_.ops[one.op].opcode,
                       toString(one.constraint, layouts_.derived.variables));
  }

  std::string causeText(const Cause& cause) const {
    if (cause.kind == Cause::Kind::Usual) return "nothing says more: what such an array usually has";
    const std::string why = cause.origins.empty() ? "" : constraintText(cause.origins.front());
    return cause.kind == Cause::Kind::Tried ? "tried, since " + why : why;
  }

  std::string stepText(const InferenceStep& step) const {
    const std::string indent(2 * step.depth, ' ');
    const std::string why = step.origins.empty() ? "" : constraintText(step.origins.front());
    const std::string what =
        step.variable ? fmt::format("{} = {}", variable(*step.variable).name, toString(*step.layout)) : "";
    switch (step.kind) {
      case InferenceStep::Kind::Set:
        return fmt::format("{}set {}  ({})", indent, what, why);
      case InferenceStep::Kind::Satisfied:
        return fmt::format("{}holds {}", indent, why);
      case InferenceStep::Kind::Try:
        return fmt::format("{}try {}{}", indent, what, why.empty() ? "" : "  (" + why + ")");
      case InferenceStep::Kind::Conflict:
        return fmt::format("{}conflict {}", indent, why);
      case InferenceStep::Kind::BackOut:
        return fmt::format("{}take back {}", indent, what);
    }
    return "";
  }

 private:
  const KernelDescription& kernel_;
  const KernelLayouts& layouts_;
};

void printSteps(const Listing& listing) {
  uint32_t round = 0;
  for (const InferenceStep& step : listing.layouts().outcome.trace.steps) {
    if (step.round != round) fmt::print("round {}\n", round = step.round);
    fmt::print("  {}\n", listing.stepText(step));
  }
  if (listing.layouts().outcome.trace.steps.size() == kMostSteps)
    fmt::print("  further steps are not kept\n");
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
    fmt::print("    {}\n", listing.causeText(set.cause));
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

nlohmann::json stepsJson(const Listing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const InferenceStep& step : listing.layouts().outcome.trace.steps)
    all.push_back({{"round", step.round}, {"depth", step.depth}, {"step", listing.stepText(step)}});
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
                               {"setBy", listing.causeText(set.cause)},
                               {"round", set.cause.round}});
  if (options.steps) json["steps"] = stepsJson(listing);
  if (layouts.isFound())
    json["copies"] = movesJson(listing);
  else
    json["error"] = reportJson(whyNoLayouts(listing.kernel(), layouts));
  return json;
}

int refuse(Diagnostic why, const Options& options) {
  why.place.file = options.path;
  printError(why);
  return kNo;
}

int run(const Options& options) {
  const auto text = readBytes(options.path);
  if (!text) return refuse(text.error(), options);
  const auto kernel = parseKernel(*text);
  if (!kernel) return refuse(kernel.error(), options);
  const auto layouts =
      inferLayouts(*kernel, {.fuel = options.fuel, .cancel = {}, .steps = options.steps ? kMostSteps : 0});
  if (!layouts) return refuse(layouts.error(), options);
  const Listing listing(*kernel, *layouts);
  if (options.json) printJson(jsonOf(listing, options));
  if (options.steps && !options.json) printSteps(listing);
  if (!layouts->isFound()) return options.json ? kNo : refuse(whyNoLayouts(*kernel, *layouts), options);
  if (!options.json) print(listing);
  return kOk;
}

}  // namespace

void addKernelLayouts(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("kernel-layouts",
                                         "Say how the arrays of a hand-written kernel lie, and what set it");
  command->add_option("FILE", options->path, "A kernel as text; - reads standard input")->required();
  command->add_option("--fuel", options->fuel, "As many layouts are tried, at most")
      ->check(CLI::Range(0, 100'000'000));
  command->add_flag("--steps", options->steps,
                    "Print what the solver set, tried and took back, round by round");
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer(R"(
Every array in registers, shared and tensor memory with its layout and the constraint that set it, as JAX's Mosaic GPU
infers them; then each copy between registers and shared memory with the times that memory is asked, and how often
without bank conflicts. Where the constraints cannot all hold, a smallest set of them that cannot.

Exit status: 0 there are layouts, 1 there are none or the kernel cannot be read, 2 wrong usage.

Examples:
  hilo kernel-layouts kernel.txt
  hilo kernel-layouts kernel.txt --steps
  hilo kernel-layouts kernel.txt --json)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
