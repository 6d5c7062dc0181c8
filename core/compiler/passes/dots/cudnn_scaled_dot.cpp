#include "core/compiler/passes/dots/cudnn_scaled_dot.h"

#include <fmt/format.h>

#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/block_scaling.h"

namespace hilo {
namespace {

struct Format {
  ElementType values, scales;
  int64_t blockSize;
};
constexpr Format kFormats[] = {
    {ElementType::F8E4M3FN, ElementType::F8E8M0FNU, 32},  // MXFP8
    {ElementType::F8E5M2, ElementType::F8E8M0FNU, 32},    // MXFP8
    {ElementType::F4E2M1FN, ElementType::F8E4M3FN, 16},   // NVFP4
};

const Format* formatOf(const CudnnOperand& operand) {
  for (const Format& format : kFormats) {
    if (operand.values.elementType() == format.values && operand.scales.elementType() == format.scales &&
        operand.blockSize == format.blockSize)
      return &format;
  }
  return nullptr;
}

// Whatever an element's size in bits.
bool isRowMajor(Shape shape) { return shape.layout() == nullptr || shape.layout()->isDescending(); }

std::optional<std::string> operandRefusal(const CudnnOperand& operand) {
  if (!isRowMajor(operand.values) || !isRowMajor(operand.scales)) return "an operand is not row-major";
  const std::string what =
      fmt::format("{} with a scale {} for {} elements", elementTypeName(operand.values.elementType()),
                  elementTypeName(operand.scales.elementType()), operand.blockSize);
  if (formatOf(operand) == nullptr) return what + " is neither MXFP8 nor NVFP4";
  if (operand.values.dimensions().back() % operand.blockSize != 0)
    return fmt::format("blocks of {} do not divide {}", operand.blockSize,
                       operand.values.dimensions().back());
  return std::nullopt;
}

bool isOwnParameter(const Instruction& value, int64_t number) {
  return value.opcode() == Opcode::Parameter && value.get<Attr::ParameterNumber>() == number &&
         value.users().size() == 1;
}

bool sumsLast(const Instruction& dot) {
  const auto last = static_cast<int64_t>(dot.operand(0)->shape().rank()) - 1;
  const auto is = [](std::span<const int64_t> list, int64_t value) {
    return list.size() == 1 && list[0] == value;
  };
  if (!is(dot.get<Attr::LhsContractingDims>(), last) || !is(dot.get<Attr::RhsContractingDims>(), last))
    return false;
  if (last == 1) return dot.get<Attr::LhsBatchDims>().empty();
  return last == 2 && is(dot.get<Attr::LhsBatchDims>(), 0) && is(dot.get<Attr::RhsBatchDims>(), 0);
}

}  // namespace

std::string cudnnVersionText(int64_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::optional<std::string> cudnnRefusal(const CudnnOperand& lhs, const CudnnOperand& rhs) {
  for (const CudnnOperand* operand : {&lhs, &rhs}) {
    if (auto why = operandRefusal(*operand)) return why;
  }
  const Format *left = formatOf(lhs), *right = formatOf(rhs);
  if (left->scales != right->scales) return "one operand is MXFP8, the other NVFP4";
  if (left->values == ElementType::F8E5M2 && right->values == ElementType::F8E5M2)
    return "both operands are f8e5m2";
  return std::nullopt;
}

std::optional<std::string> cudnnFusionRefusal(const Instruction& scaledDot) {
  for (int64_t n = 0; n < 4; ++n) {
    if (!isOwnParameter(*scaledDot.operand(static_cast<size_t>(n)), n))
      return fmt::format("operand {} is no parameter of that number, read once", n);
  }
  if (!sumsLast(scaledDot))
    return "the summed dimension is not the last, or the batch dimension not the first";
  const auto side = [&](size_t n) {
    const Shape values = scaledDot.operand(n)->shape(), scales = scaledDot.operand(n + 2)->shape();
    return CudnnOperand{values, scales, library::blockSizeOf(values, scales).value_or(0)};
  };
  return cudnnRefusal(side(0), side(1));
}

}  // namespace hilo
