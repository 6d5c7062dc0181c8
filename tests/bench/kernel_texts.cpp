// The work of `bench_cpu_kernels` as HLO. In bf16 it is computed in f32 between a conversion from it and
// one back, as models have it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "core/base/check.h"
#include "tests/bench/kernel_works.h"

namespace hilo {
namespace {

struct Text {
  // What comes in beside x: `other` of x's sizes, `scale` and `shift` of a row's.
  std::vector<std::string> operands;
  // Instructions up to y, with {all}, {rows} and {columns} for x's sizes, those without the last,
  // and the last.
  std::string body;
  std::string resultSizes;  // with the same names
  bool onlyMoves = false;   // elements: nothing is converted
};

std::string joined(std::span<const int64_t> sizes) { return fmt::format("{}", fmt::join(sizes, ",")); }

std::string withSizes(std::string_view text, const KernelWork& work) {
  const std::span<const int64_t> sizes = work.sizes;
  const auto at = [&](size_t i) { return i < sizes.size() ? sizes[i] : 0; };
  return fmt::format(
      fmt::runtime(text), fmt::arg("all", joined(sizes)),
      fmt::arg("rows", joined(sizes.first(sizes.size() - 1))), fmt::arg("columns", sizes.back()),
      fmt::arg("last", sizes.size() - 1), fmt::arg("part", 1.0 / static_cast<double>(sizes.back())),
      fmt::arg("spacePart", 1.0 / static_cast<double>(at(1) * at(2))), fmt::arg("d0", at(0)),
      fmt::arg("d1", at(1)), fmt::arg("d2", at(2)), fmt::arg("d3", at(3)),
      fmt::arg("over", sizes.size() == 3 ? "0,1" : "0"), fmt::arg("t", work.isBf16 ? "bf16" : "f32"));
}

// Of `input`: its rows' variances, and what is left of it when their means are taken away.
const std::string kVariance = R"(
    zero = f32[] constant(0)
    part = f32[] constant({part})
    parts = f32[{rows}] broadcast(part), dimensions={{}}
    sum = f32[{rows}] reduce(input, zero), dimensions={{{last}}}, to_apply=add
    mean = f32[{rows}] multiply(sum, parts)
    means = f32[{all}] broadcast(mean), dimensions={{{over}}}
    centred = f32[{all}] subtract(input, means)
    squares = f32[{all}] multiply(centred, centred)
    square = f32[{rows}] reduce(squares, zero), dimensions={{{last}}}, to_apply=add
    variance = f32[{rows}] multiply(square, parts)
)";

// `centred` over the root of `variance`, scaled.
const std::string kScaled = R"(
    epsilon = f32[] constant(1e-5)
    epsilons = f32[{rows}] broadcast(epsilon), dimensions={{}}
    safe = f32[{rows}] add(variance, epsilons)
    inverse = f32[{rows}] rsqrt(safe)
    inverses = f32[{all}] broadcast(inverse), dimensions={{{over}}}
    normal = f32[{all}] multiply(centred, inverses)
    scales = f32[{all}] broadcast(scale), dimensions={{{last}}}
)";

const std::string kNormed = kVariance + kScaled + R"(
    scaled = f32[{all}] multiply(normal, scales)
    shifts = f32[{all}] broadcast(shift), dimensions={{{last}}}
    y = f32[{all}] add(scaled, shifts)
)";

const Text kLayerNorm = {{"scale", "shift"}, "input = f32[{all}] copy(x)" + kNormed, "{all}"};
const Text kResidualLayerNorm = {
    {"scale", "shift", "other"}, "input = f32[{all}] add(x, other)" + kNormed, "{all}"};
const Text kRmsNorm = {{"scale"},
                       R"(
    centred = f32[{all}] copy(x)
    zero = f32[] constant(0)
    part = f32[] constant({part})
    parts = f32[{rows}] broadcast(part), dimensions={{}}
    squares = f32[{all}] multiply(x, x)
    square = f32[{rows}] reduce(squares, zero), dimensions={{{last}}}, to_apply=add
    variance = f32[{rows}] multiply(square, parts)
)" + kScaled + "y = f32[{all}] multiply(normal, scales)\n",
                       "{all}"};
const Text kSoftmax = {{},
                       R"(
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    top = f32[{rows}] reduce(x, low), dimensions={{{last}}}, to_apply=max
    tops = f32[{all}] broadcast(top), dimensions={{{over}}}
    below = f32[{all}] subtract(x, tops)
    power = f32[{all}] exponential(below)
    sum = f32[{rows}] reduce(power, zero), dimensions={{{last}}}, to_apply=add
    sums = f32[{all}] broadcast(sum), dimensions={{{over}}}
    y = f32[{all}] divide(power, sums)
)",
                       "{all}"};
const Text kBiasGelu = {{"shift"},
                        R"(
    shifts = f32[{all}] broadcast(shift), dimensions={{{last}}}
    biased = f32[{all}] add(x, shifts)
    root = f32[] constant(0.70710678)
    roots = f32[{all}] broadcast(root), dimensions={{}}
    scaled = f32[{all}] multiply(biased, roots)
    curve = f32[{all}] erf(scaled)
    one = f32[] constant(1)
    ones = f32[{all}] broadcast(one), dimensions={{}}
    raised = f32[{all}] add(curve, ones)
    half = f32[] constant(0.5)
    halves = f32[{all}] broadcast(half), dimensions={{}}
    gated = f32[{all}] multiply(raised, biased)
    y = f32[{all}] multiply(gated, halves)
)",
                        "{all}"};
// (x + shift) through the tanh form of gelu, plus the other.
const Text kBiasGeluResidual = {{"shift", "other"},
                                R"(
    shifts = f32[{all}] broadcast(shift), dimensions={{{last}}}
    biased = f32[{all}] add(x, shifts)
    c1 = f32[] constant(0.044715)
    c1s = f32[{all}] broadcast(c1), dimensions={{}}
    c2 = f32[] constant(0.7978845608)
    c2s = f32[{all}] broadcast(c2), dimensions={{}}
    one = f32[] constant(1)
    ones = f32[{all}] broadcast(one), dimensions={{}}
    half = f32[] constant(0.5)
    halves = f32[{all}] broadcast(half), dimensions={{}}
    square = f32[{all}] multiply(biased, biased)
    cube = f32[{all}] multiply(square, biased)
    small = f32[{all}] multiply(cube, c1s)
    inner = f32[{all}] add(biased, small)
    scaled = f32[{all}] multiply(inner, c2s)
    curve = f32[{all}] tanh(scaled)
    raised = f32[{all}] add(curve, ones)
    gated = f32[{all}] multiply(raised, biased)
    gelu = f32[{all}] multiply(gated, halves)
    y = f32[{all}] add(gelu, other)
)",
                                "{all}"};
const Text kSwiGlu = {{"other"},
                      R"(
    gate = f32[{all}] logistic(x)
    gated = f32[{all}] multiply(x, gate)
    y = f32[{all}] multiply(gated, other)
)",
                      "{all}"};

Text reductionOf(std::string_view to, std::string_view result, std::string_view dimensions,
                 std::string_view start) {
  return {
      {},
      fmt::format(
          "start = f32[] constant({})\ny = f32[{}] reduce(x, start), dimensions={{{{{}}}}}, to_apply={}\n",
          start, result, dimensions, to),
      std::string(result)};
}
const Text kRowVariances = {
    {}, "input = f32[{all}] copy(x)" + std::string(kVariance) + "y = f32[{rows}] copy(variance)\n", "{rows}"};
const Text kSpaceMeans = {{},
                          R"(
    zero = f32[] constant(0)
    sum = f32[{d0},{d3}] reduce(x, zero), dimensions={{1,2}}, to_apply=add
    part = f32[] constant({spacePart})
    parts = f32[{d0},{d3}] broadcast(part), dimensions={{}}
    y = f32[{d0},{d3}] multiply(sum, parts)
)",
                          "{d0},{d3}"};

Text transpositionOf(std::string_view result, std::string_view order) {
  return {{},
          fmt::format("y = {{t}}[{}] transpose(x), dimensions={{{{{}}}}}\n", result, order),
          std::string(result),
          true};
}

const Text& textOf(std::string_view name) {
  static const std::map<std::string_view, Text> kTexts = {
      {"layerNorm", kLayerNorm},
      {"residualLayerNorm", kResidualLayerNorm},
      {"rmsNorm", kRmsNorm},
      {"softmax", kSoftmax},
      {"geluErf", kBiasGelu},
      {"biasGeluResidual", kBiasGeluResidual},
      {"swiGlu", kSwiGlu},
      {"rowSums", reductionOf("add", "{rows}", "{last}", "0")},
      {"rowMaxima", reductionOf("max", "{rows}", "{last}", "-inf")},
      {"rowVariances", kRowVariances},
      {"columnSums", reductionOf("add", "{columns}", "0", "0")},
      {"fullSum", reductionOf("add", "", "0,1", "0")},
      {"middleSums", reductionOf("add", "{d0},{d2}", "1", "0")},
      {"spaceMeans", kSpaceMeans},
      {"transpose", transpositionOf("{d1},{d0}", "1,0")},
      {"splitHeads", transpositionOf("{d0},{d2},{d1},{d3}", "0,2,1,3")},
      {"turnKeys", transpositionOf("{d0},{d2},{d3},{d1}", "0,2,3,1")},
      {"channelsFirst", transpositionOf("{d0},{d3},{d1},{d2}", "0,3,1,2")},
  };
  const auto found = kTexts.find(name);
  CHECK(found != kTexts.end(), name);
  return found->second;
}

}  // namespace

std::string entryOf(const KernelWork& work) {
  const Text& of = textOf(work.name);
  const bool converts = work.isBf16 && !of.onlyMoves;
  std::string text;
  int number = 0;
  const auto addParameter = [&](std::string_view name, std::string_view sizes) {
    const std::string shape = withSizes(sizes, work);
    text += fmt::format("{}{} = {}[{}] parameter({})\n", name, converts ? "_in" : "",
                        work.isBf16 ? "bf16" : "f32", shape, number++);
    if (converts) text += fmt::format("{0} = f32[{1}] convert({0}_in)\n", name, shape);
  };
  addParameter("x", "{all}");
  for (const std::string& name : of.operands) addParameter(name, name == "other" ? "{all}" : "{columns}");
  std::string body = withSizes(of.body, work);
  if (!converts) return text + body.insert(body.rfind("y = "), "ROOT ");
  return text + body + fmt::format("ROOT result = bf16[{}] convert(y)\n", withSizes(of.resultSizes, work));
}

}  // namespace hilo
