// Maps from an element to those it is made of: held to the evaluator, which is given each operand once more
// with one element changed.
#include "core/analysis/indexing/operand_indexing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using Pairs = std::set<std::pair<int64_t, int64_t>>;  // element of the result, of the operand

std::vector<int64_t> placeOf(int64_t linear, std::span<const int64_t> sizes) {
  std::vector<int64_t> place(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; linear /= sizes[d]) place[d] = linear % sizes[d];
  return place;
}

int64_t linearOf(std::span<const int64_t> place, std::span<const int64_t> sizes) {
  int64_t linear = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    EXPECT_TRUE(0 <= place[d] && place[d] < sizes[d]) << "outside in dimension " << d;
    linear = linear * sizes[d] + place[d];
  }
  return linear;
}

// What the map reads for one element: every value of the symbols, runtime variables as the
// arguments have them.
void addReads(const IndexingMap& map, std::vector<int64_t> values, std::span<const int64_t> sizes,
              const std::vector<Literal>& arguments, int64_t element, Pairs& pairs) {
  if (values.size() == map.variables.size()) {
    if (!map.isDefinedAt(values)) return;
    std::vector<int64_t> place;
    for (const AffineExpression& result : map.results) place.push_back(result.evaluate(values));
    pairs.emplace(element, linearOf(place, sizes));
    return;
  }
  const IndexVariable& next = map.variables[values.size()];
  int64_t from = next.range.lower, to = next.range.upper;
  if (next.read != nullptr) {
    const Literal& read = arguments[static_cast<size_t>(next.read->parameterNumber())];
    std::vector<int64_t> place;
    for (const AffineExpression& at : next.place) place.push_back(at.evaluate(values));
    const int64_t value =
        read.data<int32_t>()[static_cast<size_t>(linearOf(place, read.shape().dimensions()))];
    from = to = std::clamp(value, from, to);
  }
  for (int64_t value = from; value <= to; ++value) {
    values.push_back(value);
    addReads(map, values, sizes, arguments, element, pairs);
    values.pop_back();
  }
}

Pairs predicted(const std::vector<IndexingMap>& maps, Shape result, Shape operand,
                const std::vector<Literal>& arguments) {
  Pairs pairs;
  for (int64_t element = 0; element < result.elementCount(); ++element) {
    for (const IndexingMap& map : maps)
      addReads(map, placeOf(element, result.dimensions()), operand.dimensions(), arguments, element, pairs);
  }
  return pairs;
}

// Elements of the result that change with each element of the operand.
Pairs observed(const Module& module, size_t operand, std::vector<Literal> arguments) {
  Pairs pairs;
  const Literal before = *evaluate(module, arguments);
  for (size_t i = 0; i < arguments[operand].data<int32_t>().size(); ++i) {
    std::vector<Literal> changed = arguments;
    changed[operand].mutableData<int32_t>()[i] += 1000;
    const Literal after = *evaluate(module, changed);
    for (size_t e = 0; e < before.data<int32_t>().size(); ++e) {
      if (before.data<int32_t>()[e] != after.data<int32_t>()[e])
        pairs.emplace(static_cast<int64_t>(e), static_cast<int64_t>(i));
    }
  }
  return pairs;
}

// Every operand of the root in `operands`, of parameters p0, p1... with different positive values.
void expectExact(const std::string& body, std::initializer_list<size_t> operands = {0}) {
  const auto module = moduleWithReducers(body);
  ASSERT_TRUE(module);
  const Instruction& root = *module->entry()->root();
  const auto made = makeArguments(*module, 3);
  ASSERT_TRUE(made);
  std::vector<Literal> arguments = made->arguments;
  for (const size_t operand : operands) {
    const auto number = static_cast<size_t>(root.operand(operand)->parameterNumber());
    for (size_t i = 0; i < arguments[number].data<int32_t>().size(); ++i)
      arguments[number].mutableData<int32_t>()[i] = static_cast<int32_t>(i + 1);
  }
  for (const size_t operand : operands) {
    const auto maps = readIndexing(root, operand);
    ASSERT_TRUE(maps) << body;
    const Shape shape = root.operand(operand)->shape();
    const auto number = static_cast<size_t>(root.operand(operand)->parameterNumber());
    EXPECT_EQ(predicted(*maps, root.shape(), shape, arguments), observed(*module, number, arguments)) << body;
  }
}

TEST(OperandIndexing, OfWhatMovesData) {
  expectExact("p = s32[3,4] parameter(0)\nROOT r = s32[4,3] transpose(p), dimensions={1,0}");
  expectExact("p = s32[3] parameter(0)\nROOT r = s32[2,3,2] broadcast(p), dimensions={1}");
  expectExact("p = s32[7,5] parameter(0)\nROOT r = s32[3,2] slice(p), slice={[1:7:2],[2:4]}");
  expectExact("p = s32[3,4] parameter(0)\nROOT r = s32[3,4] reverse(p), dimensions={1}");
  expectExact("p = s32[6,4] parameter(0)\nROOT r = s32[2,3,4] reshape(p)");
  expectExact("p = s32[2,6] parameter(0)\nROOT r = s32[3,1,4] reshape(p)");
  expectExact("p = s32[6,4]{0,1} parameter(0)\nROOT r = s32[4,2,3]{2,1,0} bitcast(p)");
  expectExact(
      "p = s32[2,3] parameter(0)\nq = s32[2,4] parameter(1)\n"
      "ROOT r = s32[2,7] concatenate(p, q), dimensions={1}",
      {0, 1});
  expectExact(
      "p = s32[3,4] parameter(0)\nz = s32[] constant(0)\n"
      "ROOT r = s32[8,3] pad(p, z), padding=1_2_1x-1_0");
}

TEST(OperandIndexing, OfWhatReadsItsPlaces) {
  expectExact(
      "p = s32[6,5] parameter(0)\ni = s32[] parameter(1)\nj = s32[] parameter(2)\n"
      "ROOT r = s32[3,2] dynamic-slice(p, i, j), dynamic_slice_sizes={3,2}");
  expectExact(
      "p = s32[6,5] parameter(0)\nu = s32[2,5] parameter(1)\ni = s32[] parameter(2)\nj = s32[] parameter(3)\n"
      "ROOT r = s32[6,5] dynamic-update-slice(p, u, i, j)",
      {1});
  expectExact(
      "p = s32[6,5] parameter(0)\ni = s32[4,2] parameter(1)\n"
      "ROOT r = s32[4,2] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "
      "index_vector_dim=1, slice_sizes={1,2}");
  expectExact(
      "p = s32[3,6,5] parameter(0)\ni = s32[2,3] parameter(1)\n"
      "ROOT r = s32[2,3,5] gather(p, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, "
      "operand_batching_dims={0}, start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1,1,5}");
}

TEST(OperandIndexing, OfWhatManyElementsGoInto) {
  expectExact(
      "p = s32[3,4,2] parameter(0)\nz = s32[] constant(0)\n"
      "ROOT r = s32[4] reduce(p, z), dimensions={0,2}, to_apply=add");
  expectExact(
      "p = s32[9,6] parameter(0)\nz = s32[] constant(0)\n"
      "ROOT r = s32[6,11] reduce-window(p, z), window={size=3x2 stride=2x1 pad=2_2x1_0 lhs_dilate=1x2 "
      "rhs_dilate=1x1}, to_apply=add");
  expectExact(
      "p = s32[2,3,4] parameter(0)\nq = s32[2,4,5] parameter(1)\n"
      "ROOT r = s32[2,3,5] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}",
      {0, 1});
  expectExact(
      "p = s32[2,6,5,4] parameter(0)\nk = s32[3,2,2,6] parameter(1)\n"
      "ROOT r = s32[2,3,5,6] convolution(p, k), window={size=3x2 stride=2x1 pad=1_1x1_0 rhs_reversal=1x0}, "
      "dim_labels=b01f_01io->b01f, feature_group_count=2",
      {0, 1});
  expectExact(
      "p = s32[4,5,2] parameter(0)\nk = s32[3,2,4] parameter(1)\n"
      "ROOT r = s32[2,4,4] convolution(p, k), window={size=3 pad=0_3 lhs_dilate=1 rhs_dilate=2}, "
      "dim_labels=b0f_0io->b0f, batch_group_count=2",
      {0, 1});
}

// Through a transpose, a reshape and a sum; the parameter is also read in its own place.
TEST(OperandIndexing, GoesThroughFusions) {
  const std::string fused =
      "f { p = s32[4,6] parameter(0)\n t = s32[6,4] transpose(p), dimensions={1,0}\n"
      " s = s32[2,3,4] reshape(t)\n z = s32[] constant(0)\n r = s32[2,4] reduce(s, z), dimensions={1}, "
      "to_apply=add\n"
      " c = s32[2,4] slice(p), slice={[2:4],[0:4]}\n ROOT a = s32[2,4] add(r, c) }\n";
  const std::string body = fused +
                           "ENTRY e { p = s32[4,6] parameter(0)\n"
                           " ROOT r = s32[2,4] fusion(p), kind=kLoop, calls=f }";
  expectExact(body);
  const auto module = moduleWithReducers(body);
  const auto maps = readIndexing(*module->entry()->root(), 0);
  ASSERT_TRUE(maps && maps->size() == 2);
  EXPECT_EQ(toString((*maps)[0]), "(d0, d1) -> (d0 + 2, d1), d0 in [0, 1], d1 in [0, 3]");
  EXPECT_EQ(toString((*maps)[1]),
            "(d0, d1)[s0] -> (d1, d0 * 3 + s0), d0 in [0, 1], d1 in [0, 3], s0 in [0, 2]");
}

// XLA lets a fusion have more operands than its computation has parameters: nothing of them is read.
TEST(OperandIndexing, ReadsNothingOfAnOperandThatAFusionDoesNotTake) {
  const auto module = moduleWithReducers(
      "f { p = s32[4] parameter(0)\n ROOT n = s32[4] negate(p) }\n"
      "ENTRY e { a = s32[4] parameter(0)\n b = s32[4] parameter(1)\n"
      " ROOT r = s32[4] fusion(a, b), kind=kLoop, calls=f }");
  ASSERT_TRUE(module);
  const auto maps = readIndexing(*module->entry()->root(), 1);
  ASSERT_TRUE(maps);
  EXPECT_TRUE(maps->empty());
}

TEST(OperandIndexing, SaysWhatIsReadAndWhereItHolds) {
  const auto module = moduleWithReducers(
      "p = s32[4] parameter(0)\nq = s32[4] parameter(1)\ni = s32[] parameter(2)\n"
      "c = s32[8] concatenate(p, q), dimensions={0}\nROOT r = s32[3] dynamic-slice(c, i), "
      "dynamic_slice_sizes={3}");
  ASSERT_TRUE(module);
  const auto read = readIndexing(*module->entry()->root(), 0),
             joined = readIndexing(*module->findInstruction("c"), 1);
  EXPECT_EQ(toString((*read)[0]), "(d0)[rt0] -> (d0 + rt0), d0 in [0, 2], rt0 in [0, 5] = %i()");
  EXPECT_EQ(toString((*joined)[0]), "(d0) -> (d0 - 4), d0 in [4, 7]");
}

// Each turn and reshape puts every index into both of the next.
TEST(OperandIndexing, GivesUpWhereExpressionsWouldGrowWithoutEnd) {
  std::string steps = "f { x0 = s32[5,7] parameter(0)\n";
  for (int i = 0; i < 60; ++i)
    steps += fmt::format(
        "t{0} = s32[7,5] transpose(x{0}), dimensions={{1,0}}\nx{1} = s32[5,7] reshape(t{0})\n", i, i + 1);
  const auto module =
      moduleWithReducers(steps +
                         "ROOT r = s32[5,7] copy(x60) }\nENTRY e { p = s32[5,7] parameter(0)\n"
                         "ROOT f = s32[5,7] fusion(p), kind=kLoop, calls=f }");
  ASSERT_TRUE(module);
  EXPECT_FALSE(readIndexing(*module->entry()->root(), 0));
}

TEST(OperandIndexing, IsUnknownWhereValuesDecide) {
  const auto module = moduleWithReducers(
      "p = s32[4] parameter(0)\ni = s32[2,1] parameter(1)\nu = s32[2] parameter(2)\n"
      "ROOT r = s32[4] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  ASSERT_TRUE(module);
  EXPECT_FALSE(readIndexing(*module->entry()->root(), 0));
}

}  // namespace
}  // namespace hilo
