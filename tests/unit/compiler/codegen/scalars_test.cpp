// The scalar functions of kernels, as native code, against the C library in f64: within the bound scalars.h
// states, over a dense sample of all floats and every special value.
#include "core/compiler/codegen/scalars/scalars.h"

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
    {"log", hilo_log_f32, [](double x) { return std::log(x); }},
    {"log-plus-one", hilo_log_plus_one_f32, [](double x) { return std::log1p(x); }},
    {"logistic", hilo_logistic_f32, [](double x) { return 1 / (1 + std::exp(-x)); }, 1.7},
    {"tanh", hilo_tanh_f32, [](double x) { return std::tanh(x); }, 1.3},
    {"erf", hilo_erf_f32, [](double x) { return std::erf(x); }},
    {"rsqrt", hilo_rsqrt_f32, [](double x) { return 1 / std::sqrt(x); }, 1.5},
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
  }
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
