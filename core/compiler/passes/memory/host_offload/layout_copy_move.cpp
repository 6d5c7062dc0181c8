#include "core/compiler/passes/memory/host_offload/layout_copy_move.h"

#include <algorithm>

#include "core/analysis/memory/memory_space.h"
#include "core/compiler/passes/memory/host_offload/bitcast_layout.h"
#include "core/compiler/passes/memory/host_offload/offload_paths.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

bool isRenaming(const Instruction& i) {
  return i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Copy;
}

bool isSlice(const Instruction& i) {
  return i.opcode() == Opcode::Slice || i.opcode() == Opcode::DynamicSlice;
}

Shape lyingAs(Shape shape, Layout layout, int64_t space) {
  layout.memorySpace = space;
  return shape.withLayout(&layout);
}

Instruction* createdBehind(Instruction& i, Opcode opcode, Shape shape) {
  return i.parent().create(opcode, shape, {&i}, {}, i.next());
}

}  // namespace

LayoutStep layoutStepAt(const Instruction& from, const Instruction& to) {
  switch (to.opcode()) {
    case Opcode::Bitcast:
    case Opcode::GetTupleElement:
    case Opcode::OptBarrier:
    case Opcode::Reshape:
    case Opcode::Tuple:
    case Opcode::While:
      return LayoutStep::Through;
    case Opcode::Parameter:
      return isOfHostThread(to.parent()) ? LayoutStep::Blocked : LayoutStep::Through;
    case Opcode::DynamicUpdateSlice:
      return std::ranges::count(to.operands(), &from) == 1 && to.operand(0) == &from ? LayoutStep::Through
                                                                                     : LayoutStep::Blocked;
    case Opcode::Copy:
    case Opcode::DynamicSlice:
    case Opcode::Slice:
      return LayoutStep::End;
    default:
      return isMoveToDevice(to) ? LayoutStep::End : LayoutStep::Blocked;
  }
}

Instruction* moveToDeviceBehind(Instruction& slice) {
  Instruction* at = &slice;
  while (!isMoveToDevice(*at)) {
    if (at->users().size() != 1 || at->isRoot() || (!isRenaming(*at) && !isSlice(*at))) return nullptr;
    at = at->users()[0];
  }
  return at;
}

Instruction* moveToHostBefore(Instruction& update) {
  Instruction* at = update.operand(1);
  while (!isMoveToHost(*at)) {
    if (!isRenaming(*at) || at->users().size() != 1) return nullptr;
    at = at->operand(0);
  }
  return at->users().size() == 1 ? at : nullptr;
}

std::string LayoutCopyMove::addEnd(Instruction& end, const Layout& layout) {
  if (isSlice(end) && moveToDeviceBehind(end) == nullptr)
    return fmt::format("%{} reads of it and does not lead to MoveToDevice alone", end.name());
  if (end.opcode() != Opcode::Copy) ends_.push_back({&end, layout});
  return "";
}

std::string LayoutCopyMove::add(const ValuePosition& at, const Layout& layout, const Instruction& from) {
  Instruction& i = *at.instruction;
  const LayoutStep step = layoutStepAt(from, i);
  if (step == LayoutStep::Blocked) return fmt::format("%{} needs it as it lies", i.name());
  if (i.isRoot() && i.parent().isEntry() && step == LayoutStep::Through)
    return "it is a result of the program and never comes back to the device";
  if (step == LayoutStep::End) return addEnd(i, layout);
  if (i.opcode() == Opcode::DynamicUpdateSlice && moveToHostBefore(i) == nullptr)
    return fmt::format("%{} writes over it with what is not moved to the host", i.name());
  if (i.opcode() != Opcode::Bitcast && i.opcode() != Opcode::Reshape) {
    if (layouts_.try_emplace(at, layout).second) order_.push_back(at);
    return "";
  }
  const std::optional<Layout> behind = layoutBehindBitcast(i.operand(0)->shape(), i.shape(), layout);
  if (!behind) return fmt::format("%{} splits or merges its dimensions", i.name());
  if (layouts_.try_emplace(at, *behind).second) order_.push_back(at);
  return "";
}

// What comes in at any of the positions has the new layout too: a loop carries one.
bool LayoutCopyMove::isClosed() const {
  return std::ranges::all_of(order_, [this](const ValuePosition& at) {
    return std::ranges::all_of(walk_.previous(at), [this](const ValueSource& source) {
      return source.from.instruction == &copy_ || layouts_.contains(source.from);
    });
  });
}

std::string LayoutCopyMove::plan() {
  const Shape from = copy_.operand(0)->shape();
  if (!copy_.shape().isArray() || from.layout() == nullptr || copy_.shape().layout() == nullptr)
    return "it states no layout";
  if (copy_.isRoot()) return "it is the result of its computation";
  const auto goOn = [this](const ValuePosition& at, const Layout& layout) -> std::string {
    for (const ValuePosition& to : walk_.next(at)) {
      if (std::string why = add(to, layout, *at.instruction); !why.empty()) return why;
    }
    return "";
  };
  if (std::string why = goOn({&copy_, {}}, *from.layout()); !why.empty()) return why;
  for (size_t k = 0; k < order_.size(); ++k) {
    const ValuePosition at = order_[k];
    const Layout layout = layouts_.at(at);
    if (std::string why = goOn(at, layout); !why.empty()) return why;
  }
  if (!isClosed()) return "a loop would carry it in two layouts";
  return ends_.empty() ? "it never comes back to the device" : "";
}

void LayoutCopyMove::bringBack(const End& end) {
  Instruction& i = *end.instruction;
  Instruction* back = &i;
  const Shape wanted = i.shape();
  i.setShape(lyingAs(wanted, end.layout, isMoveToDevice(i) ? kDeviceSpace : end.layout.memorySpace));
  if (!isMoveToDevice(i)) {
    bypass(*moveToDeviceBehind(i));
    back = createdBehind(i, Opcode::CustomCall, lyingAs(wanted, end.layout, kDeviceSpace));
    back->set<Attr::CustomCallTarget>("MoveToDevice");
  }
  Instruction* copy = createdBehind(*back, Opcode::Copy, wanted);
  i.parent().replaceAllUses(&i, copy);
  (back == &i ? copy : back)->setOperand(0, &i);
}

// What is written lies as what it is written to, so it is laid out so on the device, right before it moves.
void LayoutCopyMove::writeIn(Instruction& update, const Layout& layout) {
  bypass(*moveToHostBefore(update));
  Instruction* written = update.operand(1);
  const Shape wanted = lyingAs(written->shape(), layout, kDeviceSpace);
  Computation& computation = update.parent();
  if (written->shape() != wanted) written = computation.create(Opcode::Copy, wanted, {written}, {}, &update);
  Instruction* move = computation.create(Opcode::CustomCall, wanted, {written}, {}, &update);
  move->set<Attr::CustomCallTarget>("MoveToHost");
  update.setOperand(1, move);
}

void LayoutCopyMove::make() {
  for (const ValuePosition& at : order_) {
    const Layout& layout = layouts_.at(at);
    Instruction& i = *at.instruction;
    i.setShape(withSubshape(i.shape(), at.index, at.shape().withLayout(&layout)));
    if (i.opcode() == Opcode::DynamicUpdateSlice) writeIn(i, layout);
  }
  for (const End& end : ends_) bringBack(end);
  bypass(copy_);
}

}  // namespace hilo
