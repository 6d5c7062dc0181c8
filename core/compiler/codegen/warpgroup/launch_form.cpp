#include "core/compiler/codegen/warpgroup/launch_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"

namespace hilo::warpgroup {

using namespace inference;

namespace {

bool isGlobalMemory(const KernelType& type) {
  return type.kind == KernelType::Kind::Memory && type.space == MemorySpace::Global;
}

// Operands of gpu.launch before and behind the sizes of the grid and the block.
struct LaunchOperands {
  size_t first = 0;
  bool hasClusters = false;
  std::optional<size_t> shared;
};
Result<LaunchOperands> operandsOf(const KernelOp& op) {
  const auto* segments = op.attribute<Sizes>("operandSegmentSizes");
  if (!segments) {
    if (op.operands.size() != 6 && op.operands.size() != 7)
      return refuse(op, "it has three sizes of the grid, three of a block, and bytes of shared memory");
    return LaunchOperands{0, false, op.operands.size() == 7 ? std::optional<size_t>(6) : std::nullopt};
  }
  if (segments->size() < 11) return refuse(op, "operandSegmentSizes has at least 11 numbers");
  LaunchOperands operands{static_cast<size_t>((*segments)[0]), (*segments)[7] == 1, std::nullopt};
  const size_t next = operands.first + (operands.hasClusters ? 9 : 6);
  if ((*segments)[10] == 1) operands.shared = next;
  if (operands.first != 0 || op.operands.size() < next + operands.shared.has_value())
    return refuse(op, "operandSegmentSizes are not those of its operands");
  return operands;
}

Result<Extents> extentsAt(const KernelDescription& kernel, const KernelOp& op, size_t first) {
  Extents extents;
  for (size_t i = 0; i < 3; ++i) {
    const auto size = constantOf(kernel, op.operands[first + i]);
    if (!size || *size <= 0)
      return refuse(op, fmt::format("{} is not known before it runs, or not positive",
                                    kernel.values[op.operands[first + i]].name));
    extents[i] = *size;
  }
  return extents;
}

Status readLaunch(const KernelDescription& kernel, const KernelOp& op, LaunchForm& form) {
  TRY(const LaunchOperands operands, operandsOf(op));
  TRY(form.grid, extentsAt(kernel, op, operands.first));
  TRY(form.block, extentsAt(kernel, op, operands.first + 3));
  if (operands.hasClusters) {
    TRY(form.cluster, extentsAt(kernel, op, operands.first + 6));
  }
  const int64_t threads = form.block[0] * form.block[1] * form.block[2];
  if (threads % kThreadsOfWarpgroup != 0 || threads > 1024)
    return refuse(op, fmt::format("{} threads: a block has up to 8 whole warpgroups of 128", threads));
  if (!operands.shared) return {};
  const auto bytes = constantOf(kernel, op.operands[*operands.shared]);
  if (!bytes || *bytes < 0) return refuse(op, "its shared memory is not known before it runs");
  form.sharedBytes = *bytes;
  return {};
}

Status reachShared(const KernelDescription& kernel, const KernelOp& op, bool isSaid, LaunchForm& form) {
  const auto* offset = op.attribute<int64_t>("offset");
  if (!offset) return refuse(op, "it has no offset");
  const auto bytes = elementBytesOf(kernel.type(op.results[0]));
  if (!bytes) return refuse(op, "elements that share a byte are not lowered");
  const int64_t end = *offset + elementCount(kernel.type(op.results[0]).shape) * *bytes;
  if (isSaid && end > form.sharedBytes)
    return refuse(op, fmt::format("it ends at byte {} of shared memory, of which the launch gives {}", end,
                                  form.sharedBytes));
  form.sharedBytes = std::max(form.sharedBytes, end);
  return {};
}

void addArrays(const KernelDescription& kernel, const std::vector<ValueId>& values, LaunchForm& form) {
  for (ValueId value : values)
    if (isGlobalMemory(kernel.type(value))) form.arrays.push_back(value);
}

}  // namespace

std::unexpected<Diagnostic> refuse(const KernelOp& op, const std::string& what) {
  return fail("kernel-lowering", fmt::format("{}: {}", op.opcode, what), {.line = op.line});
}

std::optional<int64_t> constantOf(const KernelDescription& kernel, ValueId value) {
  const KernelValue& made = kernel.values[value];
  if (made.region >= 0) return std::nullopt;
  const KernelOp& op = kernel.ops[made.op];
  if ((op.opcode == "arith.index_cast" || op.opcode == "arith.index_castui") && op.operands.size() == 1)
    return constantOf(kernel, op.operands[0]);
  if (op.opcode != "arith.constant") return std::nullopt;
  const auto* number = op.attribute<int64_t>("value");
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<int64_t> elementBytesOf(const KernelType& type) {
  if (type.element == "barrier") return 8;
  if (type.element == "i1") return 1;
  if (type.element == "tf32") return 4;
  const int64_t bits = elementBits(type);
  if (bits == 0 || bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

int64_t KernelArray::bytes() const {
  int64_t last = 0;
  const Sizes strides = stridesOf(type);
  for (size_t i = 0; i < strides.size(); ++i) last += (type.shape[i] - 1) * strides[i];
  return (last + 1) * elementBytes;
}

Result<LaunchForm> launchFormOf(const KernelDescription& kernel) {
  LaunchForm form;
  const KernelOp* launch = nullptr;
  for (const KernelOp& op : kernel.ops) {
    if (op.opcode == "func.func") {
      if (const auto* name = op.attribute<std::string>("sym_name")) form.name = *name;
      if (op.regions.size() != 1) return refuse(op, "it has no body");
      addArrays(kernel, op.regions[0].arguments, form);
    } else if (op.opcode == "llvm.mlir.undef") {
      addArrays(kernel, op.results, form);
    } else if (op.opcode == "gpu.launch") {
      if (launch) return refuse(op, "a second launch");
      launch = &op;
      TRY_STATUS(readLaunch(kernel, op, form));
    }
  }
  const bool isSaid = form.sharedBytes > 0;
  for (const KernelOp& op : kernel.ops)
    if (op.opcode == "mosaic_gpu.slice_smem" && op.results.size() == 1)
      TRY_STATUS(reachShared(kernel, op, isSaid, form));
  return form;
}

}  // namespace hilo::warpgroup
