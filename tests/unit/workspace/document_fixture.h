// A folder for .hilo documents, and modules to put into them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/workspace/document/document.h"

namespace hilo {

inline const char* const kAddModule = R"(HloModule add_module

ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  ROOT %sum = f32[2]{0} add(f32[2]{0} %x, f32[2]{0} %x)
}
)";

class DocumentTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("hilo_document_" + std::to_string(::getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "report.hilo").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static DocumentItem itemOf(const std::string& text, const std::string& title) {
    auto file = openBytes(text, title);
    EXPECT_TRUE(file) << toString(file.error());
    return {.title = title, .sourcePath = "/somewhere/" + title, .opened = *file};
  }
  static const OpenedFile& fileOf(const DocumentItem& item) {
    return *std::get<std::shared_ptr<const OpenedFile>>(item.opened);
  }
  // A document of one module, written to path_.
  void writeSample() {
    HiloDocument document;
    document.items.push_back(itemOf(kAddModule, "add.hlo"));
    const auto saved = saveDocument(path_, document);
    ASSERT_TRUE(saved) << toString(saved.error());
  }

  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace hilo
