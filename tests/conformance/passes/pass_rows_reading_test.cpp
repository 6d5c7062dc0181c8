// How rows/ is read: pass_rows.h says what a row holds.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/pass_rows/pass_rows.h"

namespace hilo::pass_rows {
namespace {

TEST(PassRowsFormat, IsRead) {
  Row row{.replicas = 2};
  EXPECT_EQ(
      moduleText(row, "(a: f32[2], b: (s32[], f32[3])) ROOT r = f32[] reduce(a, z), to_apply=add.f32"),
      "HloModule m, replica_count=2\nadd.f32 { rx = f32[] parameter(0) ry = f32[] parameter(1) ROOT r = "
      "f32[] "
      "add(rx, ry) }\nENTRY entry {\na = f32[2] parameter(0)\nb = (s32[], f32[3]) parameter(1)\n ROOT r = "
      "f32[] reduce(a, z), to_apply=add.f32}\n");
}

TEST(PassRowsFormat, HasEveryNameOnce) {
  std::set<std::string> seen;
  for (const Row& row : readRows("tests/conformance/passes/rows"))
    EXPECT_TRUE(seen.insert(row.file + row.name).second) << row.file << ":" << row.line << " is there twice";
}

}  // namespace
}  // namespace hilo::pass_rows
