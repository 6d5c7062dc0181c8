#include "core/compiler/schedule/memory_pressure.h"

#include "core/analysis/async_chain.h"
#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int kMaxCallDepth = 200;
constexpr int64_t kPointerBytes = 8;

bool inDefaultMemory(Shape shape) { return shape.layout() == nullptr || shape.layout()->memorySpace == 0; }

bool isEntryParameter(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Parameter && instruction.parent().isEntry();
}

}  // namespace

absl::InlinedVector<const Computation*, 2> calledForMemory(const Instruction& instruction) {
  absl::InlinedVector<const Computation*, 2> called;
  switch (instruction.opcode()) {
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::Call:
    case Opcode::AsyncStart:
      for (const Computation* computation : instruction.calledComputations()) {
        if (computation != nullptr) called.push_back(computation);
      }
      break;
    default:
      break;
  }
  return called;
}

BufferInfoTracker::BufferInfoTracker(const Module& module, const AliasAnalysis& alias,
                                     const std::function<int64_t(Shape)>& shapeBytes)
    : alias_(alias), infos_(alias.buffers().size()) {
  for (const HloBuffer& buffer : alias.buffers()) {
    const Shape shape = alias.dataflow().value(buffer.values[0]).shape;
    infos_[buffer.id.value].bytes = shapeBytes ? shapeBytes(shape) : bufferBytes(shape, kPointerBytes);
    infos_[buffer.id.value].defaultMemorySpace = inDefaultMemory(shape);
  }
  for (const Computation* c : module.computations()) {
    if (c->id().value >= visited_.size()) visited_.resize(c->id().value + 1);
  }
  if (module.entry() != nullptr) walk(*module.entry(), -1, 0);
}

void BufferInfoTracker::noteParts(const Instruction& instruction, int32_t frame) {
  for (const ValueSet& values : alias_.dataflow().valueSetsOf(instruction)) {
    for (const ValueId value : values) {
      Info& info = infos_[alias_.bufferOf(value).id.value];
      if (info.firstDefinition != nullptr) continue;
      info.firstDefinition = info.lastUse = &instruction;
      info.frame = frame;
    }
  }
}

void BufferInfoTracker::walk(const Computation& computation, int32_t frame, int depth) {
  if (depth > kMaxCallDepth || visited_[computation.id().value]) return;
  visited_[computation.id().value] = true;
  for (const Instruction* instruction : computation.instructions()) {
    for (const Computation* called : calledForMemory(*instruction)) {
      frames_.push_back({instruction, frame});
      walk(*called, static_cast<int32_t>(frames_.size()) - 1, depth + 1);
    }
    noteParts(*instruction, frame);
    for (const Instruction* operand : instruction->operands()) {
      if (instruction->opcode() == Opcode::GetTupleElement) break;
      for (const ValueSet& values : alias_.dataflow().valueSetsOf(*operand)) {
        for (const ValueId value : values) infos_[alias_.bufferOf(value).id.value].lastUse = instruction;
      }
    }
  }
}

bool BufferInfoTracker::definedWithin(BufferId id, const Instruction& instruction) const {
  if (calledForMemory(instruction).empty()) return false;
  for (int32_t frame = infos_[id.value].frame; frame >= 0;
       frame = frames_[static_cast<size_t>(frame)].outer) {
    if (frames_[static_cast<size_t>(frame)].call == &instruction) return true;
  }
  return false;
}

MemoryPressureTracker::MemoryPressureTracker(const Computation& computation, const AliasAnalysis& alias,
                                             const BufferInfoTracker& buffers, const PressureStates& states,
                                             bool topDown)
    : alias_(alias),
      buffers_(buffers),
      states_(states),
      topDown_(topDown),
      ids_(idsOf(computation)),
      indexOf_(ids_.size()) {
  findOutputs(computation);
  slotOf_.reserve(computation.instructionCount());
  for (const Instruction* instruction : computation.instructions()) {
    Span span{.start = static_cast<uint32_t>(touched_.size())};
    addAllocations(*instruction);
    span.allocated = static_cast<uint32_t>(touched_.size()) - span.start;
    addReleases(*instruction);
    span.released = static_cast<uint32_t>(touched_.size()) - span.start - span.allocated;
    spans_.push_back(span);
  }
  placeOfSlot_.assign(bufferOfSlot_.size(), kDead);
}

void MemoryPressureTracker::touch(BufferId buffer) {
  const auto [slot, isNew] = slotOf_.try_emplace(buffer.value, static_cast<uint32_t>(bufferOfSlot_.size()));
  if (isNew) bufferOfSlot_.push_back(buffer);
  touched_.push_back(slot->second);
}

void MemoryPressureTracker::makeLive(uint32_t slot) {
  placeOfSlot_[slot] = static_cast<uint32_t>(liveSlots_.size());
  liveSlots_.push_back(slot);
}

void MemoryPressureTracker::makeDead(uint32_t slot) {
  const uint32_t place = std::exchange(placeOfSlot_[slot], kDead);
  const uint32_t last = liveSlots_.back();
  liveSlots_.pop_back();
  if (last == slot) return;
  liveSlots_[place] = last;
  placeOfSlot_[last] = place;
}

void MemoryPressureTracker::findOutputs(const Computation& computation) {
  for (const Instruction* instruction : computation.instructions()) {
    indexOf_[instruction->id().value - ids_.first] = static_cast<uint32_t>(firstOutput_.size());
    firstOutput_.push_back(static_cast<uint32_t>(outputs_.size()));
    bool top = true;
    for (const ValueSet& values : alias_.dataflow().valueSetsOf(*instruction)) {
      absl::InlinedVector<BufferId, 2> ids;
      for (const ValueId value : values) {
        const BufferId id = alias_.bufferOf(value).id;
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
      }
      for (const BufferId id : ids) outputs_.push_back({id, top});
      top = false;
    }
  }
  firstOutput_.push_back(static_cast<uint32_t>(outputs_.size()));
}

std::span<const MemoryPressureTracker::Output> MemoryPressureTracker::outputsOf(
    const Instruction& instruction) const {
  CHECK(ids_.contains(instruction.id().value), instruction.name());
  const uint32_t index = indexOf(instruction);
  return std::span(outputs_).subspan(firstOutput_[index], firstOutput_[index + 1] - firstOutput_[index]);
}

bool MemoryPressureTracker::defines(const Instruction& instruction, BufferId buffer) const {
  const BufferInfoTracker::Info& info = buffers_.info(buffer);
  return info.firstDefinition == &instruction || buffers_.definedWithin(buffer, instruction);
}

bool MemoryPressureTracker::lastUses(const Instruction& instruction, BufferId buffer) const {
  const Instruction* last = buffers_.info(buffer).lastUse;
  if (last == &instruction) return true;
  if (instruction.opcode() != Opcode::AsyncStart && instruction.opcode() != Opcode::AsyncDone) return false;
  const Instruction* wrapped = asyncWrappedInstruction(instruction);
  if (wrapped == nullptr) return false;
  if (wrapped->opcode() == Opcode::Call) return wrapped->get<Attr::ToApply>()->root() == last;
  return wrapped == last;
}

// From the root up a buffer becomes live with its last reader, which is met first; top-down with its maker.
void MemoryPressureTracker::addAllocations(const Instruction& instruction) {
  const bool passesOn =
      instruction.opcode() == Opcode::GetTupleElement || instruction.opcode() == Opcode::Bitcast;
  const auto add = [&](const Instruction& of) {
    for (const Output& output : outputsOf(of)) {
      if (passesOn && !output.top) break;
      const BufferInfoTracker::Info& info = buffers_.info(output.buffer);
      if (info.defaultMemorySpace && info.firstDefinition != nullptr &&
          !isEntryParameter(*info.firstDefinition))
        touch(output.buffer);
    }
  };
  if (topDown_) return add(instruction);
  for (const Instruction* operand : instruction.operands()) add(*operand);
}

void MemoryPressureTracker::addReleases(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Parameter) return;
  const auto add = [&](const Instruction& of, auto&& ends) {
    for (const Output& output : outputsOf(of)) {
      if (buffers_.info(output.buffer).defaultMemorySpace && ends(output.buffer)) touch(output.buffer);
    }
  };
  if (!topDown_) return add(instruction, [&](BufferId id) { return defines(instruction, id); });
  for (const Instruction* operand : instruction.operands())
    add(*operand, [&](BufferId id) { return lastUses(instruction, id); });
}

void MemoryPressureTracker::reset(std::span<const BufferId> initiallyLive) {
  live_ = initial_ = 0;
  state_ = {.liveAtBottom = {initiallyLive.begin(), initiallyLive.end()}};
  for (const uint32_t slot : liveSlots_) placeOfSlot_[slot] = kDead;
  liveSlots_.clear();
  liveAround_.clear();
  for (const BufferId id : initiallyLive) {
    if (!buffers_.info(id).defaultMemorySpace) continue;
    initial_ += buffers_.info(id).bytes;
    if (const auto slot = slotOf_.find(id.value); slot == slotOf_.end()) {
      liveAround_.push_back(id);
    } else if (!isLive(slot->second)) {
      makeLive(slot->second);
    }
  }
}

int64_t MemoryPressureTracker::calledPeak(const Instruction& instruction) const {
  int64_t peak = 0;
  for (const Computation* called : calledForMemory(instruction)) {
    const auto state = states_.find(called);
    if (state != states_.end()) peak = std::max(peak, state->second.peakBytes);
  }
  return peak;
}

MemoryPressureTracker::Change MemoryPressureTracker::changeOf(const Instruction& instruction) const {
  const Span& span = spans_[indexOf(instruction)];
  Change change;
  for (uint32_t i = 0; i < span.allocated; ++i) {
    const uint32_t slot = touched_[span.start + i];
    if (!isLive(slot)) change.increase += bytesOf(slot);
  }
  change.peak = std::max(change.increase, calledPeak(instruction));
  for (uint32_t i = 0; i < span.released; ++i) {
    const uint32_t slot = touched_[span.start + span.allocated + i];
    if (isLive(slot)) change.increase -= bytesOf(slot);
  }
  return change;
}

void MemoryPressureTracker::update(const Instruction& instruction) {
  const Span& span = spans_[indexOf(instruction)];
  state_.peakBytes = std::max(state_.peakBytes, live_ + calledPeak(instruction));
  for (uint32_t i = 0; i < span.allocated; ++i) {
    const uint32_t slot = touched_[span.start + i];
    if (isLive(slot)) continue;
    makeLive(slot);
    live_ += bytesOf(slot);
  }
  state_.peakBytes = std::max(state_.peakBytes, live_);
  for (uint32_t i = 0; i < span.released; ++i) {
    const uint32_t slot = touched_[span.start + span.allocated + i];
    if (!isLive(slot)) continue;
    makeDead(slot);
    live_ -= bytesOf(slot);
  }
}

std::vector<BufferId> MemoryPressureTracker::liveBuffers() const {
  std::vector<BufferId> live = liveAround_;
  for (const uint32_t slot : liveSlots_) live.push_back(bufferOfSlot_[slot]);
  return live;
}

ModulePressureState::ModulePressureState(const Module& module, const AliasAnalysis& alias, bool topDown,
                                         const std::function<int64_t(Shape)>& shapeBytes)
    : module_(module), alias_(alias), buffers_(module, alias, shapeBytes), topDown_(topDown) {
  compute();
}

void ModulePressureState::compute() {
  states_.clear();
  if (module_.entry() != nullptr) walk(*module_.entry(), {}, 0);
}

void ModulePressureState::walk(const Computation& computation, std::span<const BufferId> live, int depth) {
  if (depth > kMaxCallDepth) return;
  MemoryPressureTracker& tracker = this->tracker(computation);
  tracker.reset(live);
  const Instruction* at = topDown_ ? computation.first() : computation.last();
  for (; at != nullptr; at = topDown_ ? at->next() : at->previous()) {
    for (const Computation* called : calledForMemory(*at)) {
      if (!isTracked(*called)) walk(*called, tracker.liveBuffers(), depth + 1);
    }
    tracker.update(*at);
  }
  states_[&computation] = tracker.state();
}

MemoryPressureTracker& ModulePressureState::tracker(const Computation& computation) {
  std::unique_ptr<MemoryPressureTracker>& tracker = trackers_[&computation];
  if (tracker == nullptr)
    tracker = std::make_unique<MemoryPressureTracker>(computation, alias_, buffers_, states_, topDown_);
  return *tracker;
}

void ModulePressureState::update(const Computation& computation, MemoryPressureState state) {
  states_[&computation] = std::move(state);
}

int64_t ModulePressureState::peakBytes() const {
  int64_t peak = 0;
  for (const auto& [computation, state] : states_) peak = std::max(peak, state.peakBytes);
  return peak;
}

}  // namespace hilo
