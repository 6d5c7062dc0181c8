// Assemblers that are libraries: which is taken, what comes of a text and of a refusal; on a machine with
// CUDA that nvJitLink says the same of a kernel as ptxas.
#include "core/compiler/toolchain/assemble_ptx.h"

#include <cstring>
#include "tests/unit/compiler/toolchain/fake_tools.h"

namespace hilo {
namespace {

constexpr const char* kGood = ".version 8.0\n.target sm_90a\n.address_size 64\n";
constexpr const char* kBad = ".version 8.0\n.target sm_90a\n.address_size 64\n  foo.bar %r1;\n";

class AssemblerLibraries : public FakeTools {
 protected:
  Tool library(const char* file) const {
    std::filesystem::copy_file(HILO_FAKE_LIBRARY, folder_ / file);
    return findAssembler(search());
  }
};

TEST_F(AssemblerLibraries, NvJitLinkGivesCodeAndWords) {
  const std::string_view part = std::string_view(kBad).substr(0, std::strlen(kGood));
  const auto made = assemblePtx(library("libnvJitLink.so.13"), part, "sm_90a");
  ASSERT_TRUE(made) << toString(made.error());
  EXPECT_EQ(made->cubin, "sm_90a");
  EXPECT_EQ(made->by, "nvJitLink 13.0");
  const std::vector<KernelResources> expected = {
      {.kernel = "k", .registers = 8, .sharedBytes = 64, .barriers = 1}};
  EXPECT_EQ(made->kernels, expected);
}

TEST_F(AssemblerLibraries, NvJitLinkRefusesWithTheLine) {
  const Tool tool = library("libnvJitLink.so.13");
  const auto refused = assemblePtx(tool, kBad, "sm_90a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "ptx-refused");
  EXPECT_EQ(refused.error().message, "nvJitLink 13.0: Not a name of any known instruction: 'foo'");
  EXPECT_EQ(refused.error().place.line, 4u);
  EXPECT_EQ(assemblePtx(tool, kGood, "sm_999").error().kind, "unsupported-gpu");
}

TEST_F(AssemblerLibraries, NvPtxCompilerDoesTheSame) {
  const Tool tool = library("libnvptxcompiler.so.13");
  const auto made = assemblePtx(tool, kGood, "sm_80");
  ASSERT_TRUE(made) << toString(made.error());
  EXPECT_EQ(made->cubin, "sm_80");
  EXPECT_EQ(made->by, "nvPTXCompiler 12.8");
  EXPECT_EQ(made->kernels.size(), 1u);
  EXPECT_EQ(assemblePtx(tool, kBad, "sm_80").error().place.line, 4u);
}

// It runs in a process of its own, which may crash.
TEST_F(AssemblerLibraries, TheProgramIsTakenFirst) {
  writePtxas("");
  EXPECT_EQ(library("libnvJitLink.so.13").id, ToolId::Ptxas);
}

TEST_F(AssemblerLibraries, ABrokenAssemblerIsToldBeforeAMissingOne) {
  write("libnvJitLink.so.13", "");
  const auto none = assemblePtx(findAssembler(search()), kGood, "sm_90a");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("libnvJitLink.so.13 is of no use"), std::string::npos);
}

TEST(AssemblersOfThisMachine, SayTheSameOfAKernel) {
  const ToolSearch here = toolSearchHere();
  const Tool ptxas = findTool(ToolId::Ptxas, here), jitLink = findTool(ToolId::NvJitLink, here);
  if (!ptxas.isUsable() || !jitLink.isUsable() || ptxas.version != jitLink.version)
    GTEST_SKIP() << "ptxas and nvJitLink of one release are not both here";
  const std::string ptx = std::string(kGood) + R"(.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  .shared .align 4 .b8 piece[256];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  st.shared.u32 [piece], %r1;
  bar.sync 0;
  ld.shared.u32 %r2, [piece];
  st.global.u32 [%rd1], %r2;
  ret;
})";
  const auto program = assemblePtx(ptxas, ptx, "sm_90a"), library = assemblePtx(jitLink, ptx, "sm_90a");
  ASSERT_TRUE(program) << toString(program.error());
  ASSERT_TRUE(library) << toString(library.error());
  ASSERT_EQ(program->kernels.size(), 1u);
  EXPECT_EQ(program->kernels[0].sharedBytes, 256);
  EXPECT_EQ(library->kernels, program->kernels);
  EXPECT_TRUE(
      library->cubin.starts_with("\x7f"
                                 "ELF"));
  const auto refused = assemblePtx(jitLink, kBad, "sm_90a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().place.line, 4u);
}

}  // namespace
}  // namespace hilo
