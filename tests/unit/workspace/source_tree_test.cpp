#include "core/workspace/text/source_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/text/parse.h"
#include "core/workspace/text/source_lines.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

class SourceTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("hilo_sources_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    write("program/models/layers.py");
    write("program/train.py");
    write("outside/secret.py");
    fs::create_symlink(folder_ / "outside" / "secret.py", folder_ / "program" / "link.py");
    root_ = fs::canonical(folder_ / "program").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x = 1\n";
  }
  fs::path folder_;
  std::string root_;
};

TEST_F(SourceTreeTest, FindsByTheLongestEnding) {
  const SourceTree tree({root_});
  EXPECT_EQ(tree.find("/home/somebody/job/models/layers.py"), root_ + "/models/layers.py");
  EXPECT_EQ(tree.find("models/layers.py"), root_ + "/models/layers.py");
  EXPECT_EQ(tree.find("/srv/train.py"), root_ + "/train.py");
  EXPECT_EQ(tree.find(root_ + "/train.py"), root_ + "/train.py");
  EXPECT_EQ(tree.find("/srv/other.py"), "");
  EXPECT_EQ(tree.find("models"), "");
  EXPECT_EQ(tree.find(""), "");
  EXPECT_EQ(SourceTree().find("train.py"), "");
  EXPECT_TRUE(SourceTree({"/no/such/folder"}).empty());
}

TEST_F(SourceTreeTest, NamesNothingOutsideItsFolders) {
  const SourceTree tree({root_});
  EXPECT_EQ(tree.find("../outside/secret.py"), "");
  EXPECT_EQ(tree.find(root_ + "/../outside/secret.py"), "");
  EXPECT_EQ(tree.find("link.py"), "") << "a link that leads out";
  EXPECT_EQ(tree.find((folder_ / "outside" / "secret.py").string()), "");
  EXPECT_EQ(tree.find("/etc/passwd"), "");
  EXPECT_EQ(tree.find(std::string("train.py\0x", 10)), "");
}

TEST_F(SourceTreeTest, AnInstructionBelongsToTheInnermostFrameOfTheUsersOwn) {
  auto parsed = parseModuleStrictly(R"(HloModule m

FileNames
1 "/opt/library/numpy.py"
2 "/job/models/layers.py"
3 "/job/train.py"

FunctionNames
1 "dot"
2 "layer"
3 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=900 end_line=900 column=1 end_column=2}
2 {file_name_id=2 function_name_id=2 line=12 end_line=12 column=1 end_column=2}
3 {file_name_id=3 function_name_id=3 line=40 end_line=40 column=1 end_column=2}

StackFrames
1 {file_location_id=3 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=1 parent_frame_id=3}


ENTRY main {
  a = f32[] parameter(0)
  b = f32[] negate(a), metadata={stack_frame_id=3}
  c = f32[] negate(b), metadata={stack_frame_id=1}
  ROOT d = f32[] negate(c), metadata={source_file="train.py" source_line=41}
}
)");
  ASSERT_TRUE(parsed) << toString(parsed.error());
  const std::shared_ptr<const Module> module = std::move(*parsed);
  const SourceLines lines(module, SourceTree({root_}));
  const auto placeOf = [&](const char* name) {
    const SourceLine line = lines.of(module->findInstruction(name)->id());
    return line.path == nullptr ? std::string() : *line.path + ":" + std::to_string(line.line);
  };
  EXPECT_EQ(placeOf("a"), "");
  EXPECT_EQ(placeOf("b"), root_ + "/models/layers.py:12");
  EXPECT_EQ(placeOf("c"), root_ + "/train.py:40");
  EXPECT_EQ(placeOf("d"), root_ + "/train.py:41");
  const auto& file = lines.ofFile(root_ + "/train.py");
  ASSERT_EQ(file.size(), 2u);
  EXPECT_EQ(file.at(41), std::vector{module->findInstruction("d")->id()});
  EXPECT_EQ(sourceFramesOf(*module->findInstruction("b")).size(), 3u);
  EXPECT_EQ(lines.pathOf("/opt/library/numpy.py"), "");
}

}  // namespace
}  // namespace hilo
