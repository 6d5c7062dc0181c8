// The training step partitioned over four devices does what it does on one: each device's results are its
// parts of the whole's. HILO_FOUR_DEVICE_STEP is the partitioned step, in the sizes of
// transformer_step_small.hlo.
#include <cmath>

#include "core/hlo/eval/devices.h"
#include "core/hlo/ir/sharding.h"
#include "tests/unit/resources/sample_step.h"

namespace hilo {
namespace {

// The part of `whole` that a device has of a value with this sharding, in the shape it has there.
Literal partOf(const Literal& whole, Shape partShape, const Sharding* sharding, int64_t device) {
  if (sharding == nullptr || sharding->type != Sharding::Type::Tiled) return whole;
  const auto devices = tileDevices(*sharding);
  auto tile = std::ranges::find(devices, device) - devices.begin();
  const auto tiles = sharding->tileDimensions;
  std::vector<int64_t> index(tiles.size());
  for (size_t d = tiles.size(); d-- > 0; tile /= tiles[d]) index[d] = tile % tiles[d];
  Literal part(partShape.withoutLayout());
  const auto out = part.mutableData<uint32_t>();  // every type of the step has four bytes
  const auto in = whole.data<uint32_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    size_t rest = i, from = 0, stride = 1;
    for (size_t d = partShape.rank(); d-- > 0;) {
      const auto size = static_cast<size_t>(partShape.dimension(d));
      from += (rest % size + static_cast<size_t>(index[d]) * size) * stride;
      rest /= size;
      stride *= static_cast<size_t>(whole.shape().dimension(d));
    }
    out[i] = in[from];
  }
  return part;
}

float largestDifference(const Literal& a, const Literal& b) {
  float largest = 0;
  for (size_t i = 0; i < a.data<float>().size(); ++i)
    largest = std::max(largest, std::abs(a.data<float>()[i] - b.data<float>()[i]));
  return largest;
}

TEST(SampleDevices, FourDevicesDoWhatOneDoes) {
  const auto alone = readStep("resources/samples/transformer_step_small.hlo");
  const auto parted = readStep(HILO_FOUR_DEVICE_STEP);
  ASSERT_EQ(gridOf(*parted).count(), 4);
  const std::vector<Literal> arguments = stepArguments(*alone);
  const auto parameters = parted->entry()->parameters();
  ASSERT_EQ(parameters.size(), arguments.size());
  std::vector<std::vector<Literal>> lists(4);
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (int64_t device = 0; device < 4; ++device) {
      lists[static_cast<size_t>(device)].push_back(
          partOf(arguments[i], parameters[i]->shape(), parameters[i]->get<Attr::Sharding>(), device));
    }
  }
  const auto whole = evaluate(*alone, arguments);
  const auto parts = evaluateOnDevices(*parted, gridOf(*parted), lists);
  ASSERT_TRUE(whole.has_value() && parts.has_value()) << toString(parts.error());
  for (size_t i = 0; i <= kLoss; ++i) {
    if (i == kStep) continue;
    const Sharding* sharding = i < kNorm ? parameters[i]->get<Attr::Sharding>() : nullptr;
    // A weight moves by the learning rate even where its gradient is nothing but rounding.
    const float allowed = i >= kWeights && i < kStep ? 1e-3f : 2e-5f;
    for (int64_t device = 0; device < 4; ++device) {
      const Literal& got = (*parts)[static_cast<size_t>(device)].elements()[i];
      const Literal expected = partOf(whole->elements()[i], got.shape(), sharding, device);
      ASSERT_TRUE(got.shape().withoutLayout() == expected.shape().withoutLayout()) << i;
      EXPECT_LE(largestDifference(got, expected), allowed) << "result " << i << " on device " << device;
    }
  }
}

}  // namespace
}  // namespace hilo
