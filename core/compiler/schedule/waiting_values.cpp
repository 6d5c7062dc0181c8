#include "core/compiler/schedule/waiting_values.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/analysis/saturating.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

using Action = RematerializedValue::Action;

bool isWork(const Instruction& i) {
  switch (opcodeClass(i.opcode())) {
    case OpcodeClass::ControlFlow:
    case OpcodeClass::Communication:
    case OpcodeClass::CustomCall:
      return false;
    default:
      return i.opcode() != Opcode::Rng && i.opcode() != Opcode::Opaque && i.opcode() != Opcode::Copy;
  }
}

bool isOfMainThread(const Computation& computation) {
  const std::string_view thread = computation.attributes().get<Attr::ExecutionThread>();
  return thread.empty() || thread == "main";
}

// The part of a carrier's result that is part `index` of its operand `operand`; nullopt: it passes on
// none of that part.
std::optional<ShapeIndex> partPassedOn(const Instruction& carrier, size_t operand, const ShapeIndex& index) {
  ShapeIndex passed = index;
  if (carrier.opcode() == Opcode::Tuple) {
    passed.insert(passed.begin(), static_cast<int64_t>(operand));
  } else if (carrier.opcode() == Opcode::GetTupleElement) {
    if (index.empty() || index[0] != carrier.tupleIndex()) return std::nullopt;
    passed.erase(passed.begin());
  }
  return passed;
}

// Tuples, their elements and bitcasts give what they are given.
bool isCarrier(const Instruction& i) {
  return i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::Tuple ||
         i.opcode() == Opcode::GetTupleElement;
}

Shape onHost(Shape shape, int64_t memorySpace) {
  Layout layout;
  if (shape.layout() != nullptr) {
    layout = *shape.layout();
  } else {
    for (size_t d = shape.rank(); d > 0; --d) layout.minorToMajor.push_back(static_cast<int64_t>(d) - 1);
  }
  layout.memorySpace = memorySpace;
  return shape.withLayout(&layout);
}

}  // namespace

WaitingValues::WaitingValues(const Module& module, const AliasAnalysis& alias,
                             const RematerializationOptions& options)
    : module_(module), options_(options), ranges_(alias), cost_(module) {
  findPeak();
}

void WaitingValues::findPeak() {
  const auto bytes = [&](Shape shape) {
    const bool isOnHost = options_.hostOffload && shape.isArray() && shape.layout() != nullptr &&
                          shape.layout()->memorySpace == options_.hostMemorySpace;
    return isOnHost ? 0 : paddedBytes(shape);
  };
  const MemoryUsage usage = memoryUsage(ranges_, bytes);
  peakBytes_ = usage.peakBytes;
  peakTime_ = usage.peakTime;
  if (options_.parallelThreads == 0) return;
  peakBytes_ = 0;
  const std::vector<int64_t> apart = bytesOfOtherThreads(bytes);
  for (int64_t time = 0; time < ranges_.endTime(); ++time) {
    const Instruction& instruction = *ranges_.sequence()[static_cast<size_t>(time)];
    const int64_t live = usage.liveBytes[static_cast<size_t>(time)] - apart[static_cast<size_t>(time)];
    if (!isOfMainThread(instruction.parent()) || live <= peakBytes_) continue;
    peakBytes_ = live;
    peakTime_ = time;
  }
  for (const Instruction* start : ranges_.sequence()) {
    const Computation* wrapped = asyncWrappedComputation(*start);
    if (start->opcode() != Opcode::AsyncStart || wrapped == nullptr || isOfMainThread(*wrapped)) continue;
    const ValueLiveRanges own(ranges_.aliases(), *wrapped);
    peakBytes_ = saturatingAdd(peakBytes_, memoryUsage(own, bytes).peakBytes * options_.parallelThreads);
  }
}

// What other threads' computations hold at each step, from their start until their result is taken.
std::vector<int64_t> WaitingValues::bytesOfOtherThreads(
    const std::function<int64_t(Shape)>& shapeBytes) const {
  std::vector<int64_t> bytes(static_cast<size_t>(ranges_.endTime()) + 2);
  absl::flat_hash_set<BufferId> seen;
  for (const HloValue& value : ranges_.aliases().dataflow().values()) {
    const auto& range = ranges_.of(value.id);
    if (!range || isOfMainThread(value.instruction().parent()) ||
        value.instruction().opcode() == Opcode::Constant ||
        !seen.insert(ranges_.aliases().bufferOf(value.id).id).second)
      continue;
    bytes[static_cast<size_t>(range->start)] += shapeBytes(value.shape);
    bytes[static_cast<size_t>(range->end) + 1] -= shapeBytes(value.shape);
  }
  for (size_t time = 1; time < bytes.size(); ++time) bytes[time] += bytes[time - 1];
  return bytes;
}

std::vector<WaitingValue> WaitingValues::all() const {
  std::vector<std::pair<Instruction*, std::vector<const HloValue*>>> waiting;
  absl::flat_hash_map<const Instruction*, size_t> places;
  for (const HloValue& value : ranges_.aliases().dataflow().values()) {
    const auto& range = ranges_.of(value.id);
    if (!range || range->start >= peakTime_ || range->end <= peakTime_) continue;
    Instruction* instruction = module_.instruction(value.instruction().id());
    if (instruction->opcode() == Opcode::Constant || !value.shape.isArray()) continue;
    if (options_.considers && !options_.considers(*instruction)) continue;
    const auto [place, isNew] = places.try_emplace(instruction, waiting.size());
    if (isNew) waiting.push_back({instruction, {}});
    waiting[place->second].second.push_back(&value);
  }
  std::vector<WaitingValue> found;
  for (const auto& [instruction, values] : waiting) found.push_back(consider(*instruction, values));
  std::ranges::stable_sort(found, std::greater(),
                           [](const WaitingValue& w) { return w.action == Action::Left ? -1.0 : w.score(); });
  return found;
}

WaitingValue WaitingValues::consider(Instruction& instruction,
                                     std::span<const HloValue* const> values) const {
  WaitingValue waiting{.instruction = &instruction};
  int64_t fixedBytes = 0;
  std::string reason;
  for (const HloValue* value : values) {
    std::string why = whyFixed(*value);
    if (why.empty()) why = addUses(*value, waiting);
    int64_t& bytes = why.empty() ? waiting.bytes : fixedBytes;
    bytes = saturatingAdd(bytes, paddedBytes(value->shape));
    if (reason.empty()) reason = why;
  }
  if (waiting.bytes == 0) {
    waiting.bytes = fixedBytes;
    waiting.reason = reason;
    return waiting;
  }
  std::ranges::sort(waiting.uses, {},
                    [&](const LaterUse& u) { return std::pair(ranges_.timeOf(*u.user), u.operand); });
  if (waiting.bytes < options_.minBytes) {
    waiting.reason = fmt::format("less than {} bytes are left where they are", options_.minBytes);
    return waiting;
  }
  if (options_.mainThreadOnly && !isOfMainThread(instruction.parent())) {
    waiting.reason = "it is of another thread";
    return waiting;
  }
  chooseAction(waiting);
  return waiting;
}

void WaitingValues::chooseAction(WaitingValue& waiting) const {
  if (options_.recompute) {
    int64_t longer = 0;
    waiting.reason = whyNotAgain(waiting, longer);
    if (waiting.reason.empty()) {
      waiting.bytes -= longer;
      const CostFacts& facts = cost_.of(*waiting.instruction);
      waiting.cost = 1 + static_cast<double>(saturatingAdd(facts.bytesAccessed, facts.flops));
      waiting.action = Action::Recomputed;
      return;
    }
  }
  if (!waiting.carriers.empty()) {
    if (waiting.reason.empty()) waiting.reason = "other instructions pass it on";
    return;
  }
  if (!waiting.instruction->shape().isArray()) return;
  if (options_.compress && considerCompressing(waiting)) return;
  if (options_.hostOffload) considerOffloading(waiting);
}

bool WaitingValues::considerCompressing(WaitingValue& waiting) const {
  const Shape shape = waiting.instruction->shape(), compact = compactShape(shape);
  if (compact == shape) return false;
  waiting.elsewhere = compact;
  waiting.bytes = paddedBytes(shape) - paddedBytes(compact);
  waiting.cost = 2.0 * static_cast<double>(paddedBytes(shape) + paddedBytes(compact));
  waiting.action = Action::Compressed;
  return true;
}

// Both copies must be hidden behind what runs meanwhile, and the value be away at the peak.
bool WaitingValues::considerOffloading(WaitingValue& waiting) const {
  const double needed = static_cast<double>(waiting.bytes) / static_cast<double>(options_.hostBytesPerSecond);
  double seconds = 0;
  Instruction* away = waiting.instruction->next();
  for (; away != nullptr && seconds < needed; away = away->next()) seconds += secondsOf(*away);
  seconds = 0;
  Instruction* back = waiting.uses[0].user;
  while (back->previous() != nullptr && seconds < needed) {
    back = back->previous();
    seconds += secondsOf(*back);
  }
  if (away == nullptr || startOf(*away) > peakTime_ || seconds < needed || startOf(*back) <= peakTime_) {
    waiting.reason = "copies to the host and back take longer than what runs meanwhile";
    return false;
  }
  waiting.elsewhere = onHost(waiting.instruction->shape(), options_.hostMemorySpace);
  waiting.awayBefore = away;
  waiting.backBefore = back;
  waiting.cost = 4.0 * static_cast<double>(waiting.bytes);
  waiting.action = Action::Offloaded;
  return true;
}

double WaitingValues::secondsOf(const Instruction& instruction) const {
  const CostFacts& facts = cost_.of(instruction);
  const double flops = static_cast<double>(saturatingAdd(facts.flops, facts.transcendentals));
  return std::max(flops / static_cast<double>(options_.flopsPerSecond),
                  static_cast<double>(facts.bytesAccessed) / static_cast<double>(options_.bytesPerSecond));
}

// What an instruction calls runs in front of it.
int64_t WaitingValues::startOf(const Instruction& instruction) const {
  const Instruction* previous = instruction.previous();
  return previous == nullptr ? ranges_.timeOf(instruction) : ranges_.timeOf(*previous) + 1;
}

std::string WaitingValues::whyFixed(const HloValue& value) const {
  if (value.livesOut) return "it is part of the result";
  if (value.instruction().opcode() == Opcode::Parameter) return "it is a parameter";
  if (ranges_.aliases().bufferOf(value.id).values.size() > 1) return "others are written in its place";
  return {};
}

// Where the value is in front of the peak, and in `uses` what takes it from there behind the peak; nothing
// where something runs at the peak with it.
std::vector<HloPosition> WaitingValues::placesOf(const HloValue& value, std::vector<LaterUse>& uses) const {
  std::vector<HloPosition> places = {value.definition()};
  for (size_t n = 0; n < places.size(); ++n) {
    const HloPosition place = places[n];
    for (Instruction* user : place.instruction->users()) {
      const bool isBefore = ranges_.timeOf(*user) <= peakTime_;
      if (!isBefore && startOf(*user) <= peakTime_) return {};
      if (isBefore && !isCarrier(*user)) continue;
      for (size_t k = 0; k < user->operandCount(); ++k) {
        if (user->operand(k) != place.instruction) continue;
        if (!isBefore) {
          uses.push_back({user, k});
        } else if (auto passed = partPassedOn(*user, k, place.index)) {
          places.push_back({user, *std::move(passed)});
        }
      }
    }
  }
  return places;
}

// Adds its uses and carriers; or says why nothing is won by them.
std::string WaitingValues::addUses(const HloValue& value, WaitingValue& waiting) const {
  std::vector<LaterUse> uses;
  const std::vector<HloPosition> places = placesOf(value, uses);
  if (places.empty() || uses.empty()) return "what uses it runs at the peak";
  for (const HloPosition& position : value.positions) {
    const bool isFound = ranges_.timeOf(*position.instruction) > peakTime_ ||
                         std::ranges::find(places, position) != places.end();
    if (!isFound || position.instruction->isRoot())
      return fmt::format("%{} passes it on", position.instruction->name());
  }
  for (const HloPosition& place : places) {
    if (place.instruction != waiting.instruction)
      waiting.carriers.insert(module_.instruction(place.instruction->id()));
  }
  for (const LaterUse& use : uses) {
    if (std::ranges::find(waiting.uses, use) == waiting.uses.end()) waiting.uses.push_back(use);
  }
  return {};
}

// What it is made from must be there when it is made again, or wait in its place, in `longer` bytes.
std::string WaitingValues::whyNotAgain(const WaitingValue& waiting, int64_t& longer) const {
  const Instruction& instruction = *waiting.instruction;
  if (hasSideEffect(instruction)) return "it cannot be done twice";
  if (canonicalAsyncOp(instruction, true).role != AsyncRole::None || !isWork(instruction))
    return fmt::format("{} is not done again", instruction.opcodeText());
  const int64_t when = ranges_.timeOf(*waiting.uses[0].user);
  absl::flat_hash_set<ValueId> seen;
  for (const Instruction* operand : instruction.operands()) {
    if (operand->opcode() == Opcode::Constant || operand->opcode() == Opcode::Parameter) continue;
    for (const ValueSet& values : ranges_.aliases().dataflow().valueSetsOf(*operand)) {
      for (const ValueId id : values) {
        const auto& range = ranges_.of(id);
        if (!range || range->end >= when || !seen.insert(id).second) continue;
        longer = saturatingAdd(longer, paddedBytes(ranges_.aliases().dataflow().value(id).shape));
        if (longer >= waiting.bytes || ranges_.aliases().bufferOf(id).values.size() > 1)
          return fmt::format("its operand %{} is gone by then", operand->name());
      }
    }
  }
  return {};
}

}  // namespace hilo
