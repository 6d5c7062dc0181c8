// Programs of grids written by hand: the one kernel adds an array to another.
#pragma once

#include "core/runtime/executor/device_executor.h"
#include "tests/unit/runtime/device/add_ptx.h"

namespace hilo {

inline constexpr int64_t kElements = 16;
inline constexpr int64_t kArrayBytes = 4 * kElements;

// Of one s32[16] parameter, allocation 0, and one result of that shape, allocation 1; nothing to run yet.
// Further temporary allocations of the same size follow.
inline Program gridProgram(uint32_t temporaries = 1) {
  Program program;
  program.name = "by_hand";
  program.target = {.triple = "nvptx64-nvidia-cuda", .processor = "sm_75", .features = {}};
  program.parameters = {Shape::array(ElementType::S32, {kElements})};
  program.parameterNames = {"p"};
  program.result = program.parameters[0];
  program.resultNames = {"r"};
  program.allocations = {{AllocationKind::Parameter, kArrayBytes, 0}};
  for (uint32_t i = 0; i < temporaries; ++i)
    program.allocations.push_back({AllocationKind::Temporary, kArrayBytes, 0});
  program.resultSlices = {ReadSlice({1, 0, kArrayBytes})};
  program.objects = {{addPtx(), "add.ptx"}};
  GridLaunch launch{.gridX = 1, .blockX = kElements, .parameters = {0, 1}};
  program.kernels = {{"add", "add_s32", 0, std::move(launch)}};
  program.sequences.resize(1);
  return program;
}

inline Thunk copyThunk(std::string name, uint32_t from, uint32_t to) {
  return {.name = std::move(name),
          .body = CopyThunk{ReadSlice({from, 0, kArrayBytes}), WriteSlice({to, 0, kArrayBytes})}};
}
inline Thunk addThunk(std::string name, uint32_t from, uint32_t to) {
  return {.name = std::move(name),
          .body = KernelThunk{.kernel = 0,
                              .arguments = {ReadSlice({from, 0, kArrayBytes})},
                              .results = {WriteSlice({to, 0, kArrayBytes})}}};
}

inline Literal counted(int32_t first) {
  Literal literal(Shape::array(ElementType::S32, {kElements}));
  for (int32_t i = 0; i < kElements; ++i) literal.mutableData<int32_t>()[static_cast<size_t>(i)] = first + i;
  return literal;
}

}  // namespace hilo
