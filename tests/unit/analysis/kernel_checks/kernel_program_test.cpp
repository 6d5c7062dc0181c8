#include "core/analysis/kernel_checks/kernel_program.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

std::string errorOf(const std::string& text) {
  const auto program = parseKernelProgram(text);
  return program ? "" : std::to_string(program.error().place.line) + ": " + program.error().message;
}

TEST(KernelProgram, LoopsAreUnrolled) {
  const auto program = parseKernelProgram(R"(ref a shared 0 4096
barrier full slots 2 arrivals 3   # of three groups
group one
repeat i 2
  repeat j 3
    wait full[{(i + j) % 2}] {1 - i % 2} @{10 * i + j}
  end
end
)");
  ASSERT_TRUE(program) << toString(program.error());
  ASSERT_EQ(program->groups.size(), 1u);
  const auto& events = program->groups[0].events;
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[4].object, 0u);  // i = 1, j = 1
  EXPECT_EQ(events[4].amount, 0);
  EXPECT_EQ(events[4].line, 11u);
  EXPECT_EQ(program->slotName(1), "full[1]");
}

TEST(KernelProgram, PartsAreBytesOfTheirMemory) {
  const auto program = parseKernelProgram("ref a shared 1024 4096\ngroup one\nread a[256:512]\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->groups[0].events[0].accesses[0].begin, 1280);
  EXPECT_EQ(program->groups[0].events[0].accesses[0].size, 512);
}

TEST(KernelProgram, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(errorOf("group one\nread a\n"), "2: nothing is called 'a'");
  EXPECT_EQ(errorOf("ref a shared 0 8\ngroup one\nread a[4:8]\n"), "3: a[4:8] is outside of a, which has 8");
  EXPECT_EQ(errorOf("barrier b slots 2 arrivals 1\ngroup one\narrive b[2]\n"), "3: b[2]: b has 2 slots");
  EXPECT_EQ(errorOf("group one\nrepeat i 3\nfence\n"), "2: this loop has no end");
  EXPECT_EQ(errorOf("fence\n"), "1: an action before the first group");
  EXPECT_EQ(errorOf("group one\nfence now\n"), "2: 1 words follow, 0 do");
  EXPECT_EQ(errorOf("group one\nwait-copies {1 / 0}\n"), "2: the expression divides by what is not positive");
  EXPECT_EQ(errorOf("ref a shared 0 8\nref a shared 8 8\n"), "2: a is there twice");
}

TEST(KernelProgram, IsBounded) {
  EXPECT_EQ(errorOf("group one\nrepeat i 1000000000\nend\n"),
            "2: loops turn more often than a kernel has events");
  EXPECT_EQ(errorOf("group one\nrepeat i 150000\nfence\nfence\nend\n"), "3: more events than a kernel has");
  std::string nested = "group one\n";
  for (int n = 0; n < 10; ++n) nested += "repeat i 1\n";
  for (int n = 0; n < 10; ++n) nested += "end\n";
  EXPECT_NE(errorOf(nested).find("loops nest too deep"), std::string::npos);
}

}  // namespace
}  // namespace hilo
