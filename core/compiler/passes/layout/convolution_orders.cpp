#include "core/compiler/passes/layout/convolution_orders.h"

#include "core/compiler/passes/convolutions/cudnn_calls.h"

namespace hilo {
namespace {

enum class Role : uint8_t { Input, Filter, Output };

struct Roles {
  Role lhs, rhs, result;
};

// Of one that a library is to run, which says what it computes.
bool isConvolutionOfKind(const Instruction& i) {
  return i.opcode() == Opcode::Convolution &&
         i.get<Attr::ConvolutionKindKind>().value_or(ConvolutionKind::Unset) != ConvolutionKind::Unset;
}

Roles rolesOf(const Instruction& call) {
  if (call.opcode() == Opcode::Convolution) {
    switch (*call.get<Attr::ConvolutionKindKind>()) {
      case ConvolutionKind::Dgrad:
        return {Role::Output, Role::Filter, Role::Input};
      case ConvolutionKind::Wgrad:
        return {Role::Input, Role::Output, Role::Filter};
      default:
        return {Role::Input, Role::Filter, Role::Output};
    }
  }
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  if (target == kConvBackwardInput) return {Role::Output, Role::Filter, Role::Input};
  if (target == kConvBackwardFilter) return {Role::Input, Role::Output, Role::Filter};
  return {Role::Input, Role::Filter, Role::Output};
}

bool hasChannelsLast(const Instruction& call, const GpuLayoutSettings& settings) {
  const ElementType type = call.operand(0)->shape().elementType();
  const bool isFp8 = isFloat(type) && elementBits(type) == 8;
  if (!isFloat(type) || isFp8) return true;
  if (settings.channelsFirst || settings.channelsLast) return !settings.channelsFirst;
  const size_t spatial = call.get<Attr::DimLabels>()->inputSpatial.size();
  if (settings.capability >= 90) return type != ElementType::F64 && spatial <= 2;
  const bool isHalf = type == ElementType::F16 || type == ElementType::BF16;
  return isHalf && settings.capability >= 70 && spatial == 2;
}

DimensionOrder orderOf(int64_t first, int64_t channel, std::span<const int64_t> spatial, bool channelLast) {
  DimensionOrder order = {first};
  if (!channelLast) order.push_back(channel);
  order.insert(order.end(), spatial.begin(), spatial.end());
  if (channelLast) order.push_back(channel);
  return order;
}

DimensionOrder orderOf(Role role, const Instruction& call, const GpuLayoutSettings& settings) {
  const ConvolutionDimensionNumbers& n = *call.get<Attr::DimLabels>();
  const bool last = hasChannelsLast(call, settings);
  switch (role) {
    case Role::Input:
      return orderOf(n.inputBatch, n.inputFeature, n.inputSpatial, last);
    case Role::Filter:
      return orderOf(n.kernelOutputFeature, n.kernelInputFeature, n.kernelSpatial, last);
    case Role::Output:
      break;
  }
  return orderOf(n.outputBatch, n.outputFeature, n.outputSpatial, last);
}

// With vectors of channels (int8x4) an array has a dimension that the labels do not name.
bool isOrderable(const Instruction& call) {
  return (isCudnnConvolution(call) || isConvolutionOfKind(call)) && call.operandCount() >= 2 &&
         call.get<Attr::DimLabels>() != nullptr &&
         call.operand(0)->shape().rank() == call.get<Attr::DimLabels>()->inputSpatial.size() + 2;
}

}  // namespace

std::optional<DimensionOrder> convolutionOperandOrder(const Instruction& call, size_t index,
                                                      const GpuLayoutSettings& settings) {
  if (!isOrderable(call) || !hasLayoutOrder(call.operand(index)->shape())) return std::nullopt;
  const Roles roles = rolesOf(call);
  // Behind the two: what is added to the result.
  const Role role = index == 0 ? roles.lhs : index == 1 ? roles.rhs : roles.result;
  DimensionOrder order = orderOf(role, call, settings);
  if (order.size() != call.operand(index)->shape().rank()) return std::nullopt;
  return order;
}

std::optional<DimensionOrder> convolutionResultOrder(const Instruction& call,
                                                     const GpuLayoutSettings& settings) {
  if (!isOrderable(call) || !(call.shape().isTuple() || isConvolutionOfKind(call))) return std::nullopt;
  return orderOf(rolesOf(call).result, call, settings);
}

}  // namespace hilo
