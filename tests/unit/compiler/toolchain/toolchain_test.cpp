#include "core/compiler/toolchain/toolchain.h"

#include "core/compiler/toolchain/process.h"
#include "tests/unit/compiler/toolchain/fake_tools.h"

namespace hilo {
namespace {

using Toolchain = FakeTools;

TEST_F(Toolchain, WhatIsNotThereSaysWhatBringsIt) {
  const std::vector<Tool> tools = findTools(search());
  ASSERT_EQ(tools.size(), 14u);
  for (const Tool& tool : tools) {
    EXPECT_EQ(tool.path, "") << tool.name;
    EXPECT_FALSE(tool.isUsable());
    EXPECT_NE(tool.install, "");
  }
}

TEST_F(Toolchain, AProgramIsAskedForItsVersion) {
  writePtxas("");
  const Tool found = ptxas();
  EXPECT_EQ(found.path, (folder_ / "ptxas").string());
  EXPECT_EQ(found.version, 130);
  EXPECT_EQ(versionText(found), "13.0");
  EXPECT_TRUE(found.isUsable());
}

TEST_F(Toolchain, AProgramThatFailsIsFoundAndOfNoUse) {
  write("ptxas", "echo broken; exit 7\n");
  const Tool found = ptxas();
  EXPECT_FALSE(found.isUsable());
  EXPECT_NE(found.problem.find("ended with 7"), std::string::npos) << found.problem;
}

TEST_F(Toolchain, AProgramThatSaysNoVersionIsUsable) {
  write("nvdisasm", "echo hello\n");
  const Tool found = findTool(ToolId::Nvdisasm, search());
  EXPECT_TRUE(found.isUsable());
  EXPECT_EQ(versionText(found), "unknown version");
}

TEST_F(Toolchain, AFileThatIsNoLibraryIsFoundAndOfNoUse) {
  write("libnvJitLink.so.13", "");
  const Tool found = findTool(ToolId::NvJitLink, search());
  EXPECT_EQ(found.path, (folder_ / "libnvJitLink.so.13").string());
  EXPECT_FALSE(found.isUsable());
}

TEST_F(Toolchain, LibrariesSayTheirVersionsEachInItsWay) {
  for (const char* name : {"libcublasLt.so.13", "libcudnn.so.9", "libcufft.so.12", "libcusolver.so.12",
                           "libnccl.so.2", "libcupti.so.13", "libnvJitLink.so.13"})
    std::filesystem::copy_file(HILO_FAKE_LIBRARY, folder_ / name);
  const auto version = [&](ToolId id) { return versionText(findTool(id, search())); };
  EXPECT_EQ(version(ToolId::CublasLt), "13.1.0");
  EXPECT_EQ(version(ToolId::Cudnn), "9.19.0");
  EXPECT_EQ(version(ToolId::Cufft), "12.0.0");
  EXPECT_EQ(version(ToolId::Cusolver), "12.0.4");
  EXPECT_EQ(version(ToolId::Nccl), "2.28.9");
  EXPECT_EQ(version(ToolId::Cupti), "unknown version") << "it fails when it is asked";
  EXPECT_EQ(version(ToolId::NvJitLink), "13.0");
  EXPECT_TRUE(findTool(ToolId::Nccl, search()).isUsable());
}

TEST_F(Toolchain, WhatIsLinkedIsAFile) {
  write("libcudadevrt.a", "");
  EXPECT_EQ(findTool(ToolId::DeviceRuntime, search()).path, (folder_ / "libcudadevrt.a").string());
}

TEST(ToolVersions, AreReadOfWhatTheToolsSay) {
  EXPECT_EQ(releaseIn("Cuda compilation tools, release 12.8, V12.8.93"), 128);
  EXPECT_EQ(releaseIn("release 11.0, V11.0.194"), 110);
  EXPECT_EQ(releaseIn("release next"), 0);
  EXPECT_EQ(releaseIn("release 13"), 0);
  EXPECT_EQ(releaseIn(""), 0);
}

TEST(Processes, EndWithWhatTheySaidAndHow) {
  const auto said = runProcess({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, std::chrono::seconds(10));
  ASSERT_TRUE(said);
  EXPECT_EQ(said->text, "out\nerr\n");
  EXPECT_EQ(said->exitCode, 3);
  EXPECT_EQ(runProcess({"/bin/sh", "-c", "kill -9 $$"}, std::chrono::seconds(10))->exitCode, 137);
}

TEST(Processes, AreEndedWhenTheyTakeTooLong) {
  const auto late = runProcess({"/bin/sh", "-c", "exec sleep 60"}, std::chrono::milliseconds(50));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, "took-too-long");
  EXPECT_EQ(runProcess({"/nowhere/at/all"}, std::chrono::seconds(1)).error().kind, "cannot-start");
}

}  // namespace
}  // namespace hilo
