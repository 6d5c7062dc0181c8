// Whatever group of a sample the graph shows, cut out as a module of its own: it reads back, keeps the
// verifier's rules, and where it is small it runs.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/analysis/grouping/grouping_opening.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/text/extract.h"

namespace hilo {
namespace {

std::vector<InstructionId> instructionsOf(const Grouping& grouping, GroupId id) {
  std::vector<InstructionId> ids;
  std::vector<GroupId> waiting{id};
  while (!waiting.empty()) {
    const GroupNode& node = grouping.node(waiting.back());
    waiting.pop_back();
    if (node.instruction != nullptr) {
      ids.push_back(node.instruction->id());
    } else {
      waiting.insert(waiting.end(), node.children.begin(), node.children.end());
    }
  }
  return ids;
}

struct Counts {
  size_t groups = 0, ran = 0;
};

void expectStandsAlone(const Module& module, const std::vector<InstructionId>& ids, const std::string& what,
                       Counts& counts) {
  const auto text = extractAsText(module, ids);
  ASSERT_TRUE(text) << what << ": " << text.error().message;
  ParseResult read = parseModule(*text);
  ASSERT_FALSE(hasErrors(read.diagnostics)) << what;
  const std::shared_ptr<const Module> part = std::move(read.module);
  for (const Diagnostic& problem : verify(*part))
    EXPECT_NE(problem.severity, Severity::kError) << what << ": " << toString(problem);
  ++counts.groups;
  constexpr size_t kSmall = 30;
  if (part->instructionCount() > kSmall || !whyNotRunnable(*part, "reference").empty()) return;
  const auto run = execute({.module = part}, {});
  EXPECT_TRUE(run) << what << ": " << run.error().message;
  ++counts.ran;
}

TEST(ExtractGroups, everyGroupOfTheSamplesStandsAlone) {
  Counts counts;
  for (const char* path : {"resources/samples/transformer_step_small.hlo", "resources/samples/softmax.hlo"}) {
    const auto file = openFile(path);
    ASSERT_TRUE(file) << path;
    const auto module = (*file)->module;
    Grouping grouping(module);
    OpenGroups open;
    ASSERT_TRUE(openEverything(grouping, open));
    for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
      const GroupNode& node = grouping.node(id);
      if (!node.group && id % 10 != 0) continue;
      expectStandsAlone(*module, instructionsOf(grouping, id), fmt::format("{} {}", path, node.label),
                        counts);
    }
  }
  EXPECT_GT(counts.groups, 40u);
  EXPECT_GT(counts.ran, 20u);
}

}  // namespace
}  // namespace hilo
