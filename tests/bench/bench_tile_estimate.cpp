// How well the estimate of tilings orders them: Spearman's rank correlation with measured times, of loops
// over tiles by one core of this machine, in time that it worked. Counters:
// `rank_correlation`, `tilings`, and `quickest_at`: how much longer the tiling that is estimated the quickest
// takes than the one that is.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/tiling/core_estimate.h"
#include "core/hlo/text/parse.h"
#include "tests/bench/thread_time.h"

namespace hilo {
namespace {

constexpr int64_t kSize = 1024;
using Sizes = std::vector<int64_t>;

struct Arrays {
  std::vector<float> a = std::vector<float>(kSize * kSize, 1), b = a, c = a;
};

void transpose(const Sizes& sizes, Arrays& x) {
  for (int64_t i = 0; i < kSize; i += sizes[0]) {
    for (int64_t j = 0; j < kSize; j += sizes[1]) {
      for (int64_t r = i; r < std::min(kSize, i + sizes[0]); ++r) {
        for (int64_t c = j; c < std::min(kSize, j + sizes[1]); ++c) x.c[r * kSize + c] = x.a[c * kSize + r];
      }
    }
  }
}

// As kernels write it, without a call: a power of two, and a polynomial for the rest.
inline float exponential(float x) {
  const float power = std::nearbyint(x * 1.44269504F), rest = x - power * 0.693147181F;
  float sum = 1.9875691e-4F;
  for (const float factor : {1.3981999e-3F, 8.3334519e-3F, 4.1665796e-2F, 1.6666666e-1F, 0.5F, 1.F, 1.F})
    sum = sum * rest + factor;
  return sum * std::bit_cast<float>((static_cast<int32_t>(power) + 127) << 23);
}

void exponentials(const Sizes& sizes, Arrays& x) {
  for (int64_t i = 0; i < kSize; i += sizes[0]) {
    for (int64_t j = 0; j < kSize; j += sizes[1]) {
      for (int64_t r = i; r < std::min(kSize, i + sizes[0]); ++r) {
        for (int64_t c = j; c < std::min(kSize, j + sizes[1]); ++c)
          x.c[r * kSize + c] = exponential(x.a[c * kSize + r]) + x.b[r * kSize + c];
      }
    }
  }
}

// A quarter of the sum, so that all tilings are done in a minute.
void multiply(const Sizes& sizes, Arrays& x) {
  constexpr int64_t kSum = kSize / 4;
  for (int64_t i = 0; i < kSize; i += sizes[0]) {
    for (int64_t j = 0; j < kSize; j += sizes[1]) {
      for (int64_t k = 0; k < kSum; k += sizes[2]) {
        for (int64_t r = i; r < i + sizes[0]; ++r) {
          for (int64_t s = k; s < k + sizes[2]; ++s) {
            const float left = x.a[r * kSize + s];
            for (int64_t c = j; c < j + sizes[1]; ++c) x.c[r * kSize + c] += left * x.b[s * kSize + c];
          }
        }
      }
    }
  }
}

double workedNs(void (*work)(const Sizes&, Arrays&), const Sizes& sizes, Arrays& arrays) {
  const double from = threadCpuMs();
  work(sizes, arrays);
  benchmark::DoNotOptimize(arrays.c.data());
  return (threadCpuMs() - from) * 1e6;
}

std::vector<double> ranksOf(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto mean = [](const auto& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double ma = mean(a), mb = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// Of each tiling the least of so many times, some time apart: what others do on the machine only adds.
void compare(benchmark::State& state, const std::string& body, void (*work)(const Sizes&, Arrays&),
             int64_t least, int times) {
  const auto module = parseModule("HloModule m\n" + body).module;
  const TilingSpace space = *tilingSpace(*module->entry()->root());
  Arrays arrays;
  std::vector<CoreRanking> ranking = rankOnCore(space, {});
  std::erase_if(ranking, [&](const CoreRanking& each) {
    return std::ranges::any_of(each.sizes, [&](int64_t size) { return size < least; });
  });
  std::vector<double> estimated, measured(ranking.size(), std::numeric_limits<double>::infinity());
  for (const CoreRanking& each : ranking) estimated.push_back(each.estimate.ns);
  for (auto _ : state) {
    for (int time = 0; time < times; ++time) {
      for (size_t i = 0; i < ranking.size(); ++i)
        measured[i] = std::min(measured[i], workedNs(work, ranking[i].sizes, arrays));
    }
  }
  state.counters["tilings"] = static_cast<double>(measured.size());
  state.counters["rank_correlation"] = correlation(ranksOf(estimated), ranksOf(measured));
  state.counters["quickest_at"] = measured.front() / *std::ranges::min_element(measured);
}

void transposes(benchmark::State& state) {
  compare(state,
          "ENTRY e { p = f32[1024,1024] parameter(0)\n"
          "ROOT t = f32[1024,1024] transpose(p), dimensions={1,0} }",
          transpose, 1, 15);
}

void exponentialsOfTransposes(benchmark::State& state) {
  compare(state,
          "f { p = f32[1024,1024] parameter(0)\nq = f32[1024,1024] parameter(1)\n"
          "t = f32[1024,1024] transpose(p), dimensions={1,0}\ne = f32[1024,1024] exponential(t)\n"
          "ROOT r = f32[1024,1024] add(e, q) }\nENTRY e { p = f32[1024,1024] parameter(0)\n"
          "q = f32[1024,1024] parameter(1)\nROOT g = f32[1024,1024] fusion(p, q), kind=kLoop, calls=f }",
          exponentials, 1, 15);
}

void products(benchmark::State& state) {
  compare(state,
          "ENTRY e { a = f32[1024,256] parameter(0)\nb = f32[256,1024] parameter(1)\n"
          "ROOT d = f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
          multiply, 16, 3);
}

BENCHMARK(transposes)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(exponentialsOfTransposes)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(products)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace hilo
