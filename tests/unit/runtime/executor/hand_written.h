// Programs written by hand, for tests that run without a compiler: kernels from reducers.c.
#pragma once

#include <fstream>
#include <iterator>

#include "core/runtime/program/program.h"

namespace hilo {

// Of one s32[n] parameter and one s32[m] result, with room for temporaries; nothing to run yet. Allocation 0
// holds temporaries, 1 is the parameter, 2 the ids. Kernel 0 adds, kernel 1 crashes.
inline Program emptyProgram(int64_t n, int64_t m) {
  constexpr int64_t kRoom = int64_t{1} << 16;
  Program program;
  program.name = "by_hand";
  program.target.triple = "x86_64-pc-linux-gnu";
  program.parameters = {Shape::array(ElementType::S32, {n})};
  program.parameterNames = {"p"};
  program.result = Shape::array(ElementType::S32, {m});
  program.resultNames = {"r"};
  program.allocations = {{AllocationKind::Temporary, kRoom, 0},
                         {AllocationKind::Parameter, 4 * n, 0},
                         {AllocationKind::DeviceIds, kDeviceIdsBytes, 0}};
  program.resultSlices = {ReadSlice({0, 0, 4 * m})};
  std::ifstream in(HILO_TEST_KERNELS, std::ios::binary);
  const std::vector<char> object((std::istreambuf_iterator<char>(in)), {});
  const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
  program.objects = {{{bytes, bytes + object.size()}}};
  program.kernels = {{"add", "add_s32", 0}, {"crash", "store_far_away", 0}};
  program.sequences.resize(1);
  return program;
}

inline ReadSlice argument(int64_t elements) { return ReadSlice({1, 0, 4 * elements}); }
inline ReadSlice readTemporary(int64_t offset, int64_t elements) {
  return ReadSlice({0, offset, 4 * elements});
}
inline WriteSlice writeTemporary(int64_t offset, int64_t elements) {
  return WriteSlice({0, offset, 4 * elements});
}

}  // namespace hilo
