#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/layout_sites.h"

namespace hilo::warpgroup {

using inference::LayoutConstant;
using inference::SharedTransforms;
using inference::ValueSite;
using llvm::Value;

namespace {

constexpr int64_t kScratchAlignment = 1024;

int64_t roundUp(int64_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

struct NamedLowering {
  std::string_view opcode;
  OpLowering lower;
  int64_t major = 0;  // 0: on every GPU
};
constexpr NamedLowering kLowerings[] = {
#define LOWERING(opcode, function) {opcode, function},
#define LOWERING_OF(major, opcode, function) {opcode, function, major},
#include "core/compiler/codegen/warpgroup/lowerings.def"
#undef LOWERING
};

}  // namespace

OpLowering findLowering(std::string_view opcode) {
  const auto at = std::ranges::find(kLowerings, opcode, &NamedLowering::opcode);
  return at == std::end(kLowerings) ? nullptr : at->lower;
}

bool isLoweredFor(std::string_view opcode, int64_t major) {
  const auto at = std::ranges::find(kLowerings, opcode, &NamedLowering::opcode);
  return at == std::end(kLowerings) || at->major == 0 || at->major == major;
}

const KernelOp* firstOfGeneration(const KernelDescription& kernel, int64_t major) {
  for (const KernelOp& op : kernel.ops)
    if (isLoweredFor(op.opcode, major) && !isLoweredFor(op.opcode, 0)) return &op;
  return nullptr;
}

Status needs(const KernelOp& op, size_t operands, size_t results) {
  if (op.operands.size() < operands || op.results.size() < results)
    return refuse(op, fmt::format("it has {} operands and {} results; {} and {} are needed",
                                  op.operands.size(), op.results.size(), operands, results));
  return {};
}

Result<Sizes> listOf(const KernelOp& op, const std::string& name) {
  if (const auto* list = op.attribute<Sizes>(name)) return *list;
  return refuse(op, fmt::format("it has no list {}", name));
}

KernelLowering::KernelLowering(ThreadCode& code, const KernelDescription& kernel,
                               const KernelLayouts& layouts, const LaunchForm& launch,
                               const PlacedCopies& copies, int64_t scratchRoom)
    : code_(code),
      kernel_(kernel),
      layouts_(layouts),
      launch_(launch),
      copies_(copies),
      scratchRoom_(scratchRoom),
      usesTensorMemory_(firstOfGeneration(kernel, 10) != nullptr) {}

Result<RegisterLayout> KernelLowering::layoutOf(const KernelOp& op, ValueId value,
                                                const ValueSite& site) const {
  const KernelType& type = kernel_.type(value);
  if (type.kind != KernelType::Kind::Vector) return RegisterLayout(SplatLayout{});
  const LayoutConstant* layout = layoutAt(layouts_, site);
  const auto* registers = layout ? std::get_if<RegisterLayout>(layout) : nullptr;
  if (!registers) return refuse(op, fmt::format("{} has no layout in registers", kernel_.values[value].name));
  return *registers;
}

Result<RegisterLayout> KernelLowering::operandLayout(OpId op, size_t index) const {
  return layoutOf(this->op(op), this->op(op).operands[index],
                  {op, ValueSite::Kind::Operand, static_cast<uint32_t>(index)});
}

Result<RegisterLayout> KernelLowering::resultLayout(OpId op, size_t index) const {
  return layoutOf(this->op(op), this->op(op).results[index],
                  {op, ValueSite::Kind::Result, static_cast<uint32_t>(index)});
}

Result<RegisterMap> KernelLowering::resultMap(OpId op, size_t index) const {
  TRY(const RegisterLayout layout, resultLayout(op, index));
  return RegisterMap::of(layout, kernel_.type(this->op(op).results[index]).shape);
}

Result<SharedTransforms> KernelLowering::resultTransforms(OpId op) const {
  return transformsAt(kernel_, layouts_, {op, ValueSite::Kind::Result, 0});
}

Result<RegisterArray> KernelLowering::array(OpId op, size_t index) {
  const KernelOp& one = this->op(op);
  const auto at = arrays_.find(one.operands[index]);
  if (at == arrays_.end())
    return refuse(one, fmt::format("{} is not in registers", kernel_.values[one.operands[index]].name));
  const ValueSite site{op, ValueSite::Kind::Operand, static_cast<uint32_t>(index)};
  if (at->second.map.shape().empty() || !layoutAt(layouts_, site)) return at->second;
  TRY(const RegisterLayout wanted, operandLayout(op, index));
  return laidOut(one, at->second, wanted);
}

Result<TensorView> KernelLowering::tensor(OpId op, size_t index) {
  const ValueId value = this->op(op).operands[index];
  const auto at = tensors_.find(value);
  if (at == tensors_.end())
    return refuse(this->op(op), fmt::format("{} is not in tensor memory", kernel_.values[value].name));
  return at->second;
}

Result<RegisterMap> KernelLowering::resultTensorMap(OpId op) const {
  const LayoutConstant* layout = layoutAt(layouts_, {op, ValueSite::Kind::Result, 0});
  const auto* tensor = layout ? std::get_if<inference::TensorLayout>(layout) : nullptr;
  if (!tensor) return refuse(this->op(op), "its result has no layout in tensor memory");
  return RegisterMap::of(tensor->layout, kernel_.type(this->op(op).results[0]).shape);
}

Result<Value*> KernelLowering::scalar(OpId op, size_t index) {
  TRY(const RegisterArray one, array(op, index));
  if (!one.map.shape().empty()) return refuse(this->op(op), "a scalar is wanted");
  return one.elements[0].value;
}

Result<MemoryView> KernelLowering::memory(OpId op, size_t index) {
  const ValueId value = this->op(op).operands[index];
  const auto at = views_.find(value);
  if (at == views_.end())
    return refuse(this->op(op),
                  fmt::format("{} is no array in global or shared memory", kernel_.values[value].name));
  return at->second;
}

Result<ElementType> KernelLowering::elementOf(const KernelOp& op, ValueId value) const {
  const auto type = elementTypeNamed(kernel_.type(value).element);
  if (type) return *type;
  return refuse(op, fmt::format("elements of {} are not lowered", kernel_.type(value).element));
}

Status KernelLowering::giveScalar(ValueId value, Value* number) {
  TRY(const ElementType type, elementOf(op(kernel_.values[value].op), value));
  give(value, scalarArray(type, {b().CreateZExtOrTrunc(number, scalars().valueType(type))}));
  return {};
}

Result<RegisterArray> KernelLowering::laidOut(const KernelOp& op, RegisterArray array,
                                              const RegisterLayout& layout) {
  if (array.map.layout() == layout) return array;
  TRY(const RegisterMap map, RegisterMap::of(layout, array.map.shape()));
  if (auto local = gathered({&array, 1}, map, [](const Sizes& index) { return Origin{0, index}; }))
    return *std::move(local);
  if (std::holds_alternative<SplatLayout>(layout))
    return refuse(op, "not all elements are known to be equal");
  MemoryView view;
  view.element = array.type;
  view.elementBytes = static_cast<int64_t>(scalars().storageType(array.type)->getScalarSizeInBits()) / 8;
  view.dimensions = dimensionsOf(map.shape(), inference::rowMajorStrides(map.shape()));
  view.base = scratch(elementCount(map.shape()) * view.elementBytes);
  view.offset = code_.int64(0);
  view.alignment = 16;
  code_.warpgroupBarrier();
  storeArray(code_, view, array);
  code_.warpgroupBarrier();
  return loadArray(code_, view, map);
}

// Behind what the kernel itself asks for.
Value* KernelLowering::scratch(int64_t bytes) {
  scratchBytes_ = std::max(scratchBytes_, roundUp(bytes));
  Value* group = b().CreateUDiv(code_.thread(), code_.int64(kThreadsOfWarpgroup));
  Value* place = b().CreateAdd(code_.int64(roundUp(launch_.sharedBytes)),
                               b().CreateMul(group, code_.int64(scratchRoom_)));
  return b().CreatePtrAdd(code_.shared(), place);
}

Status KernelLowering::lower(const std::vector<OpId>& ops) {
  for (const OpId id : ops) {
    auto status = findLowering(op(id).opcode)(*this, id);
    if (status) continue;
    if (status.error().place.line == 0) status.error().place.line = op(id).line;
    return status;
  }
  return {};
}

}  // namespace hilo::warpgroup
