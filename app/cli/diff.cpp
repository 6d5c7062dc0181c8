#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/diff_forms.h"
#include "app/cli/report.h"
#include "core/analysis/diff/diff_patterns.h"
#include "core/analysis/diff/module_diff.h"
#include "core/workspace/text/printed_module.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string before, after;
  DiffForm form;
  bool changes = false, text = false, metadata = false, kernels = false, lineage = false, unified = false;
};

nlohmann::json diffJson(const Module& before, const Module& after, const StepDiff& diff) {
  nlohmann::json changes = nlohmann::json::array();
  for (const InstructionChange& change : diff.changes) {
    const Instruction* b = change.before.valid() ? before.instruction(change.before) : nullptr;
    const Instruction* a = change.after.valid() ? after.instruction(change.after) : nullptr;
    nlohmann::json row = {{"change", changeName(change.kind)}, {"opcode", (a ? a : b)->opcodeText()}};
    if (!change.what.empty()) row["what"] = change.what;
    for (const auto& [side, instruction] : {std::pair("before", b), std::pair("after", a)}) {
      if (instruction != nullptr)
        row[side] = {{"name", instruction->name()}, {"computation", instruction->parent().name()}};
    }
    changes.push_back(std::move(row));
  }
  nlohmann::json groups = nlohmann::json::array();
  for (const ChangeGroup& g : groupChanges(before, after, diff)) {
    groups.push_back({{"change", changeName(g.kind)},
                      {"opcode", g.opcode},
                      {"what", g.what},
                      {"detail", g.detail},
                      {"members", g.members}});
  }
  nlohmann::json patterns = nlohmann::json::array();
  for (const DiffPattern& p : findDiffPatterns(before, after, diff))
    patterns.push_back({{"lines", p.lines}, {"occurrences", p.occurrences}});
  nlohmann::json opcodes = nlohmann::json::array();
  for (const OpcodeDelta& d : opcodeDeltas(before, after, diff)) {
    opcodes.push_back({{"opcode", d.opcode},
                       {"before", d.before},
                       {"after", d.after},
                       {"added", d.added},
                       {"removed", d.removed},
                       {"changed", d.changed},
                       {"moved", d.moved}});
  }
  return {{"instructions", {{"before", diff.instructionsBefore}, {"after", diff.instructionsAfter}}},
          {"same", diff.instructionsAfter - diff.added - diff.changed - diff.moved},
          {"added", diff.added},
          {"removed", diff.removed},
          {"changed", diff.changed},
          {"moved", diff.moved},
          {"relabelled", diff.relabelled},
          {"reordered", diff.reordered.size()},
          {"groups", std::move(groups)},
          {"patterns", std::move(patterns)},
          {"matched_by_name", diff.namesTrusted},
          {"opcodes", std::move(opcodes)},
          {"changes", std::move(changes)}};
}

void printSummary(const Module& before, const Module& after, const StepDiff& diff) {
  fmt::print("{} instructions before, {} after: {} added, {} removed, {} changed, {} moved\n",
             grouped(static_cast<int64_t>(diff.instructionsBefore)),
             grouped(static_cast<int64_t>(diff.instructionsAfter)), diff.added, diff.removed, diff.changed,
             diff.moved);
  if (!diff.namesTrusted) fmt::print("names differ throughout: matched by structure\n");
  if (diff.relabelled != 0)
    fmt::print("{} differ in op_name alone (--metadata counts them)\n",
               grouped(static_cast<int64_t>(diff.relabelled)));
  if (!diff.reordered.empty())
    fmt::print("{} elsewhere in the order of the schedule\n",
               counted(static_cast<int64_t>(diff.reordered.size()), "instruction"));
  if (diff.empty()) return;
  Table table({Left, Right, Right, Right, Right, Right, Right});
  table.add({"opcode", "before", "after", "added", "removed", "changed", "moved"});
  const auto cell = [](int64_t n) { return n == 0 ? std::string("-") : grouped(n); };
  for (const OpcodeDelta& d : opcodeDeltas(before, after, diff)) {
    table.add({d.opcode, grouped(d.before), grouped(d.after), cell(d.added), cell(d.removed), cell(d.changed),
               cell(d.moved)});
  }
  fmt::print("\n{}", table.text());
}

std::string nameOf(const Module& before, const Module& after, const InstructionChange& change) {
  const Instruction* i =
      change.after.valid() ? after.instruction(change.after) : before.instruction(change.before);
  return fmt::format("%{} in {}", i->name(), i->parent().name());
}

// Equal changes once, each with its number and its first instruction.
void printGroups(const Module& before, const Module& after, const StepDiff& diff, size_t limit) {
  const std::vector<ChangeGroup> groups = groupChanges(before, after, diff);
  Table table({Right, Left, Left, Left, Left, Left});
  table.add({"count", "change", "opcode", "computation", "", "first"});
  for (size_t n = 0; n < std::min(limit, groups.size()); ++n) {
    const ChangeGroup& g = groups[n];
    table.add({grouped(static_cast<int64_t>(g.members.size())), std::string(changeName(g.kind)), g.opcode,
               g.what.empty() ? "-" : g.what, g.detail, nameOf(before, after, diff.changes[g.members[0]])});
  }
  fmt::print("\n{}", table.text());
  if (groups.size() > limit) fmt::print("... {} more kinds of change\n", groups.size() - limit);
}

void printPatterns(const Module& before, const Module& after, const StepDiff& diff, size_t limit) {
  const std::vector<DiffPattern> patterns = findDiffPatterns(before, after, diff);
  constexpr size_t kLines = 12;  // of one pattern
  for (size_t n = 0; n < std::min(limit, patterns.size()); ++n) {
    const DiffPattern& p = patterns[n];
    fmt::print("\n{} changes, {} times over, first at {}\n", p.changes, p.occurrences.size(),
               nameOf(before, after, diff.changes[p.occurrences[0][0]]));
    for (size_t line = 0; line < std::min(kLines, p.lines.size()); ++line)
      fmt::print("  {}\n", p.lines[line]);
    if (p.lines.size() > kLines) fmt::print("  ... {} more\n", p.lines.size() - kLines);
  }
  if (patterns.size() > limit) fmt::print("\n... {} more patterns\n", patterns.size() - limit);
}

// With `text`, the lines themselves below each change, before's with "-" and after's with "+".
void printChanges(const Module& before, const Module& after, const StepDiff& diff, const Options& options) {
  fmt::print("\n");
  const size_t shown = std::min(options.form.limit, diff.changes.size());
  for (size_t n = 0; n < shown; ++n) {
    const InstructionChange& change = diff.changes[n];
    const Instruction* b = change.before.valid() ? before.instruction(change.before) : nullptr;
    const Instruction* a = change.after.valid() ? after.instruction(change.after) : nullptr;
    const Instruction& i = a != nullptr ? *a : *b;
    std::string name = fmt::format("%{}", i.name());
    if (b != nullptr && a != nullptr && b->name() != a->name())
      name = fmt::format("%{} -> {}", b->name(), name);
    fmt::print("{} {} ({}) in {}{}{}\n", changeName(change.kind), name, i.opcodeText(), i.parent().name(),
               change.what.empty() ? "" : ": ", change.what);
    if (!options.text) continue;
    if (b != nullptr) fmt::print("  - {}\n", printedLine(*b));
    if (a != nullptr) fmt::print("  + {}\n", printedLine(*a));
  }
  if (shown < diff.changes.size())
    fmt::print("... {} more (--limit 0 shows all)\n",
               grouped(static_cast<int64_t>(diff.changes.size() - shown)));
}

using Pair = std::pair<std::shared_ptr<const Module>, std::shared_ptr<const Module>>;

// A alone: the two modules of one file.
Result<Pair> openPair(const Options& options) {
  TRY(const auto before, openWhole(options.before));
  if (!options.after.empty()) {
    TRY(const auto after, openWhole(options.after));
    return Pair(before->module, after->module);
  }
  if (before->others.size() != 1) {
    return fail("one-module",
                fmt::format("{} holds {} modules, and there is no second file", options.before,
                            1 + before->others.size()),
                {}, {"give two files, or one with two modules split by a line '// -----'"});
  }
  return Pair(before->module, before->others.front()->module);
}

int run(Options options) {
  if (options.form.limit == 0) options.form.limit = static_cast<size_t>(-1);
  const Result<Pair> pair = openPair(options);
  if (!pair) {
    printError(pair.error());
    return kUsage;
  }
  const Module &before = *pair->first, &after = *pair->second;
  const DiffedModules modules{pair->first, pair->second, options.before, options.after};
  if (options.unified || options.form.semantic) return printUnifiedDiff(modules, options.form);
  if (options.kernels) return printKernelDiff(modules, options.form);
  if (options.lineage || !options.form.from.empty()) return printLineage(modules, options.form);
  const StepDiff diff = diffModules(before, after, {.metadata = options.metadata});
  if (options.form.json) {
    printJson(diffJson(before, after, diff));
  } else {
    printSummary(before, after, diff);
    if (options.changes || options.text) {
      if (!diff.empty()) printChanges(before, after, diff, options);
    } else if (!diff.empty()) {
      constexpr size_t kPatterns = 5;
      printGroups(before, after, diff, options.form.limit);
      printPatterns(before, after, diff, std::min(options.form.limit, kPatterns));
    }
  }
  return diff.empty() ? kOk : kNo;
}

}  // namespace

void addDiff(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "Say which instructions of two modules differ");
  command->add_option("A", options->before, "The module before: text or proto, gzip or not")->required();
  command->add_option("B", options->after,
                      "The module after; without it A holds both, split by a line '// -----'");
  command
      ->add_option("--limit", options->form.limit,
                   "How many kinds of change, or changes, are listed; 0 for all")
      ->capture_default_str();
  command->add_flag("--changes", options->changes, "List every change, in the place of the kinds of change");
  command->add_flag("--text", options->text, "List every change with its lines before and after");
  command->add_flag("--metadata", options->metadata, "Another op_name alone is a change too");
  command->add_flag(
      "--kernels", options->kernels,
      "Match the kernels of two optimised modules by kind, root and shapes, with estimated times");
  command->add_option("--target,--device", options->form.device,
                      "Of --kernels: the device that times are estimated on, as hilo cost takes it");
  command->add_flag(
      "--lineage", options->lineage,
      "Say of each instruction of B what of A it came from: through inlining, fusion, partitioning");
  command
      ->add_option(
          "--from", options->form.from,
          "Lineage of one instruction: what it came from, what became of it, what a fusion is made of")
      ->type_name("NAME");
  command->add_flag(
      "--unified", options->unified,
      "Print the texts as one, changed lines with - and +, aligned by what is the same instruction");
  command->add_flag("--semantic", options->form.semantic,
                    "The same without metadata, shardings, layouts and backend_config: what is computed");
  command->add_option("--context", options->form.context, "Of --unified: unchanged lines around changes")
      ->capture_default_str();
  command->add_flag("--json", options->form.json, "Print JSON, with all changes");
  command->footer(R"(
Instructions are matched by structure (what they compute, from what, for whom) and by name where names agree. One that
went to another computation (inlined, fused, outlined) is "moved"; one that took the place of another is "changed" in
its opcode. Names, numbers of parameters and indices of tuple elements that only follow from others are no difference.
Equal changes are shown once, with their number, and so is a pattern of changes that occurs several times over.

--lineage says more of what a matching leaves out: metadata, names and places tell what a fusion, a part of a
partitioned instruction or a rewritten one came from. --kernels names the class of each difference: layout, kind (of
fusion), library (a call against a kernel), operands, fused (a kernel of its own against a part of a fusion), only.

Exit status: 0 no difference, 1 some, 2 wrong usage or unreadable input; of --lineage always 0.

Examples:
  hilo diff before.hlo after.hlo
  hilo diff dump_a/module_0007.jit_step.after_optimizations.txt dump_b/module_0007.jit_step.after_optimizations.txt
  hilo diff a.hlo b.hlo --text --limit 0
  hilo diff before.hlo after.hlo --lineage --from fusion.3
  hilo diff before.hlo after.hlo --unified --semantic
  hilo diff ours.hlo theirs.hlo --kernels --target h100 --json
  hilo diff a.hlo b.hlo --json | jq '.opcodes[] | select(.opcode == "fusion")')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
