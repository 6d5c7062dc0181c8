// Convolutions larger than the pieces they are computed in, against the definition written out. Elements
// are small integers: their sums are exact in any order.
#include "tests/support/module_text.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// One dimension: places in the input, by output place and kernel place; outside of it none.
struct Window {
  int64_t stride, padding, inputDilation, kernelDilation, input;
  bool isReversed;
  std::optional<int64_t> place(int64_t output, int64_t kernel) const {
    const int64_t dilated = output * stride + kernel * kernelDilation - padding;
    if (dilated < 0 || dilated % inputDilation != 0 || dilated / inputDilation >= input) return std::nullopt;
    return dilated / inputDilation;
  }
};

struct Sizes {
  int64_t images, channels, features, featureGroups, batchGroups;
};

Literal smallNumbers(Shape shape, int64_t step) {
  Literal literal(shape);
  int64_t at = 0;
  for (float& value : literal.mutableData<float>()) value = static_cast<float>((at++ * step) % 7 - 3);
  return literal;
}

// Arrays are b01f_01io->b01f: kernel of 3x2, windows as below.
constexpr Window kHeight{2, 3, 1, 1, 19, true}, kWidth{1, 2, 2, 2, 17, false};
constexpr int64_t kOutHeight = 11, kOutWidth = 35;

float expectedAt(const Sizes& s, const Literal& x, const Literal& k, int64_t image, int64_t i, int64_t j,
                 int64_t f) {
  const int64_t channels = s.channels / s.featureGroups, group = f / (s.features / s.featureGroups),
                from = image + f / (s.features / s.batchGroups) * (s.images / s.batchGroups);
  float sum = 0;
  for (int64_t a = 0; a < 3; ++a) {
    for (int64_t b = 0; b < 2; ++b) {
      const auto row = kHeight.place(i, a), column = kWidth.place(j, b);
      if (!row || !column) continue;
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t at = ((from * 19 + *row) * 17 + *column) * s.channels + group * channels + c;
        const int64_t by = (((2 - a) * 2 + b) * channels + c) * s.features + f;
        sum += x.data<float>()[static_cast<size_t>(at)] * k.data<float>()[static_cast<size_t>(by)];
      }
    }
  }
  return sum;
}

void expectDefinition(const Sizes& s) {
  SCOPED_TRACE(fmt::format("{} feature groups, {} batch groups", s.featureGroups, s.batchGroups));
  const int64_t images = s.images / s.batchGroups;
  const auto module = moduleOf(fmt::format(
      R"(ENTRY e {{ x = f32[{},19,17,{}] parameter(0)
  k = f32[3,2,{},{}] parameter(1)
  ROOT c = f32[{},11,35,{}] convolution(x, k), window={{size=3x2 stride=2x1 pad=3_1x2_2 lhs_dilate=1x2 rhs_dilate=1x2 rhs_reversal=1x0}}, dim_labels=b01f_01io->b01f, feature_group_count={}, batch_group_count={} }})",
      s.images, s.channels, s.channels / s.featureGroups, s.features, images, s.features, s.featureGroups,
      s.batchGroups));
  ASSERT_NE(module, nullptr);
  const auto parameters = module->entry()->parameters();
  const std::vector<Literal> arguments = {smallNumbers(parameters[0]->shape(), 5),
                                          smallNumbers(parameters[1]->shape(), 3)};
  const auto result = evaluate(*module, arguments);
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  size_t at = 0;
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t i = 0; i < kOutHeight; ++i) {
      for (int64_t j = 0; j < kOutWidth; ++j) {
        for (int64_t f = 0; f < s.features; ++f) {
          ASSERT_EQ(result->data<float>()[at++], expectedAt(s, arguments[0], arguments[1], image, i, j, f))
              << image << " " << i << " " << j << " " << f;
        }
      }
    }
  }
}

TEST(EvalLargeConvolution, IsWhatTheDefinitionSays) {
  expectDefinition({.images = 3, .channels = 5, .features = 19, .featureGroups = 1, .batchGroups = 1});
  expectDefinition({.images = 3, .channels = 6, .features = 40, .featureGroups = 2, .batchGroups = 1});
  expectDefinition({.images = 2, .channels = 12, .features = 12, .featureGroups = 12, .batchGroups = 1});
  expectDefinition({.images = 4, .channels = 3, .features = 36, .featureGroups = 1, .batchGroups = 2});
}

}  // namespace
}  // namespace hilo
