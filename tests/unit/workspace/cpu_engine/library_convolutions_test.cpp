// Convolutions of every form that the library is given, by the evaluator and by the cpu engine with its
// passes. Elements are small integers, so that every sum is exact and the answers are the same bits.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/unit/workspace/cpu_engine/same_bits.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

// A random convolution as text.
class Form {
 public:
  explicit Form(uint64_t seed) : random_(seed) {
    rank_ = 1 + pick(3);
    gradient_ = pick(4);
    groups_ = pick(3) == 0 ? 1 + pick(4) : 1;
    batchGroups_ = groups_ == 1 && pick(4) == 0 ? 2 : 1;
    for (int64_t d = 0; d < rank_; ++d) addDimension();
  }
  bool isWhole() const {
    return std::ranges::all_of(output_, [](int64_t size) { return size > 0; });
  }

  std::string text() {
    const char* types[] = {"f32", "bf16", "f16"};
    const std::string type = types[pick(3)], result = pick(2) == 0 ? "f32" : type;
    const int64_t batch = (1 + pick(4)) * batchGroups_, channels = 1 + pick(20),
                  features = (1 + pick(20)) * groups_ * batchGroups_;
    const auto [x, xLabels] = array({batch, channels * groups_}, "bf", input_);
    const auto [k, kLabels] = array({channels, features}, "io", window_);
    const auto [y, yLabels] = array({batch / batchGroups_, features}, "bf", output_);
    return fmt::format(
        "HloModule m\nENTRY e {{\n x = f32{0} parameter(0)\n k = f32{1} parameter(1)\n"
        " tx = {3}{0} convert(x)\n tk = {3}{1} convert(k)\n"
        " y = {4}{2} convolution(tx, tk), window={{{5}}}, dim_labels={6}_{7}->{8}, "
        "feature_group_count={9}, batch_group_count={10}\n ROOT r = f32{2} convert(y)\n}}\n",
        x, k, y, type, result, windowText(), xLabels, kLabels, yLabels, groups_, batchGroups_);
  }

 private:
  int64_t pick(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }

  void addDimension() {
    const bool isBig = gradient_ == 1;
    const int64_t largest = rank_ == 1 ? 40 : rank_ == 2 ? 14 : 7;
    const int64_t input = 3 + pick(largest),
                  size = isBig ? std::max<int64_t>(1, input - pick(3)) : 1 + pick(4);
    const int64_t stride = gradient_ == 2 ? 1 : 1 + pick(3), dilation = 1 + pick(2),
                  base = gradient_ == 2 ? 1 + pick(3) : (pick(8) == 0 ? 2 : 1);
    const int64_t extent = (size - 1) * dilation + 1;
    int64_t low = pick(extent + 1), high = pick(extent + 1);
    if (pick(8) == 0) low = -1;
    if (pick(8) == 0) high = -1 - pick(2);
    input_.push_back(input);
    window_.push_back(size);
    const int64_t padded = (input - 1) * base + 1 + low + high;
    output_.push_back(padded < extent ? 0 : (padded - extent) / stride + 1);
    const bool isReversed = pick(3) == 0;
    texts_[0].push_back(std::to_string(size));
    texts_[1].push_back(std::to_string(stride));
    texts_[2].push_back(fmt::format("{}_{}", low, high));
    texts_[3].push_back(std::to_string(base));
    texts_[4].push_back(std::to_string(dilation));
    texts_[5].push_back(isReversed ? "1" : "0");
  }

  std::string windowText() const {
    const char* names[] = {"size=", " stride=", " pad=", " lhs_dilate=", " rhs_dilate=", " rhs_reversal="};
    std::string text;
    for (size_t i = 0; i < 6; ++i) text += names[i] + fmt::format("{}", fmt::join(texts_[i], "x"));
    return text;
  }

  // Shape and labels with the dimensions in any order, and in any order in memory.
  std::pair<std::string, std::string> array(Sizes two, std::string_view letters, const Sizes& space) {
    std::string labels(letters);
    for (size_t i = 0; i < space.size(); ++i) labels += static_cast<char>('0' + i);
    two.insert(two.end(), space.begin(), space.end());
    std::vector<size_t> order(two.size()), layout(two.size());
    std::iota(order.begin(), order.end(), 0);
    std::iota(layout.begin(), layout.end(), 0);
    if (pick(3) > 0) std::ranges::shuffle(order, random_);
    pick(3) > 0 ? std::ranges::reverse(layout) : std::ranges::shuffle(layout, random_);
    Sizes sizes;
    std::string shuffled;
    for (const size_t d : order) {
      sizes.push_back(two[d]);
      shuffled += labels[d];
    }
    return {fmt::format("[{}]{{{}}}", fmt::join(sizes, ","), fmt::join(layout, ",")), shuffled};
  }

  std::mt19937_64 random_;
  int64_t rank_, gradient_, groups_, batchGroups_;
  Sizes input_, window_, output_;
  std::vector<std::string> texts_[6];
};

constexpr auto kConvolution = ThunkKind::Convolution;

TEST(LibraryConvolutions, OfEveryFormGiveTheEvaluatorsBits) {
  int tried = 0, byLibrary = 0;
  for (uint64_t seed = 0; tried < 150; ++seed) {
    Form form(seed);
    if (!form.isWhole()) continue;
    ++tried;
    byLibrary += expectTheSameBits(form.text(), kConvolution);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(byLibrary, tried / 3);
}

// Filters whose order is changed by several threads, in blocks that their features may not fill.
TEST(LibraryConvolutions, OfLargeFiltersGiveTheEvaluatorsBits) {
  for (const int64_t features : {320, 500, 528}) {
    EXPECT_TRUE(expectTheSameBits(
        fmt::format("HloModule m\nENTRY e {{\n x = f32[1,4,4,224] parameter(0)\n"
                    " k = f32[1,1,224,{0}] parameter(1)\n ROOT y = f32[1,4,4,{0}] convolution(x, k), "
                    "window={{size=1x1}}, dim_labels=b01f_01io->b01f\n}}\n",
                    features),
        kConvolution));
  }
}

// Few places and a large filter, whose features are shared out.
TEST(LibraryConvolutions, OfFewPlacesGiveTheEvaluatorsBits) {
  for (const int64_t features : {130, 200, 256}) {
    EXPECT_TRUE(expectTheSameBits(
        fmt::format("HloModule m\nENTRY e {{\n x = f32[1,3,5,72] parameter(0)\n"
                    " k = f32[3,3,72,{0}] parameter(1)\n ROOT y = f32[1,3,5,{0}] convolution(x, k), "
                    "window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f\n}}\n",
                    features),
        kConvolution));
  }
}

}  // namespace
}  // namespace hilo
