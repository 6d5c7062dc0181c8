// What is at a path, told once for everybody.
#include "core/workspace/path/open_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/text/parse.h"
#include "core/workspace/document/document.h"
#include "core/workspace/thunks/compile_report.h"

namespace hilo {
namespace {

constexpr const char* kModule = "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n";

class OpenPathTest : public testing::Test {
 protected:
  OpenPathTest() { std::filesystem::create_directories(folder_); }
  ~OpenPathTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  template <typename Kind>
  bool holds(const std::string& path) {
    const auto content = openPath(path);
    EXPECT_TRUE(content) << toString(content.error());
    return content && std::holds_alternative<Kind>(*content);
  }
  std::string refusal(const std::string& path) {
    const auto file = openFile(path);
    return file ? std::string() : file.error().kind;
  }
  std::string savedDocument() {
    const std::string path = (folder_ / "d.hilo").string();
    HiloDocument document;
    for (const char* name : {"first", "second"}) {
      auto item = openItem(write(name, std::string(kModule) + "// " + name + "\n"));
      EXPECT_TRUE(item) << toString(item.error());
      document.items.push_back({.title = name, .sourcePath = name, .opened = *std::move(item)});
    }
    EXPECT_TRUE(saveDocument(path, document));
    return path;
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                        testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OpenPathTest, AModuleAndADumpAreOpened) {
  const auto file = openPath(write("m.hlo", kModule));
  ASSERT_TRUE(file) << toString(file.error());
  const auto& item = std::get<OpenedItem>(*file);
  EXPECT_EQ(std::get<std::shared_ptr<const OpenedFile>>(item)->module->name(), "m");

  write("dump/module_0001.f.before_optimizations.txt", kModule);
  const std::string folder = (folder_ / "dump").string();
  const auto dump = openDump(folder);
  ASSERT_TRUE(dump) << toString(dump.error());
  EXPECT_EQ((*dump)->modules.size(), 1u);
  EXPECT_EQ(refusal(folder), "is-a-directory");
}

TEST_F(OpenPathTest, ADumpWrittenToStandardOutputIsADump) {
  const std::string path =
      write("log.txt", std::string("*** Begin module_0000.m.before_optimizations.txt ***\n") + kModule +
                           "*** End module_0000.m.before_optimizations.txt ***\n");
  EXPECT_TRUE(openDump(path));
  EXPECT_EQ(refusal(path), "is-a-dump");
}

TEST_F(OpenPathTest, ThunksWithoutAModuleAreThunks) {
  const std::string path = write("t.txt", "kKernel\t, kernel = neg_1\nkCopy\t\n");
  EXPECT_TRUE(holds<ThunksFile>(path));
  EXPECT_EQ(refusal(path), "thunks-alone");
}

TEST_F(OpenPathTest, ASavedProgramIsAProgram) {
  const std::string path = (folder_ / "m.hiloprogram").string();
  ASSERT_TRUE(compileAndReport({.module = *parseModuleStrictly(kModule), .savePath = path}, {}));
  EXPECT_TRUE(holds<SavedProgramFile>(path));
  EXPECT_EQ(refusal(path), "unknown-file-kind");
}

TEST_F(OpenPathTest, ADocumentIsADocumentAndItsItemsAreFiles) {
  const std::string path = savedDocument();
  EXPECT_TRUE(holds<DocumentFile>(path));
  EXPECT_TRUE(holds<OpenedItem>(path + "#2"));
  EXPECT_TRUE(openFile(path));
  EXPECT_EQ(openDump(path).error().kind, "not-a-directory");
}

TEST_F(OpenPathTest, WhatIsNothingOfTheKindIsSaid) {
  EXPECT_EQ(openPath((folder_ / "nowhere").string()).error().kind, "file-not-found");
  EXPECT_EQ(openPath(write("picture.png", "\x89PNG\r\n\x1a\n")).error().kind, "unknown-file-kind");
}

}  // namespace
}  // namespace hilo
