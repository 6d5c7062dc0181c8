// The launch, positions in it, and where the kernel's arrays come from.
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

Status giveArray(KernelLowering& lowering, const KernelOp& op, ValueId value) {
  const auto& arrays = lowering.launch().arrays;
  const auto at = std::ranges::find(arrays, value);
  if (at == arrays.end())
    return refuse(op, fmt::format("{} is no array in global memory, and nothing gives it",
                                  lowering.kernel().values[value].name));
  const KernelType& type = lowering.kernel().type(value);
  TRY(const ElementType element, lowering.elementOf(op, value));
  const auto bytes = elementBytesOf(type);
  if (!bytes) return refuse(op, fmt::format("{} has elements that share a byte", toString(type)));
  if (std::ranges::any_of(type.shape, [](int64_t size) { return size <= 0; }))
    return refuse(op, fmt::format("{} has sizes that are not known, or no elements", toString(type)));
  lowering.give(value, MemoryView{.element = element,
                                  .elementBytes = *bytes,
                                  .dimensions = dimensionsOf(type.shape, stridesOf(type)),
                                  .base = lowering.code().parameter(static_cast<size_t>(at - arrays.begin())),
                                  .offset = lowering.code().int64(0),
                                  .alignment = std::max<int64_t>(1, 16 / *bytes)});
  return {};
}

// PTX's special registers of each operation of gpu, but for the dimension.
struct Position {
  std::string_view opcode, special;
};
constexpr Position kPositions[] = {
    {"gpu.block_dim", "ntid"},       {"gpu.block_id", "ctaid"},  {"gpu.cluster_block_id", "cluster_ctaid"},
    {"gpu.cluster_id", "clusterid"}, {"gpu.grid_dim", "nctaid"}, {"gpu.thread_id", "tid"}};

// Of gpu.launch's region, three at a time.
constexpr std::string_view kArguments[] = {"ctaid", "tid",           "nctaid",
                                           "ntid",  "cluster_ctaid", "cluster_nctaid"};

constexpr char kDimensions[] = {'x', 'y', 'z'};

}  // namespace

Status lowerArguments(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  for (ValueId value : one.results) TRY_STATUS(giveArray(lowering, one, value));
  return {};
}

Status lowerBody(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  for (ValueId value : one.regions[0].arguments) TRY_STATUS(giveArray(lowering, one, value));
  return lowering.lower(one.regions[0]);
}

Status lowerLaunch(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  if (one.regions.size() != 1) return refuse(one, "it has no body");
  const auto& arguments = one.regions[0].arguments;
  if (arguments.size() > 3 * std::size(kArguments)) return refuse(one, "its body has more than 18 arguments");
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value* number = lowering.code().special(fmt::format("{}.{}", kArguments[i / 3], kDimensions[i % 3]));
    TRY_STATUS(lowering.giveScalar(arguments[i], number));
  }
  return lowering.lower(one.regions[0]);
}

Status lowerPosition(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 0, 1));
  const auto* word = one.attribute<std::string>("dimension");
  const auto* number = one.attribute<int64_t>("dimension");
  const std::string dimension = word                                    ? *word
                                : number && *number >= 0 && *number < 3 ? std::string(1, kDimensions[*number])
                                                                        : "";
  if (dimension != "x" && dimension != "y" && dimension != "z")
    return refuse(one, "its dimension is x, y or z");
  const std::string_view special = std::ranges::find(kPositions, one.opcode, &Position::opcode)->special;
  return lowering.giveScalar(one.results[0],
                             lowering.code().special(fmt::format("{}.{}", special, dimension)));
}

Status lowerNothing(KernelLowering&, OpId) { return {}; }

}  // namespace hilo::warpgroup
