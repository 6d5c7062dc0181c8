#include "core/analysis/cost_facts.h"

#include <algorithm>
#include <bit>

#include "core/analysis/contraction_cost.h"
#include "core/analysis/fusion_bytes.h"
#include "core/analysis/post_order_walk.h"
#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"
#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

int64_t elementsIn(Shape shape) {
  if (shape.isArray()) return shape.elementCount();
  int64_t sum = 0;
  for (const Shape element : shape.tupleShapes()) sum = saturatingAdd(sum, elementsIn(element));
  return sum;
}

Shape firstArray(Shape shape) {
  while (shape.isTuple() && !shape.tupleShapes().empty()) shape = shape.tupleShapes()[0];
  return shape;
}

void add(CostFacts& to, const CostFacts& part) {
  to.flops = saturatingAdd(to.flops, part.flops);
  to.transcendentals = saturatingAdd(to.transcendentals, part.transcendentals);
  to.bytesAccessed = saturatingAdd(to.bytesAccessed, part.bytesAccessed);
  to.tripCountUnknown |= part.tripCountUnknown;
  to.flopsUnknown |= part.flopsUnknown;
}

}  // namespace

// Counts one instruction at a time; called computations come before their callers.
class CostCounter {
 public:
  CostCounter(ModuleCost& cost, const std::vector<bool>& counted) : cost_(cost), counted_(counted) {}
  CostFacts count(const Instruction& instruction);

 private:
  static int64_t defaultBytes(const Instruction& instruction);
  void countFlops(const Instruction& instruction, CostFacts& facts) const;
  void countBytes(const Instruction& instruction, CostFacts& facts) const;
  void countControlFlow(const Instruction& instruction, CostFacts& facts) const;
  CostFacts called(const Computation* computation) const {
    if (computation == nullptr || !counted_[computation->id().value]) return {};
    return cost_.of(*computation);
  }
  // The flops of `times` applications of a scalar computation, its bytes left out: its values
  // live in registers.
  void apply(const Computation* computation, int64_t times, CostFacts& facts) const {
    const CostFacts once = called(computation);
    facts.flops = saturatingAdd(facts.flops, saturatingMultiply(once.flops, std::max<int64_t>(0, times)));
    facts.transcendentals = saturatingAdd(
        facts.transcendentals, saturatingMultiply(once.transcendentals, std::max<int64_t>(0, times)));
    facts.flopsUnknown |= once.flopsUnknown;
  }
  void applyWindowed(const Instruction& instruction, CostFacts& facts) const;

  ModuleCost& cost_;
  const std::vector<bool>& counted_;
};

int64_t CostCounter::defaultBytes(const Instruction& instruction) {
  int64_t bytes = instruction.shape().byteSize();
  for (const Instruction* operand : instruction.operands()) {
    bytes = saturatingAdd(bytes, operandReadBytes(operand->shape()));
  }
  return bytes;
}

CostFacts CostCounter::count(const Instruction& instruction) {
  CostFacts facts;
  facts.outputBytes = instruction.shape().byteSize();
  if (opcodeClass(instruction.opcode()) == OpcodeClass::ControlFlow ||
      instruction.opcode() == Opcode::AsyncStart) {
    countControlFlow(instruction, facts);
    return facts;
  }
  countFlops(instruction, facts);
  if (!hasFact(instruction.opcode(), OpFact::NoTraffic)) countBytes(instruction, facts);
  return facts;
}

void CostCounter::countControlFlow(const Instruction& instruction, CostFacts& facts) const {
  if (instruction.opcode() == Opcode::While) {
    CostFacts once = called(instruction.get<Attr::Body>());
    add(once, called(instruction.get<Attr::Condition>()));
    const int64_t trips = tripCount(instruction).value_or(-1);
    const int64_t times = trips < 0 ? 1 : trips;
    facts.flops = saturatingMultiply(once.flops, times);
    facts.transcendentals = saturatingMultiply(once.transcendentals, times);
    facts.bytesAccessed = saturatingMultiply(once.bytesAccessed, times);
    facts.tripCountUnknown = once.tripCountUnknown || trips < 0;
    facts.flopsUnknown = once.flopsUnknown;
    return;
  }
  const bool oneOfThem = instruction.opcode() == Opcode::Conditional;
  for (const Computation* computation : instruction.calledComputations()) {
    const CostFacts part = called(computation);
    if (!oneOfThem) {
      add(facts, part);
      continue;
    }
    facts.flops = std::max(facts.flops, part.flops);
    facts.transcendentals = std::max(facts.transcendentals, part.transcendentals);
    facts.bytesAccessed = std::max(facts.bytesAccessed, part.bytesAccessed);
    facts.tripCountUnknown |= part.tripCountUnknown;
    facts.flopsUnknown |= part.flopsUnknown;
  }
}

void CostCounter::applyWindowed(const Instruction& instruction, CostFacts& facts) const {
  const Window* window = instruction.get<Attr::Window>();
  int64_t windowElements = 1;
  if (window != nullptr) {
    for (const WindowDimension& d : window->dimensions) {
      windowElements = saturatingMultiply(windowElements, std::max<int64_t>(0, d.size));
    }
  }
  if (instruction.opcode() == Opcode::ReduceWindow) {
    const int64_t outputs = elementsIn(firstArray(instruction.shape()));
    apply(instruction.get<Attr::ToApply>(), saturatingMultiply(windowElements - 1, outputs), facts);
    return;
  }
  const int64_t sources = instruction.operandCount() > 1 ? elementsIn(instruction.operand(1)->shape()) : 0;
  apply(instruction.get<Attr::Select>(), saturatingMultiply(windowElements - 1, sources), facts);
  apply(instruction.get<Attr::Scatter>(), sources, facts);
}

namespace {

// As many as the same in HLO: a GEMM counts as its dot.
void countLibraryCall(const Instruction& call, CostFacts& facts) {
  const auto expanded = expandedAlone(call);
  if (!expanded) {
    facts.flopsUnknown = true;
    return;
  }
  const CostFacts counted = ModuleCost(**expanded).total();
  facts.flops = counted.flops;
  facts.transcendentals = counted.transcendentals;
  facts.tripCountUnknown = counted.tripCountUnknown;
  facts.flopsUnknown = counted.flopsUnknown;
}

}  // namespace

void CostCounter::countFlops(const Instruction& instruction, CostFacts& facts) const {
  const Opcode opcode = instruction.opcode();
  const auto operandElements = [&](size_t index) {
    return index < instruction.operandCount() ? elementsIn(firstArray(instruction.operand(index)->shape()))
                                              : 0;
  };
  if (isElementwise(opcode)) {
    (hasFact(opcode, OpFact::Transcendental) ? facts.transcendentals : facts.flops) =
        elementsIn(instruction.shape());
    return;
  }
  switch (opcode) {
    case Opcode::Dot:
    case Opcode::RaggedDot:
    case Opcode::ScaledDot:
      facts.flops = dotFlops(instruction);
      return;
    case Opcode::Convolution:
      facts.flops = convolutionFlops(instruction);
      return;
    case Opcode::Fft: {
      int64_t factors = 1;
      for (const int64_t length : instruction.get<Attr::FftLength>()) {
        factors =
            saturatingMultiply(factors, length > 0 ? std::bit_width(static_cast<uint64_t>(length)) - 1 : 0);
      }
      // A complex multiply-add is four real ones.
      facts.flops = saturatingMultiply(8, saturatingMultiply(factors, operandElements(0)));
      return;
    }
    case Opcode::TriangularSolve:
    case Opcode::Cholesky: {
      const Shape a = instruction.operandCount() > 0 ? instruction.operand(0)->shape() : Shape();
      const int64_t n = a.isArray() && a.rank() > 0 ? a.dimension(a.rank() - 1) : 0;
      facts.flops = opcode == Opcode::Cholesky
                        ? saturatingMultiply(n, operandElements(0)) / 3
                        : saturatingMultiply(2, saturatingMultiply(n, operandElements(1)));
      return;
    }
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
      // Two participants assumed, as XLA does.
      facts.flops = elementsIn(instruction.shape());
      return;
    case Opcode::Rng:
    case Opcode::RngBitGenerator:
      facts.transcendentals = elementsIn(instruction.shape());
      return;
    case Opcode::Sort: {
      const auto n = operandElements(0);
      facts.flops = n > 1 ? saturatingMultiply(n, std::bit_width(static_cast<uint64_t>(n - 1))) : 0;
      return;
    }
    case Opcode::Map:
      apply(instruction.get<Attr::ToApply>(), elementsIn(instruction.shape()), facts);
      return;
    case Opcode::Scan:
      apply(instruction.get<Attr::ToApply>(), operandElements(1), facts);
      return;
    case Opcode::Reduce:
      apply(instruction.get<Attr::ToApply>(),
            operandElements(0) - elementsIn(firstArray(instruction.shape())), facts);
      return;
    case Opcode::Scatter:
      // Operands, indices, updates: the last third are the updates.
      apply(instruction.get<Attr::ToApply>(), operandElements(instruction.operandCount() / 2 + 1), facts);
      return;
    case Opcode::ReduceWindow:
    case Opcode::SelectAndScatter:
      applyWindowed(instruction, facts);
      return;
    case Opcode::Fusion: {
      const CostFacts body = called(instruction.get<Attr::Calls>());
      add(facts, body);
      facts.bytesAccessed = 0;
      return;
    }
    case Opcode::CustomCall:
      countLibraryCall(instruction, facts);
      return;
    case Opcode::Opaque:
      facts.flopsUnknown = true;
      return;
    default:
      return;
  }
}

void CostCounter::countBytes(const Instruction& instruction, CostFacts& facts) const {
  const int64_t output = facts.outputBytes;
  const auto operandBytes = [&](size_t index) {
    return index < instruction.operandCount() ? operandReadBytes(instruction.operand(index)->shape()) : 0;
  };
  switch (instruction.opcode()) {
    case Opcode::Tuple:
      facts.bytesAccessed = operandReadBytes(instruction.shape());
      return;
    case Opcode::Slice:
      facts.bytesAccessed = saturatingMultiply(2, output);
      return;
    case Opcode::DynamicSlice:
    case Opcode::Gather:
      facts.bytesAccessed = saturatingAdd(saturatingMultiply(2, output), operandBytes(1));
      return;
    case Opcode::DynamicUpdateSlice:
      facts.bytesAccessed = saturatingAdd(saturatingMultiply(2, operandBytes(1)), operandBytes(2));
      return;
    case Opcode::Scatter: {
      const size_t results = instruction.operandCount() / 2;
      int64_t updates = 0;
      for (size_t i = results + 1; i < instruction.operandCount(); ++i)
        updates = saturatingAdd(updates, operandBytes(i));
      facts.bytesAccessed = saturatingAdd(saturatingMultiply(3, updates), operandBytes(results));
      return;
    }
    case Opcode::TriangularSolve:
      facts.bytesAccessed = saturatingAdd(output, saturatingAdd(operandBytes(0) / 2, operandBytes(1)));
      return;
    case Opcode::Cholesky:
      facts.bytesAccessed = operandBytes(0);
      return;
    case Opcode::CopyStart:
      // The result also names the source: only the copy itself moves data.
      facts.bytesAccessed = saturatingMultiply(2, operandBytes(0));
      return;
    case Opcode::Infeed:
      facts.bytesAccessed = output;
      return;
    case Opcode::Outfeed:
      for (const Instruction* operand : instruction.operands()) {
        facts.bytesAccessed = saturatingAdd(facts.bytesAccessed, operand->shape().byteSize());
      }
      return;
    case Opcode::Fusion:
      facts.bytesAccessed = fusionBytesAccessed(instruction);
      return;
    default:
      facts.bytesAccessed = defaultBytes(instruction);
      return;
  }
}

namespace {

// Called computations before their callers.
std::vector<const Computation*> calleesFirst(const Module& module) {
  IdRange ids;
  for (const Computation* c : module.computations()) ids.include(c->id().value);
  PostOrderWalk<const Computation> walk(ids);
  const auto callees = [&](const Computation* computation, std::vector<const Computation*>& needed) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* callee : instruction->calledComputations()) {
        if (callee != nullptr && ids.contains(callee->id().value)) needed.push_back(callee);
      }
    }
  };
  for (const Computation* start : module.computations()) walk.visit(start, callees);
  return walk.takeOrder();
}

}  // namespace

ModuleCost::ModuleCost(const Module& module) : facts_(module.idLimit()) {
  const auto order = calleesFirst(module);
  uint32_t idLimit = 0;
  for (const Computation* computation : order) idLimit = std::max(idLimit, computation->id().value + 1);
  computations_.resize(idLimit);
  std::vector<bool> counted(idLimit);
  CostCounter counter(*this, counted);
  for (const Computation* computation : order) {
    CostFacts sum;
    for (const Instruction* instruction : computation->instructions()) {
      const CostFacts facts = counter.count(*instruction);
      facts_[instruction->id().value] = facts;
      add(sum, facts);
    }
    if (computation->root() != nullptr) sum.outputBytes = computation->root()->shape().byteSize();
    computations_[computation->id().value] = sum;
    counted[computation->id().value] = true;
  }
  if (module.entry() != nullptr) total_ = computations_[module.entry()->id().value];
}

}  // namespace hilo
