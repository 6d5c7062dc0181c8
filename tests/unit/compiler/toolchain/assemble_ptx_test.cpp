#include "core/compiler/toolchain/assemble_ptx.h"

#include "tests/unit/compiler/toolchain/fake_tools.h"

namespace hilo {
namespace {

using AssemblePtx = FakeTools;

constexpr const char* kPtx = ".version 6.3\n.target sm_75\n.address_size 64\n  foo.bar %r1;\n";

TEST_F(AssemblePtx, GivesTheCubinAndWhatKernelsTake) {
  writePtxas(R"(while [ "$1" != -o ]; do shift; done
cat > /dev/null
printf cubin > "$2"
cat <<'END'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_75'
ptxas info    : Function properties for first
    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 40 registers, used 2 barriers, 4096 bytes smem, 376 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_75'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers, 376 bytes cmem[0]
END
)");
  const auto made = assemblePtx(ptxas(), kPtx, "sm_75");
  ASSERT_TRUE(made) << toString(made.error());
  EXPECT_EQ(made->cubin, "cubin");
  EXPECT_EQ(made->by, "ptxas 13.0");
  const std::vector<KernelResources> expected = {{"first", 40, 24, 32, 16, 4096, 2},
                                                 {"second", 14, 0, 0, 0, 0, 0}};
  EXPECT_EQ(made->kernels, expected);
}

TEST_F(AssemblePtx, AnErrorKeepsTheWordsAndTheLine) {
  writePtxas(R"(echo "ptxas k.ptx, line 4; error   : Not a name of any known instruction: 'foo'"
echo "ptxas k.ptx, line 4; error   : Unknown symbol '%r1'"
echo "ptxas fatal   : Ptx assembly aborted due to errors"
exit 255
)");
  const auto refused = assemblePtx(ptxas(), kPtx, "sm_75");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "ptx-refused");
  EXPECT_EQ(refused.error().message, "ptxas 13.0: Not a name of any known instruction: 'foo'");
  EXPECT_EQ(refused.error().place.line, 4u);
  ASSERT_EQ(refused.error().notes.size(), 2u);
  EXPECT_EQ(refused.error().notes[0], "line 4 is: foo.bar %r1;");
  EXPECT_NE(refused.error().notes[1].find("Unknown symbol '%r1'"), std::string::npos);
}

TEST_F(AssemblePtx, ToldApartAreNewPtxAndUnknownTargets) {
  writePtxas(R"(case "$2" in
-arch=sm_999) echo "ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'";;
*) echo "ptxas k.ptx, line 1; fatal   : Unsupported .version 9.7; current version is '9.0'";;
esac
exit 1
)");
  EXPECT_EQ(assemblePtx(ptxas(), kPtx, "sm_999").error().kind, "unsupported-gpu");
  EXPECT_EQ(assemblePtx(ptxas(), kPtx, "sm_75").error().kind, "ptx-too-new");
}

TEST_F(AssemblePtx, AnAssemblerThatDiesIsToldWithWhatItSaid) {
  writePtxas("echo so far; kill -11 $$\n");
  const auto died = assemblePtx(ptxas(), kPtx, "sm_75");
  ASSERT_FALSE(died);
  EXPECT_EQ(died.error().message, "ptxas 13.0 ended with 139");
  EXPECT_EQ(died.error().notes, std::vector<std::string>{"so far\n"});
}

TEST_F(AssemblePtx, WithoutAnAssemblerItSaysWhatBringsOne) {
  const auto none = assemblePtx(ptxas(), kPtx, "sm_75");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "no-assembler");
  EXPECT_NE(none.error().notes[0].find("CUDA toolkit"), std::string::npos);
}

// 1024 threads of 72 registers take 73,728 of 65,536.
TEST(KernelLimits, AreToldWithTheNumbers) {
  const GpuLimits limits{.sharedBytesPerBlock = 65536};
  const KernelResources kernel{.kernel = "k", .registers = 70, .sharedBytes = 60000};
  EXPECT_TRUE(whyNotLaunched(kernel, limits, 256).empty());
  const Diagnostics many = whyNotLaunched(kernel, limits, 1024, 8000);
  ASSERT_EQ(many.size(), 2u);
  EXPECT_EQ(many[0].message,
            "k takes 73728 registers for a block of 1024 threads, 70 each; a block has 65536");
  EXPECT_EQ(many[1].kind, "too-much-shared-memory");
  EXPECT_NE(many[1].message.find("68000 bytes"), std::string::npos);
}

// nvJitLink names its input so.
TEST(AssemblerWords, OfALinkerAreReadToo) {
  const Diagnostics found =
      complaintsIn("ptx input, line 2; error : Not a name of any known instruction: 'x'\n", "a\nb\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.line, 2u);
  EXPECT_EQ(found[0].notes[0], "line 2 is: b");
}

}  // namespace
}  // namespace hilo
