// One fact about every instruction, to colour a graph by: an amount (bytes, flops, a column of a file) or one
// of a few names (sharding, layout, precision).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/query/query.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

enum class OverlayKind : uint8_t {
  None,
  OutputBytes,
  Flops,
  BytesAccessed,
  Sharding,
  Layout,
  Precision,
  Given  // computed elsewhere: a column of a file, a run, queries
};

// An edge from an operand to its user that is marked, and what its card says.
struct OverlayEdge {
  InstructionId from, to;
  std::string text;
};

struct Overlay {
  static constexpr uint16_t kNoCategory = UINT16_MAX;
  static constexpr size_t kMostCategories = 12;

  std::string title;
  // Of amounts, by instruction id; negative where there is none.
  std::vector<double> amounts;
  bool isBytes = false;
  bool isNanoseconds = false;
  bool groupsHaveMost = false;  // a group has the largest amount in it, not the sum
  // Of names: an index into `categories`, most frequent first; those past the last share it ("others").
  std::vector<uint16_t> category;
  std::vector<std::string> categories;
  std::vector<OverlayEdge> edges;
  std::string edgesTitle;   // what a mark on an edge means: "reshard"
  bool areQueries = false;  // the categories are queries: what matches is looked for in all that is closed

  bool isAmount() const { return categories.empty(); }
};

// Not for None and Given.
Overlay makeOverlay(const Module& module, OverlayKind kind);

// An overlay of names; `names` by instruction id, "" where there is none.
Overlay makeNameOverlay(std::string title, const std::vector<std::string>& names);

// Which of a few queries an instruction matches: the first of those it does. Of more than kMostCategories the
// first. `cost` where it is known.
Overlay makeQueryOverlay(const Module& module, std::span<const Query> queries,
                         const ModuleCost* cost = nullptr);

// A column of a file, by instruction name. CSV: the first line names the columns; names are in a column
// called name, op, hlo_op or instruction, else in the first. JSON: an object of numbers by name, or a list of
// objects with such a key. `column` empty: the first that is numbers. Fails with "unreadable-column" and says
// what the file holds; "no-such-column"; "nothing-matches" when no name is in the module.
Result<Overlay> readOverlayColumn(const Module& module, std::string_view text, std::string_view column = {});
// The columns of such a file that hold numbers, in its order. Fails with "unreadable-column".
Result<std::vector<std::string>> overlayColumns(std::string_view text);

}  // namespace hilo
