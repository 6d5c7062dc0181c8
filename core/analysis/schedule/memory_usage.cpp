#include "core/analysis/schedule/memory_usage.h"

#include "core/analysis/dataflow/operand_sharing.h"
#include "core/analysis/memory/memory_space.h"
#include "core/analysis/saturating.h"
#include "core/base/buckets.h"

namespace hilo {
namespace {

constexpr int64_t kPointerBytes = 8;

class HeapReplay {
 public:
  HeapReplay(const ValueLiveRanges& ranges, const std::function<int64_t(Shape)>& shapeBytes)
      : alias_(ranges.aliases()),
        ranges_(ranges),
        shapeBytes_(shapeBytes),
        defined_(valuesAt(&LiveRange::start)),
        ending_(valuesAt(&LiveRange::end)),
        freed_(alias_.dataflow().values().size()),
        shared_(alias_.buffers().size()) {
    usage_.liveBytes.resize(defined_.size());
  }

  MemoryUsage run() {
    for (size_t time = 0; time < defined_.size(); ++time) {
      for (const ValueId value : defined_[time]) {
        takeOverOperand(value, static_cast<int64_t>(time));
        take(value);
        if (live_ > usage_.peakBytes) {
          usage_.peakBytes = live_;
          usage_.peakTime = static_cast<int64_t>(time);
        }
      }
      usage_.liveBytes[time] = live_;
      for (const ValueId value : ending_[time]) release(value);
    }
    return std::move(usage_);
  }

 private:
  using Time = int64_t LiveRange::*;
  Buckets<ValueId> valuesAt(Time time) const {
    return {static_cast<size_t>(ranges_.endTime()) + 1, [&](auto put) {
              for (const HloValue& value : alias_.dataflow().values()) {
                const std::optional<LiveRange>& range = ranges_.of(value.id);
                if (range && value.instruction().opcode() != Opcode::Constant)
                  put(static_cast<size_t>((*range).*time), value.id);
              }
            }};
  }
  int64_t bytes(ValueId value) const {
    const Shape shape = alias_.dataflow().value(value).shape;
    if (shapeBytes_) return shapeBytes_(shape);
    return isOnHost(shape) ? 0 : bufferBytes(shape, kPointerBytes);
  }
  // Values of one buffer take its bytes once, however many of them are live.
  void take(ValueId value) {
    Shared& buffer = shared_[alias_.bufferOf(value).id.value];
    if (buffer.values++ > 0) return;
    buffer.bytes = bytes(value);
    live_ = saturatingAdd(live_, buffer.bytes);
  }
  void release(ValueId value) {
    if (freed_[value.value]) return;
    freed_[value.value] = true;
    Shared& buffer = shared_[alias_.bufferOf(value).id.value];
    if (--buffer.values == 0) live_ -= buffer.bytes;
  }
  bool isAlone(ValueId value) const { return alias_.bufferOf(value).values.size() == 1; }

  void takeOverOperand(ValueId id, int64_t time) {
    const HloValue& value = alias_.dataflow().value(id);
    const Instruction& user = value.instruction();
    if (!isAlone(id) || user.opcode() == Opcode::Copy) return;
    for (const Instruction* operand : user.operands()) {
      for (const ValueId given : alias_.dataflow().valuesAt(*operand)) {
        const HloValue& source = alias_.dataflow().value(given);
        if (freed_[given.value] || !ranges_.of(given) || ranges_.of(given)->end != time || !isAlone(given))
          continue;
        if (source.instruction().opcode() == Opcode::Constant) continue;
        if (std::ranges::find(user.operands(), &source.instruction()) == user.operands().end()) continue;
        if (!canShareOperandBuffer(alias_.dataflow(), source.instruction(), source.index(), user,
                                   value.index(), alias_.backend()))
          continue;
        release(given);
        return;
      }
    }
  }

  const AliasAnalysis& alias_;
  const ValueLiveRanges& ranges_;
  const std::function<int64_t(Shape)>& shapeBytes_;
  Buckets<ValueId> defined_, ending_;  // by time
  std::vector<bool> freed_;
  struct Shared {
    int64_t values = 0;  // live ones
    int64_t bytes = 0;
  };
  std::vector<Shared> shared_;  // by buffer
  int64_t live_ = 0;
  MemoryUsage usage_;
};

}  // namespace

MemoryUsage memoryUsage(const ValueLiveRanges& ranges, const std::function<int64_t(Shape)>& shapeBytes) {
  return HeapReplay(ranges, shapeBytes).run();
}

}  // namespace hilo
