// Kernels of tests/data/ptx/many.cu, compiled by nvcc, and what the host makes of the same.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/float_formats.h"
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

using Ints = std::vector<int>;
constexpr size_t kBlock = 256;
constexpr uint32_t kAtEnd = 1024;  // elements of y beyond n that kernels use

// An element of x by its place, in parts of `part` elements that a kernel treats alike.
template <typename F>
Ints each(const Ints& x, F&& value) {
  Ints y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = value(x[i], i);
  return y;
}
template <typename F>
Ints parts(const Ints& x, size_t part, F&& change) {
  Ints y = x;
  for (size_t i = 0; i < x.size(); i += part)
    change(y.begin() + static_cast<long>(i), y.begin() + static_cast<long>(i + part));
  return y;
}
template <typename F>
Ints onePerPart(const Ints& x, size_t part, F&& value) {
  Ints y(x.size());
  for (size_t i = 0; i < x.size(); i += part)
    y[i / part] = value(x.begin() + static_cast<long>(i), x.begin() + static_cast<long>(i + part));
  return y;
}
int sumOf(auto from, auto to) { return std::accumulate(from, to, 0); }
int at(const Ints& x, size_t i) { return x[i % x.size()]; }
unsigned u(int value) { return static_cast<unsigned>(value); }

Ints compacted(const Ints& x, size_t part, bool (*keeps)(int)) {
  Ints y(x.size());
  for (size_t i = 0; i < x.size(); i += part) {
    size_t to = i;
    for (size_t k = i; k < i + part; ++k) {
      if (keeps(x[k])) y[to++] = x[k];
    }
  }
  return y;
}

Ints scanned(const Ints& x, size_t part) {
  return parts(x, part, [](auto from, auto to) { std::partial_sum(from, to, from); });
}
Ints sorted(const Ints& x, size_t part) {
  return parts(x, part, [](auto from, auto to) { std::sort(from, to); });
}

Ints oneResult(const Ints& x, std::initializer_list<int> values) {
  Ints y(x.size());
  std::copy(values.begin(), values.end(), y.begin());
  return y;
}

unsigned vadd4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8) sum |= (((a >> shift) + (b >> shift)) & 255) << shift;
  return sum;
}
unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  const uint64_t both = a | uint64_t{b} << 32;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(both >> ((selector >> 4 * i & 7) * 8) & 255) << 8 * i;
  return result;
}
int dp4a(int a, int b, int c) {
  for (int shift = 0; shift < 32; shift += 8)
    c += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  return c;
}
unsigned reversed(unsigned value) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (value >> i & 1) << (31 - i);
  return result;
}
int bitsWork(int v, int i) {
  const int ffs = v == 0 ? 0 : std::countr_zero(u(v)) + 1;
  const int counts = std::popcount(u(v)) + std::countl_zero(u(v)) * 100 + ffs * 10000;
  const int s = i % 32;
  const unsigned funnel = s == 0 ? u(i) : u(i) << s | u(v) >> (32 - s);
  return static_cast<int>(u(counts) ^ reversed(u(i)) ^ funnel);
}
int wideWork(int v, int i) {
  const auto a = static_cast<uint64_t>(1234567890123LL * v);
  const auto high = static_cast<uint64_t>((static_cast<unsigned __int128>(a) * 987654321987ULL) >> 64);
  const auto product = static_cast<int64_t>(v * 12345) * static_cast<int64_t>(i * 54321);
  return static_cast<int>(static_cast<int64_t>(a) >> 20) ^ static_cast<int>(high) ^
         static_cast<int>(product >> 32);
}
int localWork(int v) {
  int own[16];
  for (int k = 0; k < 16; ++k) own[k] = v + k * k;
  for (int k = 0; k < 16; ++k) own[(own[k] & 0x7fffffff) % 16] += k;
  unsigned sum = 0;
  for (const int each : own) sum = sum * 3 + u(each);
  return static_cast<int>(sum);
}
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int switched(int v, int i) {
  const int cases[] = {v + 5, v * 3, v ^ 0x55, v - i, static_cast<int>(u(v) << 2), -v, v >> 1};
  return cases[i % 7];
}
int halfWork(int v, int i) {
  const auto one = [](float a) {
    const float half = static_cast<float>(F16(a));
    return static_cast<int>(static_cast<float>(F16(static_cast<double>(half) * half + 1)));
  };
  return one(static_cast<float>(v % 64) * 0.5f) + one(static_cast<float>(i % 64) * 0.25f);
}
int floatWork(int x, int i) {
  const float v = std::sqrt(std::fabs(static_cast<float>(x))) / (static_cast<float>(i) + 1.0f);
  return std::bit_cast<int>(std::fma(v, 3.0f, std::floor(v * 10)));
}
int doubleWork(int x, int i) {
  const double v = std::sqrt(std::fabs(static_cast<double>(x))) / (i + 1.0);
  return static_cast<int>(std::fma(v, 1e6, 0.5)) ^ static_cast<int>(std::bit_cast<int64_t>(v));
}
int collatz(int x) {
  int steps = 0;
  for (unsigned v = (u(x) & 255) + 1; v != 1; ++steps) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
  return steps;
}

Ints scanTree(const Ints& x) {
  return parts(x, kBlock, [](auto from, auto to) { std::exclusive_scan(from, to, from, 0); });
}
Ints stencilRounds(Ints x) {
  for (int round = 0; round < 10; ++round) {
    x = parts(x, kBlock, [](auto from, auto) {
      const Ints old(from, from + kBlock);
      for (size_t t = 0; t < kBlock; ++t)
        from[static_cast<long>(t)] = (old[t] + old[(t + 1) % kBlock]) % 1000;
    });
  }
  return x;
}
Ints rowSums(const Ints& x) {
  Ints y(x.size());
  for (size_t row = 0; row < x.size() / 32; ++row) {
    const size_t end = std::min(x.size(), row * 32 + 32 * (row % 3 + 1));
    y[row] = sumOf(x.begin() + static_cast<long>(row * 32), x.begin() + static_cast<long>(end));
  }
  return y;
}
Ints barrierInFunction(const Ints& x) {
  const auto sums = [](const Ints& values) {
    return each(values, [&](int, size_t i) {
      int sum = 0;
      for (size_t k = 0; k < 32; ++k) sum += values[i / kBlock * kBlock + (i + k) % kBlock];
      return sum;
    });
  };
  const Ints first = sums(x);
  const Ints second = sums(each(first, [](int v, size_t) { return v % 100; }));
  return each(first, [&](int v, size_t i) { return v + second[i]; });
}
Ints segments(const Ints& x) {
  return each(x, [&](int v, size_t i) {
    return x[i / 8 * 8 + 3] + (i % 16 >= 1 ? x[i - 1] : v) + (i % 4 < 2 ? x[i + 2] : v);
  });
}
Ints blockVotes(const Ints& x) {
  return parts(x, kBlock, [](auto from, auto to) {
    const auto positive = static_cast<int>(std::count_if(from, to, [](int v) { return v > 0; }));
    const bool all = std::all_of(from, to, [](int v) { return v > -1000; });
    const bool any = std::any_of(from, to, [](int v) { return v > 2000; });
    std::fill(from, to, positive + (all ? 1000 : 0) + (any ? 10000 : 0));
  });
}
Ints namedBarriers(const Ints& x) {
  return each(x, [&](int, size_t i) {
    const size_t t = i % kBlock;
    return t < 128 ? 0 : 4 * x[i - t + 255 - t] + 6;
  });
}
Ints divergentShuffle(const Ints& x) {
  const Ints v = each(x, [&](int, size_t i) { return i % 32 < 16 ? x[i ^ 1] : 2 * x[i ^ 8]; });
  return each(v, [&](int mine, size_t i) { return mine + v[i / 32 * 32 + 31 - i % 32]; });
}
Ints loopsOfWarps(const Ints& x) {
  return each(x, [&](int, size_t i) {
    int sum = 0;
    for (size_t k = 0; k <= i % kBlock / 32; ++k) sum += x[i / 32 * 32 + k] + static_cast<int>(k);
    return sum;
  });
}
Ints atomicBits(const Ints& x) {
  Ints y(x.size() + 3);
  y[0] = static_cast<int>(
      std::accumulate(x.begin(), x.end(), 0u, [](unsigned all, int v) { return all | 1u << (v & 31); }));
  y[1] = std::accumulate(x.begin(), x.end(), 0, [](int all, int v) { return all ^ v; });
  std::copy(x.begin(), x.end(), y.begin() + 3);
  y.resize(2000);
  y.push_back(static_cast<int>(x.size() % 100));
  return y;
}
Ints histogram(const Ints& x) {
  Ints y(x.size());
  for (const int v : x) ++y[static_cast<size_t>(v & 15)];
  return y;
}
Ints groups(const Ints& x) {
  return each(x, [&](int v, size_t i) {
    const auto from = x.begin() + static_cast<long>(i / 32 * 32);
    return static_cast<int>(
        std::count_if(from, from + 32, [&](int other) { return (other & 7) == (v & 7); }));
  });
}
Ints lastBlock(const Ints& x) {
  Ints y(x.size());
  y[0] = static_cast<int>(x.size() / kBlock);
  y[1] = sumOf(x.begin(), x.end());
  for (size_t b = 0; b < x.size() / kBlock; ++b)
    y[b + 2] =
        sumOf(x.begin() + static_cast<long>(b * kBlock), x.begin() + static_cast<long>((b + 1) * kBlock));
  return y;
}
Ints lockedSum(const Ints& x) {
  int sum = 0;
  for (size_t i = 0; i < x.size(); i += 32) sum += x[i];
  return oneResult(x, {0, sum});
}

struct Sample {
  const char* kernel;
  Ints (*host)(const Ints& x);
  uint32_t block = kBlock, sharedBytes = 0;
};
const Sample kSamples[] = {
    {"reverseBlock",
     [](const Ints& x) { return parts(x, kBlock, [](auto a, auto b) { std::reverse(a, b); }); }},
    {"scanSteps", [](const Ints& x) { return scanned(x, kBlock); }},
    {"scanTree", scanTree},
    {"warpSums", [](const Ints& x) { return onePerPart(x, 32, [](auto a, auto b) { return sumOf(a, b); }); }},
    {"warpMost",
     [](const Ints& x) {
       return parts(x, 32, [](auto a, auto b) { std::fill(a, b, *std::max_element(a, b)); });
     }},
    {"blockSums",
     [](const Ints& x) { return onePerPart(x, kBlock, [](auto a, auto b) { return sumOf(a, b); }); }},
    {"warpRedux",
     [](const Ints& x) {
       return parts(x, 32, [](auto a, auto b) {
         std::fill(a, b, sumOf(a, b) + *std::max_element(a, b) * 1000 + *std::min_element(a, b));
       });
     }},
    {"compactWarps", [](const Ints& x) { return compacted(x, 32, [](int v) { return v > 0; }); }},
    {"compactBlocks", [](const Ints& x) { return compacted(x, kBlock, [](int v) { return v % 3 == 0; }); }},
    {"sortBitonic", [](const Ints& x) { return sorted(x, kBlock); }},
    {"sortOddEven", [](const Ints& x) { return sorted(x, 64); }, 64},
    {"stencilHalo",
     [](const Ints& x) {
       return each(x, [&](int v, size_t i) {
         return (i > 0 ? x[i - 1] : 0) - 2 * v + (i + 1 < x.size() ? x[i + 1] : 0);
       });
     }},
    {"stencilRounds", [](const Ints& x) { return stencilRounds(x); }},
    {"gathers", [](const Ints& x) { return each(x, [&](int, size_t i) { return at(x, i * 17); }); }},
    {"scatters", [](const Ints& x) { return Ints(x.rbegin(), x.rend()); }},
    {"gridStride",
     [](const Ints& x) { return each(x, [](int v, size_t i) { return v * 3 + static_cast<int>(i); }); }},
    {"atomicMost",
     [](const Ints& x) {
       return oneResult(x, {std::max(0, *std::ranges::max_element(x)),
                            std::min(0, *std::ranges::min_element(x)), sumOf(x.begin(), x.end())});
     }},
    {"casAdds", [](const Ints& x) { return oneResult(x, {sumOf(x.begin(), x.end())}); }},
    {"atomicBits", atomicBits},
    {"histogramShared", histogram},
    {"rowSums", rowSums},
    {"lookBack", [](const Ints& x) { return scanned(x, x.size()); }},
    {"spinLock", lockedSum},
    {"lastBlock", lastBlock},
    {"dynamicShared",
     [](const Ints& x) {
       return each(x, [&](int, size_t i) {
         const size_t first = i / kBlock * kBlock;
         return x[first + (i + 1) % kBlock] - 2 * x[first + (i + 2) % kBlock];
       });
     },
     kBlock, kBlock * 8},
    {"vectors",
     [](const Ints& x) {
       return each(x, [&](int, size_t i) {
         const int more[] = {0, 0, 1, -1};
         return x[i / 4 * 4 + 3 - i % 4] + more[i % 4];
       });
     }},
    {"bytes",
     [](const Ints& x) {
       return each(x, [](int v, size_t i) {
         return static_cast<int>(vadd4(u(v), 0x01020304) ^ permuted(u(v), static_cast<unsigned>(i), 0x6152) ^
                                 u(dp4a(v, static_cast<int>(i), 7)));
       });
     }},
    {"bits",
     [](const Ints& x) { return each(x, [](int v, size_t i) { return bitsWork(v, static_cast<int>(i)); }); }},
    {"wide",
     [](const Ints& x) { return each(x, [](int v, size_t i) { return wideWork(v, static_cast<int>(i)); }); }},
    {"divides",
     [](const Ints& x) {
       return each(x, [](int v, size_t i) {
         const int d = static_cast<int>(i % 13) + 1;
         return v / d * 1000 + v % d + (v & 0xffff) / 7;
       });
     }},
    {"localArray", [](const Ints& x) { return each(x, [](int v, size_t) { return localWork(v); }); }},
    {"recursion",
     [](const Ints& x) { return each(x, [](int, size_t i) { return fibonacci(static_cast<int>(i % 9)); }); }},
    {"barrierInFunction", barrierInFunction},
    {"switches",
     [](const Ints& x) { return each(x, [](int v, size_t i) { return switched(v, static_cast<int>(i)); }); }},
    {"halves",
     [](const Ints& x) { return each(x, [](int v, size_t i) { return halfWork(v, static_cast<int>(i)); }); }},
    {"floats",
     [](const Ints& x) {
       return each(x, [](int v, size_t i) { return floatWork(v, static_cast<int>(i)); });
     }},
    {"doubles",
     [](const Ints& x) {
       return each(x, [](int v, size_t i) { return doubleWork(v, static_cast<int>(i)); });
     }},
    {"segments", segments},
    {"variableShuffle",
     [](const Ints& x) { return each(x, [&](int v, size_t i) { return x[i / 32 * 32 + (u(v) & 31)]; }); }},
    {"groups", groups},
    {"blockVotes", blockVotes},
    {"namedBarriers", namedBarriers},
    {"collatz", [](const Ints& x) { return each(x, [](int v, size_t) { return collatz(v); }); }},
    {"divergentShuffle", divergentShuffle},
    {"loopsOfWarps", loopsOfWarps},
    {"partWarps",
     [](const Ints& x) { return each(x, [&](int v, size_t i) { return i + 5 < x.size() ? v + 1 : 0; }); }},
};

class ManyKernels : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Modes, ManyKernels, testing::Bool());

TEST_P(ManyKernels, GiveWhatTheHostGives) {
  auto run = SimulatedRun::ofFile("many.ptx", GetParam());
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.kernel);
    Ints x(1024), y(x.size() + kAtEnd);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 2654435761u % 2048) - 900;
    int n = static_cast<int>(x.size());
    const SimulatedReport report = run.good({.kernel = sample.kernel,
                                             .grid = {static_cast<uint32_t>(x.size()) / sample.block},
                                             .block = {sample.block},
                                             .sharedBytes = sample.sharedBytes,
                                             .mostWaiting = 1 << 22},
                                            x, y, n);
    for (const Diagnostic& finding : report.findings) ADD_FAILURE() << toString(finding);
    const Ints expected = sample.host(x);
    y.resize(expected.size());
    EXPECT_EQ(y, expected);
  }
}

}  // namespace
}  // namespace hilo
