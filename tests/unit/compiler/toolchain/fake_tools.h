// Programs that stand in for NVIDIA's: shell scripts in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/compiler/toolchain/toolchain.h"

namespace hilo {

class FakeTools : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "hilo_fake_tools" / test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& script) const {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // One that answers --version as release 13.0 and else runs the script.
  void writePtxas(const std::string& script) const {
    write("ptxas",
          "if [ \"$1\" = --version ]; then echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0; "
          "fi\n" +
              script);
  }
  ToolSearch search() const { return {{folder_.string()}, {folder_.string()}, false}; }
  Tool ptxas() const { return findTool(ToolId::Ptxas, search()); }

  std::filesystem::path folder_;
};

}  // namespace hilo
