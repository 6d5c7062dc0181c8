#include "core/compiler/passes/memory/dynamic_slice_annotator.h"

#include <algorithm>

#include "core/analysis/contiguous_slice.h"
#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/scalar_value.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kMostTrips = 1 << 16;
constexpr std::string_view kPart = "dynamic_slice_config";

// The slice, what it is cut from, and the offset of each dimension.
struct Slicing {
  const Instruction& instruction;
  Shape whole, part;
  const Instruction& offset(size_t d) const {
    return *instruction.operand(d + (instruction.opcode() == Opcode::DynamicSlice ? 1 : 2));
  }
  bool isWhole(size_t d) const { return whole.dimension(d) == part.dimension(d); }
};

std::vector<int64_t> minorToMajor(Shape shape) {
  return shape.layout() == nullptr ? Layout::descending(shape.rank()).minorToMajor
                                   : shape.layout()->minorToMajor;
}

std::optional<int64_t> byteOffset(const Slicing& slicing, const KnownScalar& known) {
  int64_t offset = 0, stride = elementStorageBytes(slicing.whole.elementType());
  for (const int64_t d : minorToMajor(slicing.whole)) {
    const auto at = static_cast<size_t>(d);
    if (!slicing.isWhole(at)) {
      const auto value = scalarValue(slicing.offset(at), known);
      if (!value) return std::nullopt;
      offset = saturatingAdd(offset, saturatingMultiply(*value, stride));
    }
    stride = saturatingMultiply(stride, slicing.whole.dimension(at));
  }
  return offset;
}

// The instruction that alone runs a computation: the loop whose body it is, the call or async-start; null
// where several do.
using Runners = absl::flat_hash_map<const Computation*, const Instruction*>;

const Instruction* runnerOf(const Computation& computation, const Runners& runners) {
  const auto found = runners.find(&computation);
  return found == runners.end() ? nullptr : found->second;
}

// A parameter of a called computation is what the call is given; `known` has the rest. So often at most:
// where each of many parameters is made of many others, there are more ways than anyone could wait for.
class ThroughCalls {
 public:
  ThroughCalls(const Runners& runners, const KnownScalar& known) : runners_(runners), known_(known) {}

  KnownScalar asKnown() {
    return [this](const Instruction& i) { return valueOf(i); };
  }

 private:
  std::optional<int64_t> valueOf(const Instruction& i) {
    if (i.opcode() != Opcode::Parameter) return known_(i);
    const Instruction* runner = runnerOf(i.parent(), runners_);
    if (runner == nullptr || runner->opcode() == Opcode::While || --left_ < 0) return std::nullopt;
    return scalarValue(*runner->operand(static_cast<size_t>(i.parameterNumber())), asKnown());
  }

  const Runners& runners_;
  const KnownScalar& known_;
  int left_ = 1000;
};

std::optional<int64_t> byteOffset(const Slicing& slicing, const Runners& runners, const KnownScalar& known) {
  return byteOffset(slicing, ThroughCalls(runners, known).asKnown());
}

// The loop in whose body the slice is, or a call of the computation it is in; null: in none.
const Instruction* loopAround(const Instruction& slice, const Runners& runners) {
  const Instruction* runner = runnerOf(slice.parent(), runners);
  while (runner != nullptr && runner->opcode() != Opcode::While) runner = runnerOf(runner->parent(), runners);
  return runner;
}

struct Place {
  bool isInLoop;
  int64_t offset, stride;
};

std::optional<Place> placeInLoop(const Slicing& slicing, const Instruction& loop, const Runners& runners) {
  const auto counter = inductionVariable(loop);
  if (!counter || counter->trips < 1 || counter->trips > kMostTrips) return std::nullopt;
  const Instruction* carried = loop.get<Attr::Body>()->parameters()[0];
  std::vector<int64_t> offsets;
  for (int64_t trip = 0; trip < counter->trips; ++trip) {
    const KnownScalar known = [&](const Instruction& i) -> std::optional<int64_t> {
      const bool isCounter = i.opcode() == Opcode::GetTupleElement && i.operand(0) == carried &&
                             i.tupleIndex() == counter->tupleIndex;
      return isCounter ? std::optional(counter->init + trip * counter->step) : std::nullopt;
    };
    const auto offset = byteOffset(slicing, runners, known);
    if (!offset) return std::nullopt;
    offsets.push_back(*offset);
  }
  const int64_t stride = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (size_t k = 1; k < offsets.size(); ++k) {
    if (offsets[k] - offsets[k - 1] != stride) return std::nullopt;
  }
  return Place{true, offsets[0], stride};
}

std::optional<Place> placeOf(const Slicing& slicing, const Runners& runners) {
  const KnownScalar nothing = [](const Instruction&) { return std::optional<int64_t>(); };
  if (const auto fixed = byteOffset(slicing, runners, nothing)) return Place{false, *fixed, 0};
  const Instruction* loop = loopAround(slicing.instruction, runners);
  return loop == nullptr ? std::nullopt : placeInLoop(slicing, *loop, runners);
}

bool annotate(Instruction& slice, const Place& place) {
  bool changed = place.isInLoop && setGpuConfig(slice, kPart, "loop_index", "0");
  changed |= setGpuConfig(slice, kPart, "byte_offset", fmt::format("\"{}\"", place.offset));
  changed |= setGpuConfig(slice, kPart, "byte_stride", fmt::format("\"{}\"", place.stride));
  return changed;
}

Runners runnersIn(const Module& module) {
  Runners runners;
  const auto add = [&](const Computation* computation, const Instruction* by) {
    const auto [at, isNew] = runners.try_emplace(computation, by);
    if (!isNew) at->second = nullptr;
  };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::While) add(i->get<Attr::Body>(), i);
      if (i->opcode() != Opcode::Call && i->opcode() != Opcode::AsyncStart) continue;
      for (const Computation* called : i->calledComputations()) add(called, i);
    }
  }
  return runners;
}

}  // namespace

Result<bool> annotateDynamicSlices(Module& module, PassContext& context) {
  const Runners runners = runnersIn(module);
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::DynamicSlice && i->opcode() != Opcode::DynamicUpdateSlice) continue;
      const bool reads = i->opcode() == Opcode::DynamicSlice;
      const Slicing slicing{*i, i->operand(0)->shape(), reads ? i->shape() : i->operand(1)->shape()};
      if (!isPlainArray(slicing.whole) || slicing.whole.rank() + (reads ? 1 : 2) != i->operandCount() ||
          !isContiguousSlice(*i))
        continue;
      const auto place = placeOf(slicing, runners);
      if (!place) {
        context.remark(*i, "missed", "its offset does not follow a loop's counter evenly");
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      changed |= annotate(*i, *place);
    }
  }
  return changed;
}

}  // namespace hilo
