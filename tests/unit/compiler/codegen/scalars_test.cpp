// The scalar functions of kernels, as native code, against the C library in f64: within the bound scalars.h
// states, over a dense sample of all floats and every special value.
#include "core/compiler/codegen/emit/scalars/scalars.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/base/float_formats.h"

namespace hilo {
namespace {

struct Function {
  const char* name;
  float (*ours)(float);
  double (*exact)(double);
  double boundUlp = 0.51;
};

const Function kFunctions[] = {
    {"exponential", hilo_exponential_f32, [](double x) { return std::exp(x); }, 1},
    {"exponential-minus-one", hilo_exponential_minus_one_f32, [](double x) { return std::expm1(x); }, 1.4},
    {"log", hilo_log_f32, [](double x) { return std::log(x); }, 0.9},
    {"log-plus-one", hilo_log_plus_one_f32, [](double x) { return std::log1p(x); }},
    {"logistic", hilo_logistic_f32, [](double x) { return 1 / (1 + std::exp(-x)); }, 1.9},
    {"tanh", hilo_tanh_f32, [](double x) { return std::tanh(x); }, 1.9},
    {"erf", hilo_erf_f32, [](double x) { return std::erf(x); }, 1.1},
    {"rsqrt", hilo_rsqrt_f32, [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {"cosine", hilo_cosine_f32, [](double x) { return std::cos(x); }, 1.5},
    {"sine", hilo_sine_f32, [](double x) { return std::sin(x); }, 1.5},
    // The C library's.
    {"acos", hilo_acos_f32, [](double x) { return std::acos(x); }, 1},
    {"acosh", hilo_acosh_f32, [](double x) { return std::acosh(x); }, 2},
    {"asin", hilo_asin_f32, [](double x) { return std::asin(x); }, 1},
    {"asinh", hilo_asinh_f32, [](double x) { return std::asinh(x); }, 2},
    {"atanh", hilo_atanh_f32, [](double x) { return std::atanh(x); }, 2},
    {"cbrt", hilo_cbrt_f32, [](double x) { return std::cbrt(x); }, 1},
    {"cosh", hilo_cosh_f32, [](double x) { return std::cosh(x); }, 2},
    {"sinh", hilo_sinh_f32, [](double x) { return std::sinh(x); }, 2},
    {"tan", hilo_tan_f32, [](double x) { return std::tan(x); }, 1.1},
};

double errorInUlp(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : INFINITY;
  const double step = static_cast<double>(std::nextafter(std::abs(nearest), INFINITY)) - std::abs(nearest);
  return std::abs(static_cast<double>(got) - exact) / step;
}

TEST(Scalars, RealFunctionsOfF32AreWithinTheirBound) {
  for (const Function& function : kFunctions) {
    double worst = 0;
    float at = 0;
    const auto look = [&](uint32_t bits) {
      const auto x = std::bit_cast<float>(bits);
      const double error = errorInUlp(function.ours(x), function.exact(x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    };
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4093) look(static_cast<uint32_t>(bits));
    for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 88.7228f, -103.97f, 1e-45f})
      look(std::bit_cast<uint32_t>(x));
    EXPECT_LE(worst, function.boundUlp) << function.name << " at " << at;
    ::testing::Test::RecordProperty(function.name, fmt::format("{:.3f}", worst));
  }
}

TEST(Scalars, PowerOfF32IsWithinItsBound) {
  double worst = 0;
  const auto look = [&](float x, float y) {
    const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
    const float got = hilo_power_f32(x, y);
    EXPECT_EQ(std::signbit(got) && got == 0, std::signbit(exact) && static_cast<float>(exact) == 0.0F)
        << x << " to the power of " << y;
    const double error = errorInUlp(got, exact);
    EXPECT_LE(error, 1.3) << x << " to the power of " << y;
    worst = std::max(worst, error);
  };
  constexpr float kSpecial[] = {0,        1,      2,     0.5F,    3,        2.5F,           127,
                                150,      1e-45F, 3e38F, 0x1p24F, 16777215, 0x1.fffffep-1F, 0x1.000002p0F,
                                INFINITY, NAN};
  for (const float x : kSpecial) {
    for (const float y : kSpecial) {
      for (const float sign : {1.0F, -1.0F}) {
        look(sign * x, y);
        look(sign * x, -y);
      }
    }
  }
  // Bases over all magnitudes, and powers that bring them to results of all magnitudes.
  for (uint32_t i = 1; i < 1'000'000; ++i) {
    const auto x = std::bit_cast<float>(i * 2131);
    const float most = 150 / std::max(1e-6F, std::abs(std::log2(x)));
    look(x, most * (static_cast<float>(i % 1009) / 504.5F - 1));
  }
  ::testing::Test::RecordProperty("power", fmt::format("{:.3f}", worst));
}

// How many representable values lie between; NaN agrees with NaN.
template <typename Narrow>
int placesBetween(Narrow a, Narrow b) {
  const auto x = static_cast<float>(a), y = static_cast<float>(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? 0 : 1 << 16;
  const auto place = [](Narrow value) {
    const int magnitude = value.bits & 0x7fff;
    return (value.bits & 0x8000) != 0 ? -magnitude : magnitude;
  };
  return std::abs(place(a) - place(b));
}

// Every value of a 16-bit type: the function in f32, rounded, is the rounded true value or next to it.
template <typename Narrow>
void expectEveryValueClose(const char* type) {
  for (const Function& function : kFunctions) {
    int worst = 0, notNearest = 0;
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      const auto x = static_cast<float>(Narrow::fromBits(static_cast<uint16_t>(bits)));
      const int places = placesBetween(Narrow(function.ours(x)), Narrow(function.exact(x)));
      worst = std::max(worst, places);
      notNearest += places == 0 ? 0 : 1;
    }
    EXPECT_LE(worst, 1) << function.name << " of " << type;
    // Only where the true value lies within f32's error of the middle between two.
    EXPECT_LE(notNearest, 40) << function.name << " of " << type;
  }
}

TEST(Scalars, EveryValueOfSixteenBitsIsTheNearestOrNextToIt) {
  expectEveryValueClose<F16>("f16");
  expectEveryValueClose<BF16>("bf16");
}

TEST(Scalars, NearFormsGiveWhatTheFunctionsGive) {
  for (uint32_t bits = 0; bits <= std::bit_cast<uint32_t>(kNearAngle); bits += 4093) {
    for (const float x : {std::bit_cast<float>(bits), -std::bit_cast<float>(bits)}) {
      ASSERT_EQ(hilo_sine_near_f32(x), hilo_sine_f32(x)) << x;
      ASSERT_EQ(hilo_cosine_near_f32(x), hilo_cosine_f32(x)) << x;
    }
  }
  EXPECT_EQ(hilo_sine_near_f32(kNearAngle), hilo_sine_f32(kNearAngle));
  EXPECT_TRUE(std::isnan(hilo_cosine_near_f32(NAN)));
}

TEST(Scalars, ZeroKeepsItsSign) {
  for (const auto& function :
       {hilo_exponential_minus_one_f32, hilo_log_plus_one_f32, hilo_tanh_f32, hilo_erf_f32}) {
    EXPECT_TRUE(std::signbit(function(-0.0f)));
    EXPECT_FALSE(std::signbit(function(0.0f)));
  }
}

// Random123's known answer for Threefry-2x32 with 20 rounds: zero counter, zero key.
TEST(Scalars, ThreefryGivesThePublishedBits) { EXPECT_EQ(hilo_threefry(0, 0), 0x99ba4efe6b200159u); }

}  // namespace
}  // namespace hilo
