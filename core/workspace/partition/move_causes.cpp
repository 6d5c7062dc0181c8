#include "core/workspace/partition/move_causes.h"

#include "core/analysis/instruction_card.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/workspace/partition/partition_series.h"

namespace hilo {
namespace {

std::string shardingText(const Instruction& instruction) {
  std::string text;
  if (const Sharding* sharding = instruction.get<Attr::Sharding>()) appendSharding(text, *sharding, false);
  return text;
}

// Axes that cut the value before and no longer do.
AxisNames lostOf(const std::vector<AxisNames>& from, const std::vector<AxisNames>& to) {
  AxisNames lost;
  for (const AxisNames& axes : from) {
    for (const std::string& axis : axes) {
      const auto has = [&](const AxisNames& of) { return std::ranges::find(of, axis) != of.end(); };
      if (std::ranges::none_of(to, has)) lost.push_back(axis);
    }
  }
  return lost;
}

std::string wordsOf(const std::vector<AxisNames>& dimensions) {
  const std::string text = axesText(dimensions);
  return text.empty() ? "whole" : "cut in " + text;
}

}  // namespace

MoveCauses::MoveCauses(std::shared_ptr<const Module> spread, const PassSeries& series, DeviceMesh mesh)
    : spread_(std::move(spread)), mesh_(std::move(mesh)) {
  for (const Computation* computation : spread_->computations()) {
    for (const Instruction* i : computation->instructions()) byName_.emplace(i->name(), i);
  }
  for (const SeriesStep& step : series.steps) {
    for (const Remark& remark : step.remarks) {
      if (auto sharded = readShardedRemark(remark)) gifts_[remark.name].push_back(*std::move(sharded));
    }
  }
}

const Instruction* MoveCauses::find(const std::string& name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second;
}

std::span<const ShardedRemark> MoveCauses::giftsOf(const std::string& name) const {
  const auto found = gifts_.find(name);
  return found == gifts_.end() ? std::span<const ShardedRemark>() : found->second;
}

MoveEnd MoveCauses::endOf(const std::string& name) const {
  MoveEnd end{.name = name};
  const Instruction* instruction = find(name);
  if (instruction == nullptr) return end;
  end.instruction = instruction->id();
  end.opcode = instruction->opcodeText();
  end.sharding = shardingText(*instruction);
  end.source = sourcePlace(*instruction);
  const auto gifts = giftsOf(name);
  if (end.sharding.empty()) {
    end.rule = "no rule gave it a sharding";
  } else if (gifts.empty()) {
    end.rule = "stated by the module";
  } else {
    end.rule = fmt::format("from {} %{} by {}", gifts.back().way, gifts.back().neighbour, gifts.back().rule);
  }
  return end;
}

std::vector<AxisNames> MoveCauses::axesOf(const std::string& sharding, const Instruction* array) const {
  Arena arena;
  const auto parsed = parseSharding(sharding, arena);
  if (!parsed || array == nullptr || !array->shape().isArray()) return {};
  return axesOfDimensions(mesh_, *parsed, array->shape().rank());
}

// What of the consumer uses the axis instead.
std::string MoveCauses::whyNotThere(const MoveCause& cause) const {
  const Instruction* consumer = find(cause.consumer.name);
  if (consumer == nullptr || cause.consumer.name == cause.producer.name) return "";
  const auto result = axesOf(cause.consumer.sharding, consumer);
  for (size_t d = 0; d < result.size(); ++d) {
    for (const std::string& axis : cause.lostAxes) {
      if (std::ranges::find(result[d], axis) != result[d].end())
        return fmt::format("; {} cuts dimension {} of %{}, {}", axis, d, cause.consumer.name,
                           cause.consumer.rule);
    }
  }
  return "";
}

std::string MoveCauses::textOf(const MoveCause& cause, const std::vector<AxisNames>& from,
                               const std::vector<AxisNames>& to, const AxisNames& along) const {
  if (cause.from.empty()) {
    if (along.empty()) return cause.what;
    return fmt::format("{} (along {})", cause.what, fmt::join(along, ", "));
  }
  const std::string value = cause.producer.name.empty() ? cause.what : "%" + cause.producer.name;
  const bool isOwn = cause.consumer.name == cause.producer.name || cause.consumer.name.empty();
  const std::string wants = isOwn ? "its sharding is" : fmt::format("%{} needs it", cause.consumer.name);
  return fmt::format("{} is {}, {} {}{}", value, from.empty() ? cause.from : wordsOf(from), wants,
                     to.empty() && cause.to != "{replicated}" ? cause.to : wordsOf(to), whyNotThere(cause));
}

MoveCause MoveCauses::causeOf(const MoveRemark& remark, const AxisNames& along) const {
  MoveCause cause{.what = remark.what, .from = remark.from, .to = remark.to};
  cause.producer = endOf(remark.producer);
  cause.consumer = endOf(remark.consumer);
  const Instruction* array = find(remark.producer);
  const auto from = axesOf(remark.from, array), to = axesOf(remark.to, array);
  cause.lostAxes = lostOf(from, to);
  cause.text = textOf(cause, from, to, along);
  return cause;
}

}  // namespace hilo
