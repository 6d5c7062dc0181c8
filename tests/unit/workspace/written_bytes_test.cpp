#include "core/workspace/thunks/written_bytes.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

ThunkUse bytes(int64_t begin, int64_t end, uint32_t allocation = 0) {
  return {.allocation = allocation, .offsetBytes = begin, .sizeBytes = end - begin};
}

TEST(WrittenBytes, TheLastWriterOfAllTheBytes) {
  WrittenBytes written;
  written.add(bytes(0, 100), 1);
  written.add(bytes(0, 100, 1), 2);
  EXPECT_EQ(written.writerOf(bytes(20, 30)), 1u);
  EXPECT_EQ(written.writerOf(bytes(0, 100, 1)), 2u);
  EXPECT_EQ(written.writerOf(bytes(90, 110)), StudiedThunk::kNone);
  EXPECT_EQ(written.writerOf(bytes(0, 8, 2)), StudiedThunk::kNone);
  written.add(bytes(40, 60), 3);
  EXPECT_EQ(written.writerOf(bytes(0, 40)), 1u);
  EXPECT_EQ(written.writerOf(bytes(44, 60)), 3u);
  EXPECT_EQ(written.writerOf(bytes(60, 100)), 1u);
  EXPECT_EQ(written.writerOf(bytes(30, 50)), StudiedThunk::kNone) << "two wrote a part each";
  written.add(bytes(10, 90), 4);
  EXPECT_EQ(written.writerOf(bytes(10, 90)), 4u);
  EXPECT_EQ(written.writerOf(bytes(0, 10)), 1u);
  EXPECT_EQ(written.writerOf(bytes(90, 100)), 1u);
}

}  // namespace
}  // namespace hilo
