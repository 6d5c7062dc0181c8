#include "core/compiler/passes/convolutions/cudnn_calls.h"

#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::string_view nameOf(std::string_view target) {
  if (target == kConvBackwardInput) return "cudnn-conv-bw-input";
  if (target == kConvBackwardFilter) return "cudnn-conv-bw-filter";
  return target == kConvBiasActivation ? "cudnn-conv-bias-activation" : "cudnn-conv";
}

}  // namespace

bool isCudnnConvolution(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == kConvForward || target == kConvBackwardInput || target == kConvBackwardFilter ||
         target == kConvBiasActivation || target == kConvForwardGraph;
}

Instruction* makeCudnnCall(Instruction& before, std::string_view target, Shape shape,
                           std::span<Instruction* const> operands, std::span<const WindowDimension> window,
                           const ConvolutionDimensionNumbers& numbers, int64_t groups) {
  const Shape results[] = {shape, arrayLike(shape, ElementType::U8, std::vector<int64_t>{0})};
  Instruction* call = before.parent().create(Opcode::CustomCall, Shape::tuple(results), operands,
                                             before.module().uniqueName(nameOf(target)), &before);
  call->set<Attr::CustomCallTarget>(target);
  const Window whole{window};
  call->set<Attr::Window>(&whole);
  call->set<Attr::DimLabels>(&numbers);
  if (groups != 1) call->set<Attr::FeatureGroupCount>(groups);
  if (const auto stated = before.get<Attr::OperandPrecision>(); !stated.empty())
    call->set<Attr::OperandPrecision>(stated);
  call->set<Attr::BackendConfig>(R"({"cudnn_conv_backend_config":{"conv_result_scale":1}})");
  if (const OpMetadata* metadata = before.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  return call;
}

}  // namespace hilo
