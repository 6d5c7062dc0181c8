#include "core/compiler/passes/memory/host_offload/offload_paths.h"

#include <algorithm>
#include <deque>

#include "core/analysis/memory/memory_space.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

size_t trueRank(Shape shape) {
  return static_cast<size_t>(
      std::ranges::count_if(shape.dimensions(), [](int64_t size) { return size != 1; }));
}

std::vector<int64_t> trueDimensions(Shape shape) {
  std::vector<int64_t> sizes;
  std::ranges::copy_if(shape.dimensions(), std::back_inserter(sizes), [](int64_t size) { return size != 1; });
  return sizes;
}

// What XLA lets stand between a slice on the host and the call that takes it to the device.
bool mayStandBehindSlice(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Reduce:
      return i.shape().isArray() && trueRank(i.operand(0)->shape()) == trueRank(i.shape());
    case Opcode::Tuple:
    case Opcode::OptBarrier:
    case Opcode::GetTupleElement:
    case Opcode::Parameter:
    case Opcode::While:
      return true;
    default:
      return renamesBytes(i);
  }
}

bool isCondition(const Computation& computation, const ValueWalk& walk) {
  return std::ranges::any_of(walk.callers(computation), [&](const Instruction* caller) {
    return caller->opcode() == Opcode::While && caller->get<Attr::Condition>() == &computation;
  });
}

bool isDense(const Instruction& slice) {
  return std::ranges::all_of(slice.get<Attr::Slice>(),
                             [](const SliceRange& range) { return range.stride == 1; });
}

// The slice with its starts as operands: what takes parts of the host's memory does so by these.
void makeDynamic(Instruction& slice) {
  Computation& computation = slice.parent();
  std::vector<Instruction*> operands = {slice.operand(0)};
  for (const SliceRange& range : slice.get<Attr::Slice>())
    operands.push_back(computation.createConstant(
        Literal::scalar(ElementType::S32, static_cast<int32_t>(range.start)), &slice));
  Instruction* made = computation.create(Opcode::DynamicSlice, slice.shape(), operands, {}, &slice);
  made->set<Attr::DynamicSliceSizes>(slice.shape().dimensions());
  computation.replaceAllUses(&slice, made);
  computation.remove(&slice);
}

}  // namespace

EntryShapes entryShapes(const Module& module) {
  EntryShapes entry;
  if (const ProgramShape* stated = module.get<Attr::EntryComputationLayout>(); stated != nullptr) {
    entry.parameters.assign(stated->parameters.begin(), stated->parameters.end());
    entry.result = stated->result;
    return entry;
  }
  for (const Instruction* parameter : module.entry()->parameters())
    entry.parameters.push_back(parameter->shape());
  entry.result = module.entry()->root()->shape();
  return entry;
}

bool renamesBytes(const Instruction& i) {
  if (i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::Copy) return true;
  if (i.opcode() != Opcode::Reshape) return false;
  const Shape from = i.operand(0)->shape(), to = i.shape();
  return trueDimensions(from) == trueDimensions(to) || (liesRowMajor(from) && liesRowMajor(to));
}

void bypass(Instruction& call) {
  Computation& computation = call.parent();
  computation.replaceAllUses(&call, call.operand(0));
  computation.remove(&call);
}

Place instructionPlace(const Instruction& i) {
  return {.computation = std::string(i.parent().name()), .instruction = std::string(i.name())};
}

void OffloadPaths::place(const ValuePosition& at) {
  at.instruction->setShape(withMemorySpace(at.instruction->shape(), at.index, kHostSpace));
}

void OffloadPaths::addUpdate(Instruction& update) {
  if (seenUpdates_.insert(&update).second) updates_.push_back(&update);
}

Instruction* OffloadPaths::copyToHost(Instruction& value) {
  if (isAllOnHost(value.shape())) return &value;
  Instruction*& copy = copies_[&value];
  if (copy == nullptr) {
    copy = value.parent().create(Opcode::Copy, withMemorySpace(value.shape(), kHostSpace), {&value}, {},
                                 value.next());
  }
  return copy;
}

Status OffloadPaths::computeOnHost(Instruction& i) {
  if (settings_.refusesHostCompute && !(settings_.allowsHostCopies && i.opcode() == Opcode::Copy)) {
    return fail(
        "host-compute-disabled",
        fmt::format("%{} computes with a value on the host, and the host is not to compute", i.name()),
        instructionPlace(i), {"move its operands to the device with MoveToDevice"});
  }
  context_.remark(i, "on-host",
                  "computes with a value on the host, so the host does it, which is slow; "
                  "MoveToDevice in front of it brings the work to the device");
  markHostCompute(i);
  return {};
}

bool OffloadPaths::endsOnDevice(Instruction& slice) const {
  std::deque<ValuePosition> open;
  absl::flat_hash_set<ValuePosition> seen;
  const auto add = [&](const ValuePosition& at) {
    for (const ValuePosition& to : walk_.next(at)) {
      if (!isMoveToDevice(*to.instruction) && seen.insert(to).second) open.push_back(to);
    }
  };
  for (add({&slice, {}}); !open.empty(); open.pop_front()) {
    if (!mayStandBehindSlice(*open.front().instruction)) return false;
    add(open.front());
  }
  return true;
}

OffloadPaths::Step OffloadPaths::stepAt(Instruction& i, Ends& ends) const {
  if (isMoveToDevice(i)) {
    ends.movesToDevice.push_back(&i);
    return Step::End;
  }
  if (arrivals_.contains(&i)) return Step::End;
  if (isMoveToHost(i)) ends.movesToHost.push_back(&i);
  if (passesOn(i) || i.opcode() == Opcode::DynamicUpdateSlice) return Step::Pass;
  if (i.opcode() == Opcode::Copy) {
    const bool isPlain = withoutHostSpace(i.shape()) == withoutHostSpace(i.operand(0)->shape());
    return isPlain ? Step::Compute : Step::Pass;
  }
  const bool isSlice = i.opcode() == Opcode::Slice && isDense(i);
  if ((!isSlice && i.opcode() != Opcode::DynamicSlice) || !endsOnDevice(i)) return Step::Compute;
  if (isSlice) ends.slices.push_back(&i);
  return Step::End;
}

Status OffloadPaths::verifyResult(const ValuePosition& at, const Instruction& origin) const {
  if (!at.instruction->isRoot() || !at.instruction->parent().isEntry()) return {};
  const std::optional<Shape> result = subshapeAt(entry_.result, at.index);
  if (!result || isAllOnHost(*result)) return {};
  return fail("host-result-on-device",
              fmt::format("the result {} of the program is on the host from %{} on, and the program's layout "
                          "has it on the device",
                          toString(at.index), origin.name()),
              instructionPlace(origin),
              {"put MoveToDevice in front of the result, or S(5) in its layout in entry_computation_layout"});
}

Status OffloadPaths::verifyCondition(const Instruction& i) const {
  if (!isCondition(i.parent(), walk_)) return {};
  return fail(
      "host-value-in-condition",
      fmt::format("the condition %{} of a loop computes %{} with an array that is written on the host",
                  i.parent().name(), i.name()),
      instructionPlace(i));
}

Status OffloadPaths::follow(std::vector<ValuePosition> starts, const Instruction& origin) {
  return followAll(std::move(starts), origin, false);
}

Status OffloadPaths::followBuffer(std::vector<ValuePosition> starts, const Instruction& origin) {
  return followAll(std::move(starts), origin, true);
}

Status OffloadPaths::followAll(std::vector<ValuePosition> starts, const Instruction& origin, bool isBuffer) {
  Ends ends;
  absl::flat_hash_set<ValuePosition> seen;
  std::vector<ValuePosition> placed;
  std::deque<ValuePosition> open;
  const auto add = [&](const ValuePosition& at) {
    if (!isAllOnHost(at.shape()) && seen.insert(at).second) open.push_back(at);
  };
  for (std::ranges::for_each(starts, add); !open.empty(); open.pop_front()) {
    const ValuePosition at = open.front();
    Instruction& i = *at.instruction;
    const Step step = stepAt(i, ends);
    if (step == Step::End) continue;
    if (step == Step::Compute) {
      if (isBuffer) TRY_STATUS(verifyCondition(i));
      TRY_STATUS(computeOnHost(i));
    }
    if (i.opcode() == Opcode::DynamicUpdateSlice) {
      addUpdate(i);
    } else {
      placed.push_back(at);
    }
    TRY_STATUS(verifyResult(at, origin));
    std::ranges::for_each(walk_.next(at), add);
  }
  std::ranges::for_each(placed, [this](const ValuePosition& at) { place(at); });
  finish(ends);
  return {};
}

void OffloadPaths::finish(const Ends& ends) {
  for (Instruction* move : ends.movesToDevice) {
    Instruction* data = move->operand(0);
    const Shape shape = withMemorySpace(data->shape(), kDeviceSpace);
    Instruction* copy = data->parent().create(Opcode::Copy, shape, {data}, {}, move);
    arrivals_.insert(copy);
    move->setOperand(0, copy);
  }
  for (Instruction* move : ends.movesToHost) bypass(*move);
  for (Instruction* slice : ends.slices) makeDynamic(*slice);
}

}  // namespace hilo
