// hilo diff --lineage: where instructions came from and what became of them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/diff_forms.h"
#include "app/cli/report.h"
#include "core/analysis/lineage/lineage.h"
#include "core/workspace/text/printed_module.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Traced {
  const Module& before;
  const Module& after;
  const Lineage lineage;
};

nlohmann::json linksJson(const Module& other, std::span<const LineageLink> links) {
  nlohmann::json json = nlohmann::json::array();
  for (const LineageLink& link : links) {
    const Instruction& i = *other.instruction(link.id);
    json.push_back({{"name", i.name()},
                    {"opcode", i.opcodeText()},
                    {"computation", i.parent().name()},
                    {"by", lineageTieName(link.tie)}});
  }
  return json;
}

nlohmann::json instructionJson(const Traced& traced, const Instruction& i, bool isAfter) {
  nlohmann::json json = {{"name", i.name()}, {"opcode", i.opcodeText()}, {"computation", i.parent().name()}};
  isAfter ? json["from"] = linksJson(traced.before, traced.lineage.sourcesOf(i.id()))
          : json["to"] = linksJson(traced.after, traced.lineage.targetsOf(i.id()));
  return json;
}

nlohmann::json shareJson(const LineageShare& share) {
  nlohmann::json by = nlohmann::json::object();
  for (int tie = 0; tie < kLineageTieCount; ++tie) {
    if (share.byTie[tie] != 0)
      by[std::string(lineageTieName(static_cast<LineageTie>(tie)))] = share.byTie[tie];
  }
  return {{"instructions", share.instructions}, {"traced", share.traced}, {"by", std::move(by)}};
}

std::string linksText(const Module& other, std::span<const LineageLink> links) {
  constexpr size_t kMost = 6;
  if (links.empty()) return "-";
  std::string text;
  for (size_t n = 0; n < std::min(kMost, links.size()); ++n)
    text += fmt::format("{}%{}", n == 0 ? "" : ", ", other.instruction(links[n].id)->name());
  if (links.size() > kMost) text += fmt::format(" and {} more", links.size() - kMost);
  return text;
}

std::string tieText(std::span<const LineageLink> links) {
  return links.empty() ? "-" : std::string(lineageTieName(links.front().tie));
}

void printLinks(const Module& other, std::span<const LineageLink> links, int indent) {
  for (const LineageLink& link : links) {
    fmt::print("{:{}}{}: {}\n", "", indent, lineageTieName(link.tie),
               shortened(printedLine(*other.instruction(link.id))));
  }
}

// An instruction of the module after, and below it those it is made of.
void printSources(const Traced& traced, const Instruction& i, int indent) {
  fmt::print("{:{}}{}\n", "", indent, shortened(printedLine(i)));
  printLinks(traced.before, traced.lineage.sourcesOf(i.id()), indent + 2);
  if (!holdsWork(i)) return;
  for (const Computation* called : i.calledComputations()) {
    fmt::print("{:{}}made of:\n", "", indent + 2);
    for (const Instruction* inner : called->instructions()) {
      if (!isTracedKind(*inner)) continue;
      fmt::print("{:{}}{}\n", "", indent + 4, shortened(printedLine(*inner)));
      printLinks(traced.before, traced.lineage.sourcesOf(inner->id()), indent + 6);
    }
  }
}

int printOne(const Traced& traced, const DiffForm& form) {
  const Instruction* after = traced.after.findInstruction(form.from);
  const Instruction* before = traced.before.findInstruction(form.from);
  if (after == nullptr && before == nullptr) {
    printError({.kind = "no-such-instruction",
                .message = fmt::format("neither module has an instruction '{}'", form.from)});
    return kUsage;
  }
  if (form.json) {
    nlohmann::json json = nlohmann::json::object();
    if (before != nullptr) json["before"] = instructionJson(traced, *before, false);
    if (after != nullptr) {
      json["after"] = instructionJson(traced, *after, true);
      for (const Computation* called : after->calledComputations()) {
        if (!holdsWork(*after)) continue;
        for (const Instruction* inner : called->instructions()) {
          if (isTracedKind(*inner)) json["after"]["body"].push_back(instructionJson(traced, *inner, true));
        }
      }
    }
    printJson(json);
    return kOk;
  }
  if (before != nullptr) {
    fmt::print("before:\n  {}\n  became:\n", shortened(printedLine(*before)));
    printLinks(traced.after, traced.lineage.targetsOf(before->id()), 4);
    if (traced.lineage.targetsOf(before->id()).empty()) fmt::print("    nothing that is known\n");
  }
  if (after != nullptr) {
    fmt::print("after:\n");
    printSources(traced, *after, 2);
  }
  return kOk;
}

void printAll(const Traced& traced, const LineageShare& share, size_t limit) {
  fmt::print("{} of {} that compute or move data are traced", grouped(share.traced),
             counted(share.instructions, "instruction"));
  std::vector<std::string> by;
  for (int tie = 0; tie < kLineageTieCount; ++tie) {
    if (share.byTie[tie] != 0)
      by.push_back(
          fmt::format("{} {}", grouped(share.byTie[tie]), lineageTieName(static_cast<LineageTie>(tie))));
  }
  fmt::print("{}\n\n", by.empty() ? "" : fmt::format(" ({})", fmt::join(by, ", ")));
  Table table({Left, Left, Left, Left, Left});
  table.add({"after", "opcode", "parent", "by", "from"});
  size_t rows = 0, left = 0;
  for (const Computation* computation : traced.after.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (!isTracedKind(*i)) continue;
      if (rows == limit) {
        ++left;
        continue;
      }
      ++rows;
      const auto sources = traced.lineage.sourcesOf(i->id());
      table.add({fmt::format("%{}", i->name()), std::string(i->opcodeText()),
                 std::string(computation->name()), tieText(sources), linksText(traced.before, sources)});
    }
  }
  fmt::print("{}", table.text());
  if (left != 0) fmt::print("... {} more (--limit 0 shows all)\n", grouped(static_cast<int64_t>(left)));
}

}  // namespace

int printLineage(const DiffedModules& modules, const DiffForm& form) {
  const Traced traced{*modules.before, *modules.after, traceLineage(*modules.before, *modules.after)};
  if (!form.from.empty()) return printOne(traced, form);
  const LineageShare share = lineageShare(traced.after, traced.lineage);
  if (!form.json) {
    printAll(traced, share, form.limit);
    return kOk;
  }
  nlohmann::json instructions = nlohmann::json::array();
  for (const Computation* computation : traced.after.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (isTracedKind(*i)) instructions.push_back(instructionJson(traced, *i, true));
    }
  }
  printJson({{"share", shareJson(share)}, {"instructions", std::move(instructions)}});
  return kOk;
}

}  // namespace hilo::cli
