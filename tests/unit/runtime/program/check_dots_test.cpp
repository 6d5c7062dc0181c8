// What a program from outside may not say of products, convolutions and rows between products.
#include <gtest/gtest.h>

#include "core/runtime/program/program_file.h"

namespace hilo {
namespace {

// Parameters 0 and 1 of 4096 bytes, a temporary of as many, which is the result.
Program programOf(ThunkBody body) {
  const Shape shape = Shape::array(ElementType::F32, {1024});
  Program program;
  program.target = {"x86_64-pc-linux-gnu", "skylake", {}};
  program.parameters = {shape, shape};
  program.parameterNames = {"p", "q"};
  program.result = shape;
  program.resultNames = {"r"};
  program.allocations = {{AllocationKind::Temporary, 4096, 0},
                         {AllocationKind::Parameter, 4096, 0},
                         {AllocationKind::Parameter, 4096, 1}};
  program.objects = {{}};
  program.kernels = {{"k", "kernel", 0}};
  program.resultSlices = {ReadSlice({0, 0, 4096})};
  program.sequences = {{{"a", 1, 10, std::move(body)}}};
  return program;
}
constexpr BufferSlice kLhs{1, 0, 4096}, kRhs{2, 0, 4096}, kResult{0, 0, 4096}, kNowhere{0, 0, 0};

template <typename Body, typename Change>
bool isTaken(Body body, const Change& change) {
  change(body);
  const Program program = programOf(std::move(body));
  const Status checked = checkProgram(program);
  if (checked) EXPECT_EQ(toText(*deserialize(serialize(program))), toText(program));
  if (!checked) EXPECT_EQ(checked.error().kind, "malformed-program");
  return checked.has_value();
}

TEST(CheckDots, Convolutions) {
  // [2, 8, 8, 8] with a filter [3, 3, 8, 4] to [2, 8, 8, 4].
  ConvolutionThunk c;
  c.batch = 2;
  c.inputFeatures = 8;
  c.outputFeatures = 4;
  c.inputSizes = c.outputSizes = {8, 8};
  c.filterSizes = {3, 3};
  c.strides = c.dilations = c.paddings = {1, 1};
  c.filterStrides = {0, 1, 4, 96, 32};
  c.lhs = ReadSlice(kLhs);
  c.rhs = ReadSlice(kRhs);
  c.result = WriteSlice(kResult);
  using C = ConvolutionThunk;
  EXPECT_TRUE(isTaken(c, [](C&) {}));
  EXPECT_TRUE(isTaken(c, [](C& x) { x.type = ElementType::BF16; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.type = ElementType::F64; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.kind = ConvolutionKind::Unset; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.batch = 3; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.batch = 0; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.batch = int64_t{1} << 62; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.outputFeatures = 9; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.inputSizes = {8}; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.inputSizes = {64, 1}; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.strides[0] = 0; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.paddings[1] = -1; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.filterStrides[3] = 960; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.filterStrides[1] = -1; }));
  EXPECT_FALSE(isTaken(c, [](C& x) { x.filterStrides.pop_back(); }));
  // As the gradient of its filter, the result would be the filter, and rhs the output.
  EXPECT_TRUE(isTaken(c, [](C& x) { x.kind = ConvolutionKind::Wgrad; }));
  EXPECT_FALSE(isTaken(c, [](C& x) {
    x.kind = ConvolutionKind::Wgrad;
    x.rhs = ReadSlice({2, 0, 1024});
  }));
}

TEST(CheckDots, RowsBetween) {
  // Two matrices of 16 rows: [16, 8] by [8, 32], a kernel on the rows, [16, 32] by [32, 4].
  RowBlocksThunk blocks;
  blocks.before = {ElementType::F32,
                   ElementType::F32,
                   {2},
                   16,
                   32,
                   8,
                   {128, 8, 1},
                   {256, 32, 1},
                   {512, 32, 1},
                   ReadSlice(kLhs),
                   ReadSlice(kRhs),
                   WriteSlice(kNowhere)};
  blocks.kernel = {0, 32, 1, {ReadSlice(kNowhere), ReadSlice(kRhs)}, {WriteSlice(kNowhere)}};
  blocks.after = {ElementType::F32,
                  ElementType::F32,
                  {2},
                  16,
                  4,
                  32,
                  {512, 32, 1},
                  {128, 4, 1},
                  {64, 4, 1},
                  ReadSlice(kNowhere),
                  ReadSlice(kRhs),
                  WriteSlice(kResult)};
  blocks.rowsAtOnce = 16;
  using B = RowBlocksThunk;
  EXPECT_TRUE(isTaken(blocks, [](B&) {}));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.rowsAtOnce = 0; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.rowsArgument = 2; }));
  EXPECT_TRUE(isTaken(blocks, [](B& b) { b.kernel.iterations = 96; }));
  EXPECT_TRUE(isTaken(blocks, [](B& b) { b.kernel.iterations = 4; }));
  for (const int64_t iterations : {-1, 0, 3, 33})
    EXPECT_FALSE(isTaken(blocks, [&](B& b) { b.kernel.iterations = iterations; }));
  // Two rows an iteration: no block ends between them.
  EXPECT_FALSE(isTaken(blocks, [](B& b) {
    b.kernel.iterations = 16;
    b.rowsAtOnce = 3;
  }));
  // Nor any matrix: this one would go over both.
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.kernel.iterations = 1; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.kernel.kernel = 1; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.after.m = 8; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.before.batch = {3}; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.before.resultStrides[1] = 64; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.after.lhsStrides[2] = 2; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.before.lhsStrides[0] = 1000; }));
  EXPECT_FALSE(isTaken(blocks, [](B& b) { b.after.n = 0; }));
}

}  // namespace
}  // namespace hilo
