#include "core/compiler/passes/convolutions/f8_convolution_graph.h"

#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/convolutions/forward_call.h"
#include "core/compiler/passes/convolutions/pointwise_graph.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/move_readers.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Scale = PointwiseGraph::Scale;

bool isF8(const Instruction& i) {
  const ElementType type = i.shape().elementType();
  return isFloat(type) && elementBits(type) == 8 && type != ElementType::F8E8M0FNU;
}

// An operand that is 8 bit floats, widened, or widened and scaled.
struct NarrowOperand {
  Instruction* value;
  std::optional<Scale> scale;
};

std::optional<NarrowOperand> narrowOperandOf(Instruction* operand, ElementType result) {
  if (isF8(*operand)) return NarrowOperand{operand, std::nullopt};
  const auto widened = [](Instruction* i) {
    return i->opcode() == Opcode::Convert && isF8(*i->operand(0)) ? i->operand(0) : nullptr;
  };
  if (Instruction* value = widened(operand)) return NarrowOperand{value, std::nullopt};
  const bool divides = operand->opcode() == Opcode::Divide;
  if (!divides && operand->opcode() != Opcode::Multiply) return std::nullopt;
  for (size_t side = 0; side < (divides ? 1U : 2U); ++side) {
    Instruction* value = widened(operand->operand(side));
    Instruction* scalar = algebra::scalarBehind(*operand->operand(1 - side));
    if (value != nullptr && scalar != nullptr && scalar->shape().elementType() == result)
      return NarrowOperand{value, Scale{scalar, divides}};
  }
  return std::nullopt;
}

Instruction* makeGraphCall(const ForwardCall& call, const PointwiseGraph& graph,
                           const PointwiseGraph::Choice& choice, Instruction& before) {
  std::vector<Shape> results = {graph.node(choice.result).value->shape()};
  for (const size_t n : choice.maxima) results.push_back(graph.node(n).value->shape());
  results.push_back(call.call->shape().tupleShapes()[1]);
  Instruction* made = before.parent().createLike(*call.call, call.operands, &before);
  made->setShape(Shape::tuple(results));
  made->set<Attr::CustomCallTarget>(kConvForwardGraph);
  setGpuConfig(*made, "cudnn_conv_backend_config", "serialized_graph",
               fmt::format("\"{}\"", graph.text(choice)));
  return made;
}

bool makeGraph(Instruction& element, PassContext& context) {
  auto call = forwardCallOf(&element);
  if (!call || call->isFused()) return false;
  std::vector<Scale> scales;
  for (Instruction*& operand : call->operands) {
    const auto narrow = narrowOperandOf(operand, call->type);
    if (!narrow) return false;
    operand = narrow->value;
    if (narrow->scale) scales.push_back(*narrow->scale);
  }
  if (!context.mayChange(element)) return false;
  const PointwiseGraph graph(element, scales);
  const PointwiseGraph::Choice choice = graph.choose();
  const std::vector<Instruction*> outsides = graph.outsides(choice);
  call->operands.insert(call->operands.end(), outsides.begin(), outsides.end());
  Instruction& result = *graph.node(choice.result).value;
  Instruction* made = makeGraphCall(*call, graph, choice, result);
  context.remark(result, "fused", fmt::format("a graph of {} operations", choice.nodes.size()));
  Computation& computation = element.parent();
  std::vector<Instruction*> given = {elementOfTuple(made, 0, result)};
  for (size_t m = 0; m < choice.maxima.size(); ++m)
    given.push_back(elementOfTuple(made, static_cast<int64_t>(m) + 1, result));
  computation.replaceAllUses(&result, given[0]);
  for (size_t m = 0; m < choice.maxima.size(); ++m)
    computation.replaceAllUses(graph.node(choice.maxima[m]).value, given[m + 1]);
  moveReadersBehind(*call->call, *made, given);
  return true;
}

}  // namespace

bool makeF8ConvolutionGraphs(Computation& computation, PassContext& context) {
  std::vector<Instruction*> elements;
  for (Instruction* i : computation.instructions()) {
    if (i->opcode() == Opcode::GetTupleElement && isCudnnConvolution(*i->operand(0))) elements.push_back(i);
  }
  bool changed = false;
  for (Instruction* element : elements) {
    if (context.cancelled()) return changed;
    if (!element->users().empty() || element->isRoot()) changed |= makeGraph(*element, context);
  }
  return changed;
}

}  // namespace hilo
