#include "core/workspace/text/printed_module.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

TEST(PrintedModule, JoinsLinesAndIds) {
  auto module = parseModuleStrictly(R"(HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  a = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=add
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  const std::shared_ptr<const Module> shared = std::move(*module);
  const PrintedModule printed = printForView(shared);
  ASSERT_EQ(printed.lineStarts.size(), printed.lineCount());
  EXPECT_EQ(printed.line(0), "HloModule m");
  for (const Computation* computation : shared->computations()) {
    const size_t head = printed.lineOf(computation->id());
    ASSERT_NE(head, PrintedModule::npos);
    EXPECT_TRUE(printed.line(head).ends_with("{"));
    EXPECT_EQ(printed.lines[head].computation, computation->id());
    for (const Instruction* instruction : computation->instructions()) {
      const size_t line = printed.lineOf(instruction->id());
      ASSERT_NE(line, PrintedModule::npos) << instruction->name();
      EXPECT_EQ(printed.lines[line].instruction, instruction->id());
      EXPECT_EQ(printed.lines[line].computation, computation->id());
      EXPECT_NE(printed.line(line).find(instruction->name()), std::string_view::npos);
    }
  }
  EXPECT_FALSE(printed.lines[0].instruction.valid());
  EXPECT_EQ(printed.lineOf(InstructionId{999}), PrintedModule::npos);
}

}  // namespace
}  // namespace hilo
