#include "core/analysis/dataflow/value_live_ranges.h"

#include "core/analysis/async_chain.h"

namespace hilo {
namespace {

// The wrapped computation runs where its last operand is bound.
bool bindsLastOperand(const Instruction& link) {
  const Computation* wrapped = asyncWrappedComputation(link);
  if (wrapped == nullptr) return false;
  const size_t needed = wrapped->parameters().size();
  if (asyncBoundOperands(link).size() < needed) return false;
  return link.opcode() == Opcode::AsyncStart || asyncBoundOperands(*link.operand(0)).size() < needed;
}

bool isAliasedParameter(const Module& module, const HloValue& value) {
  return std::ranges::any_of(module.get<Attr::InputOutputAlias>(), [&](const AliasEntry& alias) {
    return alias.parameter == value.instruction().parameterNumber() &&
           std::ranges::equal(alias.parameterIndex, value.index());
  });
}

bool isEntryParameter(const HloValue& value) {
  return value.instruction().opcode() == Opcode::Parameter && value.instruction().parent().isEntry();
}

}  // namespace

bool isReadOnly(const Module& module, const HloValue& value) {
  return value.instruction().opcode() == Opcode::Constant ||
         (isEntryParameter(value) && !isAliasedParameter(module, value));
}

ValueLiveRanges::ValueLiveRanges(const AliasAnalysis& aliases)
    : ValueLiveRanges(aliases, aliases.dataflow().module().entry()) {}

ValueLiveRanges::ValueLiveRanges(const AliasAnalysis& aliases, const Computation& root)
    : ValueLiveRanges(aliases, &root) {}

ValueLiveRanges::ValueLiveRanges(const AliasAnalysis& aliases, const Computation* root)
    : aliases_(aliases), times_(aliases.dataflow().module().idLimit(), -1) {
  const Module& module = aliases.dataflow().module();
  uint32_t limit = 0;
  for (const Computation* computation : module.computations())
    limit = std::max(limit, computation->id().value + 1);
  spans_.resize(limit);
  asyncStart_.resize(limit);
  ranges_.resize(aliases.dataflow().values().size());
  if (root != nullptr) flatten(*root, nullptr);
  for (const HloValue& value : aliases.dataflow().values()) {
    if (timeOf(value.instruction()) >= 0) findRange(value);
  }
  normalizeBuffers();
}

void ValueLiveRanges::flatten(const Computation& computation, const Instruction* asyncStart) {
  Span& span = spans_[computation.id().value];
  if (span.start >= 0) return;
  span.start = endTime();
  asyncStart_[computation.id().value] = asyncStart;
  for (const Instruction* instruction : computation.instructions()) {
    switch (instruction->opcode()) {
      case Opcode::Call:
      case Opcode::Conditional:
        for (const Computation* called : instruction->calledComputations()) flatten(*called, asyncStart);
        break;
      case Opcode::While:
        flatten(*instruction->get<Attr::Condition>(), asyncStart);
        flatten(*instruction->get<Attr::Body>(), asyncStart);
        break;
      case Opcode::AsyncStart:
      case Opcode::AsyncUpdate:
        if (bindsLastOperand(*instruction)) {
          flatten(*asyncWrappedComputation(*instruction), asyncChainStart(*instruction));
        }
        break;
      default:
        break;
    }
    times_[instruction->id().value] = endTime();
    sequence_.push_back(instruction);
  }
  spans_[computation.id().value].end = endTime();
}

int64_t ValueLiveRanges::endOfPositions(const HloValue& value, int64_t end) const {
  for (size_t i = 1; i < value.positions.size(); ++i) {
    const Instruction& at = *value.positions[i].instruction;
    end = std::max(end, at.isRoot() ? spans_[at.parent().id().value].end : timeOf(at));
  }
  return end;
}

int64_t ValueLiveRanges::lastUse(const HloValue& value) const {
  int64_t end = -1;
  for (const HloUse& use : value.uses) {
    // What a call does with it shows inside; a loop has taken its first state when the body starts.
    if (use.instruction->opcode() == Opcode::Call) continue;
    const Instruction* used = use.instruction;
    if (used->opcode() == Opcode::While) used = used->get<Attr::Body>()->parameters()[0];
    end = std::max(end, timeOf(*used));
  }
  return end;
}

void ValueLiveRanges::findRange(const HloValue& value) {
  const Instruction& instruction = value.instruction();
  const Span& span = spans_[instruction.parent().id().value];
  LiveRange range;
  // A parameter's place is taken from the start, wherever it stands in the list.
  range.start = instruction.opcode() == Opcode::Parameter ? span.start : timeOf(instruction);
  int64_t end = instruction.isRoot() ? span.end : timeOf(instruction);
  if (const Instruction* start = asyncStart_[instruction.parent().id().value]) {
    if (const Instruction* done = asyncChainDone(*start)) end = std::max(end, timeOf(*done));
  }
  const bool isReadOnlyInput = isEntryParameter(value) && isReadOnly(instruction.module(), value);
  range.end = isReadOnlyInput ? endTime() : std::max(endOfPositions(value, end), lastUse(value));
  ranges_[value.id.value] = range;
}

// Values of one buffer follow each other: each is over when the next is written.
void ValueLiveRanges::normalizeBuffers() {
  for (const HloBuffer& buffer : aliases_.buffers()) {
    if (buffer.values.size() < 2) continue;
    std::vector<std::pair<LiveRange*, ValueId>> ranges;
    for (const ValueId id : buffer.values) {
      if (ranges_[id.value]) ranges.emplace_back(&*ranges_[id.value], id);
    }
    std::ranges::sort(ranges, {}, [](const auto& item) {
      return std::tuple(item.first->start, item.first->end, item.second);
    });
    for (size_t i = 0; i + 1 < ranges.size(); ++i) {
      LiveRange &first = *ranges[i].first, &second = *ranges[i + 1].first;
      second.end = std::max(first.end, second.end);
      first.end = std::min(first.end, second.start);
    }
  }
}

}  // namespace hilo
