#include "core/analysis/kernel_layouts/inference/kernel_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"

namespace hilo::inference {
namespace {

std::string sizeText(int64_t size) { return size == kDynamicSize ? "?" : std::to_string(size); }

std::string shapeText(const KernelType& type) {
  std::string text;
  for (int64_t size : type.shape) text += sizeText(size) + "x";
  return text + type.element;
}

std::string_view spaceText(MemorySpace space) {
  switch (space) {
    case MemorySpace::Shared:
      return ", smem";
    case MemorySpace::Tensor:
      return ", tmem";
    case MemorySpace::Registers:
    case MemorySpace::Global:
    case MemorySpace::None:
      break;
  }
  return "";
}

}  // namespace

int64_t elementBits(const KernelType& type) {
  const std::string& element = type.element;
  if (element == "index") return 64;
  // i4, f32, bf16, tf32, f8E4M3FN, f4E2M1FN: the number behind the letters.
  const size_t digits = element.find_first_of("0123456789");
  if (digits == std::string::npos || digits > 2) return 0;
  int64_t bits = 0;
  std::from_chars(element.data() + digits, element.data() + element.size(), bits);
  return bits;
}

Sizes stridesOf(const KernelType& type) {
  return type.strides.empty() ? rowMajorStrides(type.shape) : type.strides;
}

bool isTransposed(const KernelType& type) {
  const Sizes strides = stridesOf(type);
  for (size_t i = 1; i < strides.size(); ++i)
    if (strides[i] > strides[i - 1]) return true;
  return false;
}

MemorySpace layoutSpace(const KernelType& type) {
  if (elementBits(type) == 0 || type.space == MemorySpace::Global) return MemorySpace::None;
  return type.space;
}

std::string toString(const KernelType& type) {
  switch (type.kind) {
    case KernelType::Kind::Scalar:
      return type.element;
    case KernelType::Kind::Vector:
      return fmt::format("vector<{}>", shapeText(type));
    case KernelType::Kind::Memory:
      break;
  }
  const std::string strides =
      type.strides.empty() ? "" : fmt::format(", strided[{}]", fmt::join(type.strides, ", "));
  return fmt::format("memref<{}{}{}>", shapeText(type), strides, spaceText(type.space));
}

const KernelOp* KernelDescription::terminator(const KernelRegion& region) const {
  return region.ops.empty() ? nullptr : &ops[region.ops.back()];
}

std::vector<std::vector<KernelUse>> KernelDescription::uses() const {
  std::vector<std::vector<KernelUse>> all(values.size());
  for (OpId op = 0; op < ops.size(); ++op)
    for (uint32_t i = 0; i < ops[op].operands.size(); ++i) all[ops[op].operands[i]].push_back({op, i});
  return all;
}

}  // namespace hilo::inference
