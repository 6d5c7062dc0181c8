// The query language over instructions: `opcode:dot bytes>1MB op_name:~attention`.
//
//   query  := and { ("or" | "||") and }
//   and    := not { ["and" | "&&"] not }            terms side by side must all hold
//   not    := { "not" | "!" } primary
//   primary:= "(" query ")" | term
//   term   := KEY ":" VALUE                         equal; * and ? are wild
//           | KEY ":~" REGEX                        regular expression (RE2), found anywhere
//           | KEY ":" "(" query ")"                 operand, user: one of them matches
//           | "path:" END "->" END                  on a way from one to the other; END: NAME | "(" query ")"
//           | NUMBER-KEY (< | <= | > | >= | = | !=) NUMBER [UNIT]
//           | WORD | "quoted"                       found in name, opcode or op_name, case aside
//
// Keys and what they look at: queryKeys(). Units: K M G T (1000s), KB MB GB TB (1000s), KiB MiB GiB TiB
// (1024s); numbers may be written 1e9. Shape patterns: f32[128,*], bf16[..,64], where * is one dimension and
// .. any run of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/cost_facts.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct QueryNode;

// A parsed query. Copies share; any thread may match with it.
class Query {
 public:
  const std::string& text() const { return text_; }
  const QueryNode& root() const { return *root_; }

 private:
  friend Result<Query> parseQuery(std::string_view text);
  std::string text_;
  std::shared_ptr<const QueryNode> root_;
};

// Error kind "query-syntax", with place.column counting bytes from 1. The empty query matches everything.
Result<Query> parseQuery(std::string_view text);

// Matches a query against one module's instructions. Costs and call relations are computed when a term
// first asks for them; give `cost` where it is already known. One thread a matcher.
class QueryMatcher {
 public:
  QueryMatcher(Query query, const Module& module, const ModuleCost* cost = nullptr);
  ~QueryMatcher();
  bool matches(const Instruction& instruction);
  // Every match in module order, at most `limit`.
  std::vector<const Instruction*> all(size_t limit = static_cast<size_t>(-1));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Of a query that matches nothing: which of the terms that must all hold match nothing by themselves, with
// the name that may have been meant or those there are; or, where each matches something, how many.
std::vector<std::string> whyNothingMatches(const Query& query, const Module& module,
                                           const ModuleCost* cost = nullptr);

struct QueryKey {
  std::string_view name;
  bool numeric = false;
  std::string_view what;  // one line for help and for completion lists
};
std::vector<QueryKey> queryKeys();

// What could come at the end of `prefix`: keys, and values of a key (opcodes, types, attributes, and names
// from `module` when given). Each is a whole replacement for the last word of the prefix. At most `limit`.
std::vector<std::string> queryCompletions(std::string_view prefix, const Module* module = nullptr,
                                          size_t limit = 50);

}  // namespace hilo
