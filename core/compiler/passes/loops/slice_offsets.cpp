#include "core/compiler/passes/loops/slice_offsets.h"

#include <fmt/format.h>

#include <charconv>

#include "core/analysis/saturating.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr std::string_view kPart = "dynamic_slice_config";

// 0 where there is none.
int64_t numberOf(const Instruction& slice, std::string_view field) {
  const std::string text = gpuConfig(slice, kPart, field);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void setNumber(Instruction& slice, std::string_view field, int64_t number) {
  setGpuConfig(slice, kPart, field, fmt::format("\"{}\"", number));
}

void moveOffset(Instruction& slice, const CopiedIterations& iterations) {
  if (gpuConfig(slice, kPart, "loop_index").empty()) return;
  const int64_t loop = numberOf(slice, "loop_index"), stride = numberOf(slice, "byte_stride");
  if (loop > 0) {
    if (iterations.isOutside) setGpuConfig(slice, kPart, "loop_index", std::to_string(loop - 1));
    return;
  }
  const int64_t offset = numberOf(slice, "byte_offset");
  setNumber(slice, "byte_offset", saturatingAdd(offset, saturatingMultiply(iterations.first, stride)));
  setNumber(slice, "byte_stride", saturatingMultiply(iterations.step, stride));
  if (iterations.step == 0) eraseGpuConfig(slice, kPart, "loop_index");
}

}  // namespace

void moveSliceOffsets(Instruction& instruction, const CopiedIterations& iterations) {
  if (instruction.opcode() == Opcode::DynamicSlice || instruction.opcode() == Opcode::DynamicUpdateSlice)
    moveOffset(instruction, iterations);
  if (instruction.opcode() != Opcode::Fusion) return;
  for (Computation* fused : instruction.calledComputations()) {
    for (Instruction* i : fused->instructions()) moveSliceOffsets(*i, iterations);
  }
}

}  // namespace hilo
