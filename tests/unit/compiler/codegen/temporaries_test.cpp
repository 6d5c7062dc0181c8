// Places for what a program keeps between its parameters and its result.
#include "core/compiler/codegen/lower/temporaries.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Program emptyProgram() {
  Program program;
  program.allocations.push_back({AllocationKind::Temporary, 0, 0});
  program.allocations.push_back({AllocationKind::Parameter, 1000, 0});
  program.sequences.emplace_back();
  return program;
}

TEST(Temporaries, ThoseNeededAtDifferentTimesShareAPlace) {
  Temporaries temporaries(0);
  Program program = emptyProgram();
  auto a = std::make_unique<Slab>(temporaries, 1000);
  auto b = std::make_unique<Slab>(temporaries, 500);
  program.sequences[0].push_back(
      {"first", 0, 1, CopyThunk{ReadSlice(a->slice), WriteSlice(BufferSlice{1, 0, 1000})}});
  a.reset();
  const Slab c(temporaries, 900);
  program.sequences[0].push_back({"second", 1, 1, CopyThunk{ReadSlice(b->slice), WriteSlice(c.slice)}});
  program.resultSlices.push_back(ReadSlice(c.slice));
  temporaries.place(program);

  const auto& first = std::get<CopyThunk>(program.sequences[0][0].body);
  const auto& second = std::get<CopyThunk>(program.sequences[0][1].body);
  EXPECT_EQ(first.source.offsetBytes, second.destination.offsetBytes);
  EXPECT_FALSE(second.source.overlaps(second.destination));
  EXPECT_FALSE(first.source.overlaps(second.source));  // both are needed at first
  EXPECT_EQ(first.destination, (BufferSlice{1, 0, 1000}));
  EXPECT_EQ(program.resultSlices[0].offsetBytes, second.destination.offsetBytes);
  EXPECT_EQ(program.allocations[0].sizeBytes, 512 + 1000);
  for (const BufferSlice& slice : {BufferSlice(first.source), BufferSlice(second.source)})
    EXPECT_EQ(slice.offsetBytes % Temporaries::kAlignment, 0);
}

TEST(Temporaries, PartsOfAnArrayMoveWithIt) {
  Temporaries temporaries(0);
  Program program = emptyProgram();
  const Slab small(temporaries, 10), large(temporaries, 1000);
  BufferSlice part = large.slice;
  part.offsetBytes += 100;
  part.sizeBytes = 50;
  program.resultSlices = {ReadSlice(large.slice), ReadSlice(part), ReadSlice(small.slice)};
  temporaries.place(program);
  EXPECT_EQ(program.resultSlices[1].offsetBytes, program.resultSlices[0].offsetBytes + 100);
  EXPECT_FALSE(program.resultSlices[2].overlaps(program.resultSlices[0]));
}

TEST(Temporaries, AnEmptyArrayHasAPlaceWithinTheAllocation) {
  Temporaries temporaries(0);
  Program program = emptyProgram();
  const Slab none(temporaries, 0);
  program.resultSlices = {ReadSlice(none.slice)};
  temporaries.place(program);
  EXPECT_EQ(program.resultSlices[0].sizeBytes, 0);
  EXPECT_LE(program.resultSlices[0].offsetBytes, program.allocations[0].sizeBytes);
}

}  // namespace
}  // namespace hilo
