#include "core/compiler/passes/fusion/op_cycles.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace hilo {
namespace {

constexpr double kOtherCycles = 3;
// A warp that stands across the border of two operands does the work of both.
constexpr double kConcatenateCycles = 6, kUnevenConcatenateCycles = 400;

struct Cycles {
  double onSm80, onSm90;
};
using CyclesByOp = absl::flat_hash_map<std::pair<Opcode, ElementType>, Cycles>;

const CyclesByOp& cyclesByOp() {
  static const CyclesByOp kTable = {
#define OP_CYCLES(op, type, sm80, sm90) {{Opcode::op, ElementType::type}, {sm80, sm90}},
#include "core/compiler/passes/fusion/op_cycles.def"
  };
  return kTable;
}

double cyclesOf(Opcode opcode, ElementType type, int64_t capability) {
  const auto found = cyclesByOp().find({opcode, type});
  if (found == cyclesByOp().end()) return kOtherCycles;
  return capability < 90 ? found->second.onSm80 : found->second.onSm90;
}

double elementsOf(const Shape shape) {
  if (shape.isArray()) return static_cast<double>(shape.elementCount());
  double sum = 0;
  for (const Shape part : shape.tupleShapes()) sum += elementsOf(part);
  return sum;
}

bool computes(const Instruction& i) {
  return isElementwise(i.opcode()) && i.opcode() != Opcode::Copy && i.opcode() != Opcode::Bitcast &&
         i.shape().isArray();
}

double reducerOps(const Computation* reducer, int64_t capability) {
  double ops = 0;
  for (const Instruction* i : reducer->instructions()) {
    if (computes(*i) && i->operandCount() > 0)
      ops += cyclesOf(i->opcode(), i->shape().elementType(), capability);
  }
  return ops;
}

double concatenateOps(const Instruction& i) {
  const auto dimension = static_cast<size_t>(i.dimensions()[0]);
  const bool isUneven = dimension > 0 && i.operand(0)->shape().dimension(dimension) % 32 != 0;
  return (isUneven ? kUnevenConcatenateCycles : kConcatenateCycles) * elementsOf(i.shape());
}

}  // namespace

double vectorOps(const Instruction& i, int64_t capability) {
  switch (i.opcode()) {
    case Opcode::Reduce: {
      const double results = elementsOf(i.shape().isArray() ? i.shape() : i.shape().tupleShapes()[0]);
      const double times = elementsOf(i.operand(0)->shape()) - results;
      return std::max(0.0, times) * reducerOps(i.get<Attr::ToApply>(), capability);
    }
    case Opcode::ReduceWindow: {
      double window = 1;
      for (const auto& dimension : i.get<Attr::Window>()->dimensions)
        window *= static_cast<double>(dimension.size);
      const Shape result = i.shape().isArray() ? i.shape() : i.shape().tupleShapes()[0];
      return elementsOf(result) * (window - 1) * reducerOps(i.get<Attr::ToApply>(), capability);
    }
    case Opcode::Concatenate:
      return concatenateOps(i);
    default:
      return computes(i) && i.operandCount() > 0
                 ? cyclesOf(i.opcode(), i.shape().elementType(), capability) * elementsOf(i.shape())
                 : 0;
  }
}

}  // namespace hilo
