#include "core/compiler/passes/collectives/sub_byte_collectives.h"

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// How many elements lie in a byte; 1 where they are not packed, or fill no whole number of bytes along the
// dimension that lies innermost.
int64_t elementsInByte(Shape shape) {
  const Layout* layout = shape.isArray() ? shape.layout() : nullptr;
  if (layout == nullptr || shape.rank() == 0 || shape.elementType() == ElementType::Pred) return 1;
  const int64_t bits = elementBits(shape.elementType());
  if (bits >= 8 || layout->elementSizeInBits != bits) return 1;
  const int64_t ratio = 8 / bits;
  return shape.dimension(static_cast<size_t>(layout->minorToMajor[0])) % ratio == 0 ? ratio : 1;
}

// Each device's part of what is split is whole bytes.
bool splitsAtBytes(const Instruction& allToAll, int64_t ratio) {
  if (!allToAll.has(Attr::Dimensions)) return true;
  const auto devices = groupSizeOf(allToAll);
  const int64_t size = allToAll.shape().dimension(static_cast<size_t>(allToAll.dimensions()[0]));
  return devices && size % (*devices * ratio) == 0;
}

bool sendsPacked(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::AllGather:
    case Opcode::AllToAll:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermute:
      break;
    default:
      return false;
  }
  if (i.operandCount() != 1 || !i.shape().isArray()) return false;
  const int64_t ratio = elementsInByte(i.operand(0)->shape());
  return ratio > 1 && elementsInByte(i.shape()) == ratio &&
         (i.opcode() != Opcode::AllToAll || splitsAtBytes(i, ratio));
}

// s4[4,8] as s4[4,4,2]: the elements of a byte are a dimension of their own, which lies innermost.
Shape withElementsOfBytes(Shape shape, int64_t ratio) {
  Layout layout = *shape.layout();
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[static_cast<size_t>(layout.minorToMajor[0])] /= ratio;
  layout.minorToMajor.insert(layout.minorToMajor.begin(), static_cast<int64_t>(sizes.size()));
  sizes.push_back(ratio);
  return Shape::array(shape.elementType(), sizes, &layout);
}

Shape asBytes(Shape shape, int64_t ratio) {
  Layout layout = *shape.layout();
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[static_cast<size_t>(layout.minorToMajor[0])] /= ratio;
  layout.elementSizeInBits = 0;
  return Shape::array(ElementType::S8, sizes, &layout);
}

Instruction* sentAsBytes(Instruction& collective) {
  Computation& computation = collective.parent();
  Instruction* value = collective.operand(0);
  const int64_t ratio = elementsInByte(value->shape());
  Instruction* apart = bitcastTo(value, withElementsOfBytes(value->shape(), ratio), collective);
  Instruction* bytes =
      computation.create(Opcode::BitcastConvert, asBytes(value->shape(), ratio), {apart}, {}, &collective);
  Instruction* sent = computation.createLike(collective, {{bytes}}, &collective);
  sent->setShape(asBytes(collective.shape(), ratio));
  Instruction* back = computation.create(
      Opcode::BitcastConvert, withElementsOfBytes(collective.shape(), ratio), {sent}, {}, &collective);
  return bitcastTo(back, collective.shape(), collective);
}

}  // namespace

Result<bool> sendSubBytesAsBytes(Module& module, PassContext& context) {
  return rewriteEach(module, context, "sent as bytes", sendsPacked, sentAsBytes);
}

}  // namespace hilo
