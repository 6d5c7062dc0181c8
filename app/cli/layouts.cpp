#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/analysis/layouts/array_addresses.h"
#include "core/base/alike_rows.h"
#include "core/workspace/layouts/layout_advice.h"
#include "core/workspace/layouts/layout_json.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, module, name, target;
  std::vector<std::string> tries;
  std::vector<int64_t> element;
  int64_t address = -1;
  size_t top = 20;
  bool json = false;
};

std::string timeText(double ns) { return ns > 0 ? durationText(static_cast<int64_t>(ns)) : ""; }

void printTotals(const LayoutStudy& study) {
  int64_t costly = 0;
  for (const LayoutRow& row : study.rows) costly += row.move.costs() ? 1 : 0;
  fmt::print("{}: {}, {} moved; {} in kernels that only move, {} in kernels that compute as well\n",
             study.module->name(),
             costly == 1 ? "1 copy or transpose" : grouped(costly) + " copies and transposes",
             bytesText(study.bytes), durationText(static_cast<int64_t>(study.aloneNs)),
             durationText(static_cast<int64_t>(study.sharedNs)));
  fmt::print("layouts are {}; times are estimated for {}\n",
             study.isOurs() ? "those that the pipeline gpu assigns" : "as the file has them",
             study.deviceText);
  if (study.metrics)
    fmt::print("a step takes {}, peak memory {}\n",
               durationText(static_cast<int64_t>(study.metrics->makespanNs)),
               bytesText(study.metrics->peakBytes));
}

// Which kinds of causes cost how much.
void printCauses(const LayoutStudy& study) {
  std::map<std::pair<std::string_view, std::string_view>, std::pair<int64_t, int64_t>> kinds;
  for (const LayoutRow& row : study.rows) {
    if (!row.move.costs()) continue;
    auto& [count, bytes] =
        kinds[{layoutWishKindName(row.move.given.kind), layoutWishKindName(row.move.wanted.kind)}];
    ++count;
    bytes += row.totalBytes();
  }
  if (kinds.empty()) return;
  Table table({Left, Left, Right, Right});
  table.add({"given by", "wanted by", "count", "bytes"});
  for (const auto& [kind, sum] : kinds)
    table.add({std::string(kind.first), std::string(kind.second), grouped(sum.first), bytesText(sum.second)});
  fmt::print("\n{}", table.text(2));
}

// What the layers of a model have alike is one row, with the bytes and the time of all.
auto alikeMoves(const LayoutStudy& study) {
  const auto key = [](const LayoutRow& row) {
    const LayoutMove& move = row.move;
    return std::tuple(move.opcode, toString(move.to), toString(move.from), move.origin, move.given.kind,
                      move.wanted.kind, row.times, move.isAlone);
  };
  return alikeRows(std::span(study.rows), key, &LayoutRow::ns);
}

void printMoves(const std::vector<const LayoutRow*>& alike) {
  const LayoutRow& row = *alike.front();
  const LayoutMove& move = row.move;
  const double ns = sumOf(alike, &LayoutRow::ns);
  fmt::print("%{}{} {} {} of {}{}{}{}\n", move.name, moreAlike(alike.size()), move.opcode, toString(move.to),
             toString(move.from),
             move.costs() ? fmt::format(", {} x {}", bytesText(move.bytes),
                                        grouped(row.times * static_cast<int64_t>(alike.size())))
                          : ", free",
             ns > 0 ? ", " + timeText(ns) : "",
             move.kernel == move.instruction ? "" : fmt::format(" in %{}", move.kernelName));
  fmt::print("    {}: {}\n", layoutMoveOriginName(move.origin), move.text);
}

void printRows(const LayoutStudy& study, size_t top) {
  const auto groups = alikeMoves(study);
  if (groups.empty()) return;
  fmt::print("\n");
  for (size_t n = 0; n < std::min(top, groups.size()); ++n) printMoves(groups[n]);
  if (groups.size() > top) fmt::print("  ... and {} more\n", grouped(groups.size() - top));
}

void printPadded(const LayoutStudy& study, size_t top) {
  if (study.padded.empty()) return;
  fmt::print("\npadding of tiles\n");
  Table table({Right, Right, Left, Left});
  table.add({"wasted", "of", "instruction", "shape"});
  for (size_t n = 0; n < std::min(top, study.padded.size()); ++n) {
    const PaddedArray& array = study.padded[n];
    table.add({bytesText(array.wastedBytes), bytesText(array.bytes), "%" + array.name, array.shape});
  }
  fmt::print("{}", table.text(2));
}

// Dimensions from minor to major, those of one axis under one letter.
std::string stripesText(const LayoutChainLink& link) {
  if (!link.shape.isArray()) return "";
  std::vector<std::string> parts;
  for (const AxisPiece& piece : piecesInMemory(link.shape, link.axes))
    parts.push_back(fmt::format("{}:{}", static_cast<char>('a' + piece.axis % 26), piece.size));
  std::ranges::reverse(parts);
  return fmt::format("{}", fmt::join(parts, " "));
}

void printWhy(const LayoutStudy& study, const LayoutRow& row) {
  const LayoutMove& move = row.move;
  fmt::print("%{} {}: {} to {}\n", move.name, move.opcode, toString(move.from), toString(move.to));
  fmt::print("  {} by {}{}\n", layoutMoveKindName(move.kind), layoutMoveOriginName(move.origin),
             move.source.empty() ? "" : ", " + move.source);
  if (move.costs())
    fmt::print("  {} read and written, {} times; %{} takes {}{}\n", bytesText(move.bytes), grouped(row.times),
               move.kernelName, row.ns > 0 ? timeText(row.ns) : "an unknown time",
               move.isAlone ? "" : ", with other work");
  fmt::print("  given:  {}: {}\n", layoutWishKindName(move.given.kind), move.given.text);
  fmt::print("  wanted: {}: {}\n", layoutWishKindName(move.wanted.kind), move.wanted.text);
  if (!row.recorded.empty()) fmt::print("  layout assignment says: {}\n", row.recorded);
  fmt::print("\n  the values between, and their dimensions from minor to major\n");
  Table table({Left, Left, Left, Left, Left});
  for (const LayoutChainLink& link : move.chain) {
    std::string shape = toString(link.shape);
    table.add({link.isMove ? "->" : "", "%" + link.name, link.opcode, shortened(std::move(shape)),
               stripesText(link)});
  }
  fmt::print("{}", table.text(2));
  const auto advice = adviceFor(study, move);
  if (!advice.empty()) fmt::print("\n  to try\n");
  for (const LayoutAdvice& one : advice) {
    fmt::print("    {}\n", one.text);
    if (one.constraint)
      fmt::print("      --try '{}={}'\n", one.constraint->instruction, one.constraint->layout);
  }
}

// False where the array has no such element, which is said.
bool printElement(const ArrayAddresses& addresses, const std::vector<int64_t>& element) {
  bool isInside = element.size() == addresses.shape.rank();
  for (size_t d = 0; isInside && d < element.size(); ++d)
    isInside = element[d] >= 0 && element[d] < addresses.shape.dimension(d);
  if (!isInside) {
    printError(fail("no-such-element", fmt::format("{} has no element ({})", toString(addresses.shape),
                                                   fmt::join(element, ", ")))
                   .error());
    return false;
  }
  const int64_t bit = addresses.bitOf(element);
  fmt::print("element ({}) lies at byte {}{}\n", fmt::join(element, ", "), bit / 8,
             bit % 8 == 0 ? "" : fmt::format(", bit {}", bit % 8));
  return true;
}

// Of an array that is no move: how it lies, and where an element or address is.
int printArray(const Instruction& array, const Options& options) {
  const auto addresses = arrayAddresses(array.shape());
  if (!addresses) {
    printError(
        fail("no-addresses", fmt::format("%{}: {}", array.name(), whyNoAddresses(array.shape()))).error());
    return kNo;
  }
  fmt::print("%{} {}: {}, of which {} is padding; memory space {}\n", array.name(),
             toString(addresses->shape), bytesText(addresses->bytes), bytesText(addresses->wastedBytes()),
             memorySpaceText(addresses->shape.layout()->memorySpace));
  if (!options.element.empty() && !printElement(*addresses, options.element)) return kUsage;
  if (options.address >= 0) {
    const auto element = addresses->elementAt(8 * options.address);
    fmt::print("byte {} is {}\n", options.address,
               element ? fmt::format("of element ({})", fmt::join(*element, ", ")) : "padding or outside");
  }
  return kOk;
}

int printNamed(const LayoutStudy& study, const Options& options) {
  const std::string name = options.name.starts_with("%") ? options.name.substr(1) : options.name;
  for (const LayoutRow& row : study.rows) {
    if (row.move.name != name && row.move.kernelName != name) continue;
    printWhy(study, row);
    if (row.move.name == name) break;
  }
  const Instruction* array = study.module->findInstruction(name);
  if (array == nullptr) {
    printError(
        fail("no-such-instruction", fmt::format("no instruction '{}' in {}", name, study.module->name()))
            .error());
    return kNo;
  }
  return array->shape().isArray() ? printArray(*array, options) : kOk;
}

void printTried(const LayoutStudy& former, const LayoutStudy& now) {
  Table table({Left, Right, Right});
  table.add({"", "before", "with constraints"});
  const auto row = [&](const char* title, auto text) { table.add({title, text(former), text(now)}); };
  row("step", [](const LayoutStudy& s) { return s.metrics ? timeText(s.metrics->makespanNs) : "?"; });
  row("peak memory", [](const LayoutStudy& s) { return s.metrics ? bytesText(s.metrics->peakBytes) : "?"; });
  row("bytes moved", [](const LayoutStudy& s) { return bytesText(s.bytes); });
  row("copies and transposes", [](const LayoutStudy& s) {
    return grouped(std::ranges::count_if(s.rows, [](const LayoutRow& r) { return r.move.costs(); }));
  });
  row("kernels that only move",
      [](const LayoutStudy& s) { return durationText(static_cast<int64_t>(s.aloneNs)); });
  fmt::print("{}", table.text(2));
}

Result<LayoutRequest> requestOf(const Options& options) {
  TRY(auto item, openItem(options.path));
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item)) {
    TRY(const size_t index, moduleOfDump(**dump, options.module));
    return layoutRequestOf(**dump, index);
  }
  TRY(const auto file, wholeOf(std::get<std::shared_ptr<const OpenedFile>>(item)));
  return LayoutRequest{.module = file->module, .path = file->path};
}

int exitCodeOf(const Diagnostic& error) {
  constexpr std::string_view kWrongUse[] = {"bad-constraint", "no-such-instruction", "unknown-device",
                                            "bad-device", "no-such-module"};
  return std::ranges::find(kWrongUse, error.kind) == std::end(kWrongUse) ? kNo : kUsage;
}

Result<std::shared_ptr<const LayoutStudy>> study(const LayoutRequest& request) {
  return withProgress("layouts", [&](JobContext& job) { return makeLayoutStudy(request, job); });
}

// The pipeline's own result without constraints, and with them.
int tryThem(const Options& options, LayoutRequest request, std::vector<LayoutConstraint> constraints) {
  LayoutRequest plain = request;
  if (isLaidOut(*request.module) && request.before != nullptr) {
    plain.module = request.before;
    plain.before = nullptr;
  }
  request.constraints = std::move(constraints);
  const auto now = study(request);
  const auto former = now ? study(plain) : now;
  for (const auto* made : {&now, &former}) {
    if (*made) continue;
    printError((*made).error());
    return exitCodeOf((*made).error());
  }
  if (options.json) {
    nlohmann::json json = layoutStudyJson(**now);
    json["other"] = layoutStudyJson(**former);
    printJson(json);
    return kOk;
  }
  printTried(**former, **now);
  printRows(**now, options.top);
  return kOk;
}

int run(const Options& options) {
  auto constraints = layoutConstraintsFromTexts(options.tries);
  if (!constraints) {
    printError(constraints.error());
    return kUsage;
  }
  auto request = requestOf(options);
  if (!request) {
    printError(request.error());
    return exitCodeOf(request.error());
  }
  request->device = options.target;
  if (!constraints->empty()) return tryThem(options, *std::move(request), *std::move(constraints));
  const auto made = study(*request);
  if (!made) {
    printError(made.error());
    return exitCodeOf(made.error());
  }
  if (options.json) {
    printJson(layoutStudyJson(**made));
    return kOk;
  }
  if (!options.name.empty()) return printNamed(**made, options);
  printTotals(**made);
  printCauses(**made);
  printRows(**made, options.top);
  printPadded(**made, options.top);
  for (const std::string& note : (*made)->notes) fmt::print("note: {}\n", note);
  return kOk;
}

}  // namespace

void addLayouts(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "layouts", "Say who wants which order in memory, and what copies and transposes that costs");
  command
      ->add_option(
          "FILE", options->path,
          "HLO text or protobuf, gzip or not, or a dump directory; - reads standard input. What has no "
          "layouts yet goes through the pipeline gpu first")
      ->required();
  command->add_option("--module", options->module, "Of a dump directory: the module, by name or number");
  command
      ->add_option(
          "--name", options->name,
          "A copy or transpose: who gives which order, who wants another, and the values between. Any "
          "array: how it lies")
      ->type_name("NAME");
  command->add_option("--element", options->element, "With --name: where this element lies")
      ->delimiter(',')
      ->type_name("INDEX,...");
  command->add_option("--address", options->address, "With --name: which element lies at this byte");
  command
      ->add_option(
          "--try", options->tries,
          "Lay a parameter, a result (result, result.1) or an instruction of the module before layout "
          "assignment so, and compare with doing without: NAME=LAYOUT")
      ->type_name("NAME=LAYOUT")
      ->allow_extra_args(false);
  command->add_option("--target", options->target, "The device whose times are estimated: a name or a file")
      ->default_str("what the module was compiled for, else h200");
  command->add_option("--top", options->top, "Rows of each list")->capture_default_str();
  command->add_flag("--json", options->json,
                    "Print JSON: moves with given, wanted, chain, advice; padded; ...");
  command->footer(R"(
Times are those of the kernel that a copy or transpose is in, estimated, with the trips of loops around it.

Exit status: 0 printed, 1 the input is wrong or cannot be laid out, 2 wrong usage.

Examples:
  hilo layouts step.sm_9.0_gpu_after_optimizations.txt
  hilo layouts xla_dump/ --module jit_step --name transpose.7
  hilo layouts step.before_optimizations.txt --try 'Arg_0.1={0,1}' --try 'result.1={1,0}'
  hilo layouts step.hlo --name Arg_0.1 --element 3,5 --address 4096
  hilo layouts xla_dump/ --module jit_step --json | jq '.moves[] | {name, bytes, cause}')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
