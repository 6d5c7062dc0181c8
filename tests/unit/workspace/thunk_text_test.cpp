// Thunks as text for others: DOT's language, and the lines XLA:CPU logs.
#include "core/workspace/thunks/thunk_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/workspace/thunks/thunk_diff.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StudiedThunk thunkOf(std::string name, std::string kind, uint32_t parent = StudiedThunk::kNone,
                     std::string part = {}) {
  StudiedThunk thunk;
  thunk.name = std::move(name);
  thunk.kind = std::move(kind);
  thunk.parent = parent;
  thunk.part = std::move(part);
  return thunk;
}

// A loop within a branch within a call, with a name that DOT has to have in quotes.
ThunkStudy nested() {
  ThunkStudy study;
  study.thunks = {thunkOf("add.1", "kernel"),
                  thunkOf("call.2", "call"),
                  thunkOf("cond.3", "conditional", 1, "called"),
                  thunkOf("while.4", "while", 2, "branch_0"),
                  thunkOf("less.5", "kernel", 3, "condition"),
                  thunkOf("say \"hi\"\\", "kernel", 3, "body"),
                  thunkOf("neg.6", "copy", 2, "branch_1"),
                  thunkOf("mul.7", "kernel")};
  study.hazards = {{.from = 0, .to = 1, .readAfterWrite = true}, {.from = 1, .to = 7, .keepsOrder = true}};
  return study;
}

TEST(ThunkText, AnExecutorIsWrittenAsXlaLogsIt) {
  ThunkStudy study;
  study.thunks = {thunkOf("a", "kernel"), thunkOf("b", "copy"), thunkOf("c", "kernel")};
  study.hazards = {{.from = 0, .to = 2}, {.from = 1, .to = 2}};
  EXPECT_EQ(toExecutorText(study),
            "ThunkExecutor: #thunks=3 #source_nodes=2 #sink_nodes=1\n"
            " thunk #00000: op_name=a, kind=kernel, dependencies=[], source=true, sink=false, priority=1\n"
            " thunk #00001: op_name=b, kind=copy, dependencies=[], source=true, sink=false, priority=1\n"
            " thunk #00002: op_name=c, kind=kernel, dependencies=[a, b], source=false, sink=true, "
            "priority=0\n");
}

TEST(ThunkText, WhatAThunkRunsFollowsUnderItsName) {
  const std::string text = toExecutorText(nested());
  EXPECT_THAT(text, HasSubstr("body of while.4:\nThunkExecutor: #thunks=1 "));
  EXPECT_THAT(text, HasSubstr("dependencies=[add.1], source=false, sink=false, priority=1\n"));
}

TEST(ThunkText, ClustersNestAndKindsHaveColours) {
  const std::string dot = toDot(nested());
  EXPECT_THAT(dot, HasSubstr("label=\"while.4 body\""));
  EXPECT_THAT(dot, HasSubstr("n1 -> n7 [style=dashed];"));
  EXPECT_THAT(dot, HasSubstr("n0 [label=\"kernel add.1\", fillcolor=\"#aec7e8\"];"));
  EXPECT_THAT(dot, HasSubstr("n7 [label=\"kernel mul.7\", fillcolor=\"#aec7e8\"];"));
  EXPECT_THAT(dot, HasSubstr("n6 [label=\"copy neg.6\", fillcolor=\"#c5b0d5\"];"));
  int deepest = 0, depth = 0;
  for (const char c : dot) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(deepest, 4);  // the graph and three clusters
}

TEST(ThunkText, GraphvizReadsIt) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0) GTEST_SKIP() << "graphviz is not there";
  const auto path = std::filesystem::temp_directory_path() / "hilo_thunk_text_test.dot";
  std::ofstream(path) << toDot(nested());
  const std::string command = "dot -Tplain " + path.string();
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  int nodes = 0, edges = 0;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    nodes += std::string_view(line).starts_with("node ");
    edges += std::string_view(line).starts_with("edge ");
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(nodes, 8);
  EXPECT_EQ(edges, 2);
  std::filesystem::remove(path);
}

TEST(ThunkDiff, AStudyDoesNotDifferFromItself) { EXPECT_TRUE(diffThunks(nested(), nested()).empty()); }

TEST(ThunkDiff, SaysWhatIsGoneNewAndOtherwise) {
  const ThunkStudy before = nested();
  ThunkStudy after = before;
  after.thunks[5].description = "num_workgroups = {x = 2}";  // within the loop
  after.thunks[7].uses.push_back({.sizeBytes = 64, .writes = true});
  after.thunks[6] = thunkOf("fft.6", "fft", 2, "branch_1");
  const std::vector<ThunkChange> changes = diffThunks(before, after);
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].after, 5u);
  EXPECT_THAT(changes[0].what, ElementsAre("description"));
  EXPECT_EQ(changes[1].kind, ThunkChange::Kind::Added);
  EXPECT_EQ(changes[1].after, 6u);
  EXPECT_THAT(changes[2].what, ElementsAre("writes"));
  EXPECT_EQ(changes[3].kind, ThunkChange::Kind::Removed);
  EXPECT_EQ(changes[3].before, 6u);
}

TEST(ThunkDiff, EveryFieldThatDiffersIsNamedWithBothValues) {
  ThunkStudy before = nested(), after = before;
  before.thunks[0].fields = {{"kernel_name", "\"k\""}, {"threads.x", "128"}, {"field 4", "1"}};
  after.thunks[0].fields = {{"kernel_name", "\"k\""}, {"threads.x", "256"}, {"shmem_bytes", "64"}};
  const std::vector<ThunkChange> changes = diffThunks(before, after);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_THAT(changes[0].what, ElementsAre("threads.x", "shmem_bytes", "field 4"));
  ASSERT_EQ(changes[0].fields.size(), 3u);
  EXPECT_EQ(changes[0].fields[0].before, "128");
  EXPECT_EQ(changes[0].fields[0].after, "256");
  EXPECT_EQ(changes[0].fields[1].before, "");
  EXPECT_EQ(changes[0].fields[2].after, "");
}

TEST(ThunkDiff, AnotherOrderShowsInWhatIsWaitedFor) {
  const ThunkStudy before = nested();
  ThunkStudy after = before;
  after.hazards.push_back({.from = 0, .to = 7});
  const std::vector<ThunkChange> changes = diffThunks(before, after);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after, 7u);
  EXPECT_THAT(changes[0].what, ElementsAre("waits for"));
}

}  // namespace
}  // namespace hilo
