// Values whose layout puts them in the host's memory: where they lie, and what is copied.
#include <gtest/gtest.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

constexpr const char* kOffloaded = R"(ENTRY e {
  a = f32[64,32]{1,0} parameter(0)
  kept = f32[64,32]{1,0:S(5)} parameter(1)
  doubled = f32[64,32]{1,0} add(a, a)
  away = f32[64,32]{1,0:S(5)} copy(doubled)
  turned = f32[64,32]{0,1:S(5)} copy(doubled)
  other = f32[64,32]{1,0} multiply(doubled, a)
  back = f32[64,32]{1,0} copy(away)
  from = f32[64,32]{1,0} copy(kept)
  upright = f32[64,32]{1,0} copy(turned)
  x = f32[64,32]{1,0} add(other, back)
  y = f32[64,32]{1,0} add(x, from)
  z = f32[64,32]{1,0} add(y, upright)
  ROOT out = f32[64,32]{1,0:S(5)} copy(z)
})";

TEST(GpuHostMemory, HasAllocationsOfItsOwn) {
  const auto module = moduleOf(kOffloaded);
  const auto compiled = compileModule(*module, gpuCodegen(), {.target = *gpuTarget("sm_90")});
  ASSERT_TRUE(compiled) << toString(compiled.error());
  const Program& program = compiled->program;
  const auto isOnHost = [&](const BufferSlice& slice) {
    return program.allocations[slice.allocation].isOnHost();
  };
  for (const Allocation& allocation : program.allocations) {
    if (allocation.kind == AllocationKind::Parameter) {
      EXPECT_EQ(allocation.isOnHost(), allocation.number == 1);
    }
  }
  EXPECT_TRUE(isOnHost(program.resultSlices[0]));
  int across = 0;
  for (const Thunk& thunk : program.sequences[0]) {
    const auto* copy = std::get_if<CopyThunk>(&thunk.body);
    if (copy != nullptr && isOnHost(copy->source) != isOnHost(copy->destination)) ++across;
  }
  EXPECT_EQ(across, 4) << "away, back, from and out; the two others change the order too";
}

TEST(GpuHostMemory, GivesTheSameValues) { expectChecked(moduleOf(kOffloaded)); }

// What is made from a value of the host's lies on the device, though nothing else needs that memory.
TEST(GpuHostMemory, IsNotWrittenOverByWhatIsMadeFromIt) {
  expectChecked(moduleOf(R"(ENTRY e {
  p = f32[50,64]{1,0:S(5)} parameter(0)
  u = f32[2,64]{1,0} parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  n = f32[50,64]{1,0:S(5)} negate(p)
  ROOT r = f32[50,64]{1,0} dynamic-update-slice(n, u, i, zero)
})"));
}

}  // namespace
}  // namespace hilo
