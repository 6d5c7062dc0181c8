#include "core/compiler/spmd/spmd_remarks.h"

#include <charconv>
#include <string_view>
#include <vector>

namespace hilo {
namespace {

// "; model.py:12" at the end is the source line.
std::string_view withoutSource(std::string_view text) { return text.substr(0, text.rfind("; ")); }

// Takes " from {..} to {..}" off the end of the text.
void takeShardings(std::string_view& text, MoveRemark& move) {
  const size_t from = text.rfind(" from {"), to = text.rfind("} to {");
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return;
  move.from = text.substr(from + 6, to + 1 - (from + 6));
  move.to = text.substr(to + 5);
  text = text.substr(0, from);
}

// The names that stand as %name.
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    names.emplace_back(rest.substr(0, rest.find_first_of(" ,;:)")));
  }
  return names;
}

MoveRemark moveOf(std::string_view text, const std::string& madeFor) {
  MoveRemark move;
  takeShardings(text, move);
  move.what = text;
  const auto names = namesIn(text);
  const bool isOperand = text.starts_with("element ") || text.find("operand ") != std::string_view::npos;
  if (isOperand && names.size() > 1) {
    move.producer = names[1];
  } else if (text.starts_with("the result ") || move.from.empty()) {
    if (!names.empty()) move.producer = names[0];
  }
  move.consumer = names.empty() ? madeFor : names[0];
  return move;
}

int numberAfter(std::string_view text, std::string_view key) {
  const size_t at = text.rfind(key);
  int number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// "%all-gather f32[8,8]: operand 0 of %c, %w from {..} to {..}; model.py:7"
std::optional<CollectiveRemark> readCollectiveRemark(const Remark& remark) {
  std::string_view text = remark.message;
  const size_t shape = text.find(' '), cause = text.find(": ");
  if (!text.starts_with('%') || shape == std::string_view::npos || cause == std::string_view::npos ||
      cause < shape)
    return std::nullopt;
  return CollectiveRemark{.collective = std::string(text.substr(1, shape - 1)),
                          .move = moveOf(withoutSource(text.substr(cause + 2)), remark.name)};
}

// "involuntary full rematerialization of %w f32[8] from {..} to {..}; model.py:7"
std::optional<MoveRemark> readFullRematerialization(const Remark& remark) {
  if (remark.kind != "full-rematerialization") return std::nullopt;
  MoveRemark move = moveOf(withoutSource(remark.message), remark.name);
  if (move.from.empty()) return std::nullopt;
  move.producer = move.consumer;
  move.consumer = remark.name;
  return move;
}

// "{..} from operand %w by dot (level 1, round 2)"
std::optional<ShardedRemark> readShardedRemark(const Remark& remark) {
  if (remark.kind != "sharded") return std::nullopt;
  const std::string_view text = remark.message;
  const size_t from = text.rfind(" from "), name = text.find(" %", from), by = text.rfind(" by "),
               level = text.rfind(" (level ");
  constexpr size_t kNone = std::string_view::npos;
  if (from == kNone || name == kNone || by == kNone || level == kNone || name > by || by > level)
    return std::nullopt;
  return ShardedRemark{.sharding = std::string(text.substr(0, from)),
                       .way = std::string(text.substr(from + 6, name - (from + 6))),
                       .neighbour = std::string(text.substr(name + 2, by - (name + 2))),
                       .rule = std::string(text.substr(by + 4, level - (by + 4))),
                       .round = numberAfter(text, "round ")};
}

}  // namespace hilo
