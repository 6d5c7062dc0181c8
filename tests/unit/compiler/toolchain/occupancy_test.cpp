// Blocks on a multiprocessor, computed by hand from the tables of the CUDA programming guide.
#include "core/compiler/toolchain/occupancy.h"

#include <gtest/gtest.h>

#include "core/compiler/toolchain/disassemble_cubin.h"
#include "tests/unit/compiler/toolchain/fake_tools.h"

namespace hilo {
namespace {

Occupancy of(int registers, int64_t sharedBytes, int architecture, int threads) {
  const KernelResources kernel{.kernel = "k", .registers = registers, .sharedBytes = sharedBytes};
  return occupancyOf(kernel, architecture, threads).value();
}

TEST(OccupancyOf, IsWhatTheScarcestResourceAllows) {
  // 32 registers: 1,024 a warp, 64 warps, all 2,048 threads in 8 blocks.
  EXPECT_EQ(of(32, 0, 90, 256).threads, 2048);
  EXPECT_EQ(of(32, 0, 90, 256).limit, "threads");
  // 40 registers: 1,280 a warp; 51 warps, 48 in fours; 6 blocks of 8.
  EXPECT_EQ(of(40, 0, 90, 256).blocks, 6);
  EXPECT_EQ(of(40, 0, 90, 256).limit, "registers");
  EXPECT_DOUBLE_EQ(of(40, 0, 90, 256).share(), 0.75);
  // 48 KiB and the driver's 1 KiB go 4 times into 228 KiB.
  EXPECT_EQ(of(32, 49152, 90, 256).blocks, 4);
  EXPECT_EQ(of(32, 49152, 90, 256).limit, "shared memory");
  // sm_75 keeps nothing of it, and has 64 KiB.
  EXPECT_EQ(of(32, 32768, 75, 256).blocks, 2);
  EXPECT_EQ(of(16, 0, 90, 32).limit, "blocks");
  EXPECT_EQ(of(16, 0, 90, 32).threads, 1024);
  // Part of a warp takes all of it.
  EXPECT_EQ(of(255, 0, 90, 33).threads, 4 * 64);
}

TEST(OccupancyOf, IsUnknownOfOtherArchitectures) { EXPECT_FALSE(occupancyOf({}, 999, 256).has_value()); }

using DisassembleCubin = FakeTools;

TEST_F(DisassembleCubin, GivesWhatTheToolPrints) {
  write("nvdisasm", R"(if [ "$1" = --version ]; then echo 'release 13.0, V13.0.1'; exit 0; fi
[ "$1" = -c ] && grep -q cubin "$2" || exit 9
echo '  /*0000*/  MOV R1, c[0x0][0x28] ;'
)");
  const auto sass = disassembleCubin(findTool(ToolId::Nvdisasm, search()), "a cubin");
  ASSERT_TRUE(sass) << toString(sass.error());
  EXPECT_EQ(*sass, "  /*0000*/  MOV R1, c[0x0][0x28] ;\n");
  EXPECT_EQ(disassembleCubin(findTool(ToolId::Nvdisasm, search()), "none").error().kind, "cubin-refused");
}

TEST_F(DisassembleCubin, WithoutTheToolSaysWhatBringsIt) {
  const auto none = disassembleCubin(findTool(ToolId::Nvdisasm, search()), "cubin");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "no-disassembler");
}

}  // namespace
}  // namespace hilo
