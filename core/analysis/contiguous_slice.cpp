#include "core/analysis/contiguous_slice.h"

namespace hilo {
namespace {

bool isOneRun(Shape whole, Shape part, std::span<const SliceRange> ranges) {
  const Layout row = Layout::descending(whole.rank());
  const Layout& layout = whole.layout() == nullptr ? row : *whole.layout();
  bool isCut = false;
  for (const int64_t d : layout.minorToMajor) {
    const auto at = static_cast<size_t>(d);
    if (isCut && part.dimension(at) != 1) return false;
    if (part.dimension(at) >= whole.dimension(at)) continue;
    if (!ranges.empty() && ranges[at].stride != 1 && part.dimension(at) > 1) return false;
    isCut = true;
  }
  return true;
}

}  // namespace

bool isContiguousSlice(const Instruction& slicing) {
  const bool writes = slicing.opcode() == Opcode::DynamicUpdateSlice;
  const bool reads = slicing.opcode() == Opcode::DynamicSlice;
  if ((!reads && !writes && slicing.opcode() != Opcode::Slice) || slicing.operandCount() < (writes ? 2U : 1U))
    return false;
  const Shape whole = slicing.operand(0)->shape(),
              part = writes ? slicing.operand(1)->shape() : slicing.shape();
  if (!whole.isArray() || !part.isArray() || part.rank() != whole.rank()) return false;
  const auto ranges = slicing.get<Attr::Slice>();
  if (slicing.opcode() == Opcode::Slice && ranges.size() != whole.rank()) return false;
  return isOneRun(whole, part, ranges);
}

}  // namespace hilo
