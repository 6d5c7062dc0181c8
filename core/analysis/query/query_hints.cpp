#include <absl/container/btree_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/query/query.h"
#include "core/analysis/query/query_node.h"
#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

// The terms that must all hold.
void collectTerms(const QueryNode& node, std::vector<const QueryNode*>& terms) {
  if (node.kind != QueryNode::Kind::And) {
    if (!node.text.empty()) terms.push_back(&node);
    return;
  }
  for (const QueryNode& child : node.children) collectTerms(child, terms);
}

std::vector<std::string_view> opcodesOf(const Module& module) {
  absl::btree_set<std::string_view> names;
  for (const Computation* c : module.computations()) {
    for (const Instruction* i : c->instructions()) names.insert(i->opcodeText());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string_view> allOpcodes() {
  std::vector<std::string_view> names;
  for (int n = 0; n < kOpcodeCount; ++n) names.push_back(opcodeName(static_cast<Opcode>(n)));
  return names;
}

// What loops run comes first: it is what people look into.
std::vector<std::string_view> computationsOf(const Module& module) {
  std::vector<std::string_view> names;
  const auto add = [&](const Computation* c) {
    if (c != nullptr && std::ranges::find(names, c->name()) == names.end()) names.push_back(c->name());
  };
  constexpr size_t kLoops = 100;
  for (const Computation* c : module.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (i->opcode() == Opcode::While && names.size() < kLoops) add(i->get<Attr::Body>());
    }
  }
  for (const Computation* c : module.computations()) {
    if (names.size() < kLoops) {
      add(c);
    } else {
      names.push_back(c->name());
    }
  }
  return names;
}

std::string whatThereIs(const QueryNode& term, const Module& module) {
  const size_t colon = term.text.find(':');
  if (term.kind != QueryNode::Kind::Text || colon == std::string::npos || term.text[colon + 1] == '~')
    return "";
  const std::string value = term.text.substr(colon + 1);
  std::vector<std::string_view> names;
  std::string_view kind;
  switch (term.field) {
    case QueryField::Opcode:
      names = opcodesOf(module);
      kind = "opcodes";
      if (!opcodeFromName(value)) {
        if (const auto close = didYouMean(value, allOpcodes()); !close.empty()) return ": " + close[0];
      }
      break;
    case QueryField::Computation:
    case QueryField::In:
    case QueryField::Calls:
      names = computationsOf(module);
      kind = "computations";
      break;
    default:
      return "";
  }
  if (const auto close = didYouMean(value, names); !close.empty()) return ": " + close[0];
  constexpr size_t kShown = 4;
  const std::span<const std::string_view> shown(names.data(), std::min(kShown, names.size()));
  return fmt::format(": {} here are {}{}", kind, fmt::join(shown, ", "),
                     names.size() > kShown ? ", ..." : "");
}

}  // namespace

std::vector<std::string> whyNothingMatches(const Query& query, const Module& module, const ModuleCost* cost) {
  std::vector<const QueryNode*> terms;
  collectTerms(query.root(), terms);
  std::vector<std::string> notes, counts;
  for (const QueryNode* term : terms) {
    const Result<Query> alone = parseQuery(term->text);
    if (!alone) continue;
    const size_t found = QueryMatcher(*alone, module, cost).all().size();
    if (found == 0) {
      notes.push_back(
          fmt::format("nothing in this module matches {}{}", term->text, whatThereIs(*term, module)));
    } else {
      counts.push_back(fmt::format("{}: {}", term->text, found));
    }
  }
  if (notes.empty() && counts.size() > 1)
    notes.push_back(fmt::format("no instruction matches all of these: {}", fmt::join(counts, ", ")));
  return notes;
}

}  // namespace hilo
