#include "core/compiler/spmd/spmd_remarks.h"

#include <charconv>
#include <string_view>

namespace hilo {
namespace {

constexpr std::string_view kWays[] = {"operand", "user", "linked"};

std::string_view wayOf(const ShardingDecision& decision) {
  return kWays[static_cast<size_t>(decision.direction)];
}

const std::string* factOf(const Remark& remark, std::string_view key) {
  const auto found = std::ranges::find(remark.facts, key, &std::pair<std::string, std::string>::first);
  return found == remark.facts.end() ? nullptr : &found->second;
}

std::string textOf(const Remark& remark, std::string_view key) {
  const std::string* fact = factOf(remark, key);
  return fact == nullptr ? "" : *fact;
}

// nullopt: the remark is of no move.
std::optional<MoveRemark> moveOf(const Remark& remark) {
  if (factOf(remark, "what") == nullptr) return std::nullopt;
  return MoveRemark{.what = textOf(remark, "what"),
                    .producer = textOf(remark, "producer"),
                    .consumer = textOf(remark, "consumer"),
                    .from = textOf(remark, "from"),
                    .to = textOf(remark, "to")};
}

}  // namespace

MoveRemark moveOfOperand(const Instruction& user, size_t index, std::string_view role) {
  const std::string_view producer = user.operand(index)->name();
  return {.what = fmt::format("{} {} of %{}, %{}", role, index, user.name(), producer),
          .producer = std::string(producer),
          .consumer = std::string(user.name())};
}

MoveRemark moveOfResult(const Instruction& instruction, std::string_view role) {
  const std::string name(instruction.name());
  return {.what = fmt::format("{} %{}", role, name), .producer = name, .consumer = name};
}

MoveRemark moveWithin(const Instruction& instruction, std::string_view does) {
  const std::string name(instruction.name());
  return {.what = fmt::format("%{} {}", name, does), .producer = name, .consumer = name};
}

std::string wordsOf(const MoveRemark& move) {
  return move.from.empty() ? move.what : fmt::format("{} from {} to {}", move.what, move.from, move.to);
}

RemarkFacts factsOf(const MoveRemark& move) {
  RemarkFacts facts = {{"what", move.what}, {"producer", move.producer}, {"consumer", move.consumer}};
  if (!move.from.empty()) facts.insert(facts.end(), {{"from", move.from}, {"to", move.to}});
  return facts;
}

RemarkFacts factsOf(const CollectiveRemark& remark) {
  RemarkFacts facts = factsOf(remark.move);
  facts.emplace_back("collective", remark.collective);
  return facts;
}

std::optional<CollectiveRemark> readCollectiveRemark(const Remark& remark) {
  const std::string* collective = factOf(remark, "collective");
  auto move = moveOf(remark);
  if (collective == nullptr || !move) return std::nullopt;
  return CollectiveRemark{.collective = *collective, .move = *std::move(move)};
}

std::optional<MoveRemark> readFullRematerialization(const Remark& remark) {
  return remark.kind == "full-rematerialization" ? moveOf(remark) : std::nullopt;
}

std::string decisionText(const ShardingDecision& decision) {
  return fmt::format("{} from {} %{} by {} (level {}, round {})", decision.sharding, wayOf(decision),
                     decision.neighbour, decision.rule, decision.level, decision.round);
}

RemarkFacts factsOf(const ShardingDecision& decision) {
  return {{"sharding", decision.sharding},           {"way", std::string(wayOf(decision))},
          {"neighbour", decision.neighbour},         {"rule", decision.rule},
          {"level", fmt::to_string(decision.level)}, {"round", fmt::to_string(decision.round)}};
}

std::optional<ShardedRemark> readShardedRemark(const Remark& remark) {
  const std::string* sharding = factOf(remark, "sharding");
  if (remark.kind != "sharded" || sharding == nullptr) return std::nullopt;
  ShardedRemark read{.sharding = *sharding,
                     .way = textOf(remark, "way"),
                     .neighbour = textOf(remark, "neighbour"),
                     .rule = textOf(remark, "rule")};
  const std::string round = textOf(remark, "round");
  std::from_chars(round.data(), round.data() + round.size(), read.round);
  return read;
}

}  // namespace hilo
