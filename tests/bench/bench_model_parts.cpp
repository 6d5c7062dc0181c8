// What models do between their products, in the shapes and types they have it in, by the cpu engine, oneDNN
// and libtorch (bench_cpu_kernels says how they take turns): norms with what comes before them, activations,
// sums over other dimensions than the last, heads split and turned. Those with a type after their name are
// worked out in f32 between a conversion from it and one back, as models have it.
#include <fmt/format.h>

#include <functional>

#include "tests/bench/model_parts.h"
#include "tests/bench/onednn_peer.h"

namespace hilo {
namespace {

using dnnl::memory;

// A part of a model as HLO and as primitives of oneDNN.
struct Work {
  // What comes in beside x: `other` of x's sizes, `scale` and `shift` of a row's.
  std::vector<std::string> operands;
  // Instructions up to y, with {all}, {rows} and {columns} for x's sizes, those without the last, and the
  // last.
  std::string body;
  std::string resultSizes;                                          // with the same names
  bool onlyMoves = false;                                           // elements: nothing is converted
  std::function<void(OneDnn&, const ModelPart&)> oneDnn = nullptr;  // none: it has no such primitives
};

std::string joined(std::span<const int64_t> sizes) { return fmt::format("{}", fmt::join(sizes, ",")); }

std::string withSizes(std::string_view text, const ModelPart& part) {
  const std::span<const int64_t> sizes = part.sizes;
  const auto at = [&](size_t i) { return i < sizes.size() ? sizes[i] : 0; };
  return fmt::format(
      fmt::runtime(text), fmt::arg("all", joined(sizes)),
      fmt::arg("rows", joined(sizes.first(sizes.size() - 1))), fmt::arg("columns", sizes.back()),
      fmt::arg("last", sizes.size() - 1), fmt::arg("part", 1.0 / static_cast<double>(sizes.back())),
      fmt::arg("spacePart", 1.0 / static_cast<double>(at(1) * at(2))), fmt::arg("d0", at(0)),
      fmt::arg("d1", at(1)), fmt::arg("d2", at(2)), fmt::arg("d3", at(3)),
      fmt::arg("over", sizes.size() == 3 ? "0,1" : "0"), fmt::arg("t", part.isBf16 ? "bf16" : "f32"));
}

// The entry computation's lines.
std::string entryOf(const Work& work, const ModelPart& part) {
  const bool converts = part.isBf16 && !work.onlyMoves;
  std::string text;
  int number = 0;
  const auto addParameter = [&](std::string_view name, std::string_view sizes) {
    const std::string of = withSizes(sizes, part);
    text += fmt::format("{}{} = {}[{}] parameter({})\n", name, converts ? "_in" : "",
                        part.isBf16 ? "bf16" : "f32", of, number++);
    if (converts) text += fmt::format("{0} = f32[{1}] convert({0}_in)\n", name, of);
  };
  addParameter("x", "{all}");
  for (const std::string& name : work.operands) addParameter(name, name == "other" ? "{all}" : "{columns}");
  std::string body = withSizes(work.body, part);
  const size_t last = body.rfind("y = ");
  if (!converts) return text + body.insert(last, "ROOT ");
  return text + body + fmt::format("ROOT result = bf16[{}] convert(y)\n", withSizes(work.resultSizes, part));
}

// oneDNN's arrays of the part's type.
struct Arrays {
  OneDnn& library;
  const ModelPart& part;

  memory dense(std::vector<int64_t> sizes) const {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
    return library.array(sizes, strides, type());
  }
  memory x() const { return dense(part.sizes); }
  // Of a row's sizes, with as many dimensions as x.
  memory row() const {
    std::vector<int64_t> sizes(part.sizes.size(), 1);
    sizes.back() = part.sizes.back();
    return dense(sizes);
  }
  memory::data_type type() const { return part.isBf16 ? memory::data_type::bf16 : memory::data_type::f32; }
};

void addNorm(OneDnn& library, const ModelPart& part, const memory& from, const memory& to) {
  using Flags = dnnl::normalization_flags;
  const int64_t columns = part.sizes.back();
  const memory scale = library.array({columns}, {1}), shift = library.array({columns}, {1});
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, from.get_desc(), 1e-5F, Flags::use_scale | Flags::use_shift},
      library.engine);
  library.add(dnnl::layer_normalization_forward(primitive),
              {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}, {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift}});
}

void layerNorm(OneDnn& library, const ModelPart& part) {
  const Arrays arrays{library, part};
  addNorm(library, part, arrays.x(), arrays.x());
}

void residualLayerNorm(OneDnn& library, const ModelPart& part) {
  const Arrays arrays{library, part};
  const memory x = arrays.x(), other = arrays.x(), sum = arrays.x();
  const dnnl::binary::primitive_desc add(
      {dnnl::algorithm::binary_add, x.get_desc(), other.get_desc(), sum.get_desc()}, library.engine);
  library.add(dnnl::binary(add), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, sum}});
  addNorm(library, part, sum, arrays.x());
}

void softmax(OneDnn& library, const ModelPart& part) {
  const Arrays arrays{library, part};
  const memory x = arrays.x(), y = arrays.x();
  const dnnl::softmax_v2_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, x.get_desc(), y.get_desc(),
       static_cast<int>(part.sizes.size()) - 1},
      library.engine);
  library.add(dnnl::softmax_v2_forward(primitive), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

// x + shift, then gelu.
void biasGelu(OneDnn& library, const ModelPart& part) {
  const Arrays arrays{library, part};
  const memory x = arrays.x(), shift = arrays.row(), y = arrays.x();
  dnnl::post_ops after;
  after.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::binary::primitive_desc add(
      {dnnl::algorithm::binary_add, x.get_desc(), shift.get_desc(), y.get_desc()}, attributes,
      library.engine);
  library.add(dnnl::binary(add), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, shift}, {DNNL_ARG_DST, y}});
}

// x by its logistic, by the other array.
void swiGlu(OneDnn& library, const ModelPart& part) {
  const Arrays arrays{library, part};
  const memory x = arrays.x(), other = arrays.x(), y = arrays.x();
  dnnl::post_ops after;
  after.append_binary(dnnl::algorithm::binary_mul, other.get_desc());
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::eltwise_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_swish, x.get_desc(), 1.0F, 0.0F},
      attributes, library.engine);
  library.add(
      dnnl::eltwise_forward(primitive),
      {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}, {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, other}});
}

std::function<void(OneDnn&, const ModelPart&)> reduction(dnnl::algorithm algorithm,
                                                         std::initializer_list<size_t> dimensions) {
  return [algorithm, dimensions = std::vector<size_t>(dimensions)](OneDnn& library, const ModelPart& part) {
    const Arrays arrays{library, part};
    std::vector<int64_t> sizes = part.sizes;
    for (const size_t dimension : dimensions) sizes[dimension] = 1;
    const memory x = arrays.x(), y = arrays.dense(sizes);
    const dnnl::reduction::primitive_desc primitive({algorithm, x.get_desc(), y.get_desc(), 0, 0},
                                                    library.engine);
    library.add(dnnl::reduction(primitive), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  };
}

// The result's dimension d is x's dimension order[d].
std::function<void(OneDnn&, const ModelPart&)> transposition(std::vector<size_t> order) {
  return [order](OneDnn& library, const ModelPart& part) {
    const Arrays arrays{library, part};
    std::vector<int64_t> strides(order.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= part.sizes[order[i]]) strides[order[i]] = stride;
    const memory x = arrays.x(), y = library.array(part.sizes, strides, arrays.type());
    library.add(dnnl::reorder(x, y), {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, y}});
  };
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

const Work kLayerNorm = {
    {"scale", "shift"}, "input = f32[{all}] copy(x)" + kNormed, "{all}", false, layerNorm};
const Work kResidualLayerNorm = {{"scale", "shift", "other"},
                                 "input = f32[{all}] add(x, other)" + kNormed,
                                 "{all}",
                                 false,
                                 residualLayerNorm};
const Work kRmsNorm = {{"scale"},
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
const Work kSoftmax = {{},
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
                       "{all}",
                       false,
                       softmax};
const Work kBiasGelu = {{"shift"},
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
                        "{all}",
                        false,
                        biasGelu};
const Work kSwiGlu = {{"other"},
                      R"(
    gate = f32[{all}] logistic(x)
    gated = f32[{all}] multiply(x, gate)
    y = f32[{all}] multiply(gated, other)
)",
                      "{all}",
                      false,
                      swiGlu};

Work reductionOf(std::string_view to, std::string_view result, std::string_view dimensions,
                 std::string_view start, dnnl::algorithm algorithm, std::initializer_list<size_t> summed) {
  return {
      {},
      fmt::format(
          "start = f32[] constant({})\ny = f32[{}] reduce(x, start), dimensions={{{{{}}}}}, to_apply={}\n",
          start, result, dimensions, to),
      std::string(result),
      false,
      reduction(algorithm, summed)};
}
const Work kRowSums = reductionOf("add", "{rows}", "{last}", "0", dnnl::algorithm::reduction_sum, {1});
const Work kRowMaxima = reductionOf("max", "{rows}", "{last}", "-inf", dnnl::algorithm::reduction_max, {1});
const Work kMiddleSums = reductionOf("add", "{d0},{d2}", "1", "0", dnnl::algorithm::reduction_sum, {1});
const Work kRowVariances = {
    {}, "input = f32[{all}] copy(x)" + std::string(kVariance) + "y = f32[{rows}] copy(variance)\n", "{rows}"};
const Work kSpaceMeans = {{},
                          R"(
    zero = f32[] constant(0)
    sum = f32[{d0},{d3}] reduce(x, zero), dimensions={{1,2}}, to_apply=add
    part = f32[] constant({spacePart})
    parts = f32[{d0},{d3}] broadcast(part), dimensions={{}}
    y = f32[{d0},{d3}] multiply(sum, parts)
)",
                          "{d0},{d3}",
                          false,
                          reduction(dnnl::algorithm::reduction_mean, {1, 2})};

Work transpositionOf(std::string_view result, std::vector<size_t> order) {
  return {{},
          fmt::format("y = {{t}}[{}] transpose(x), dimensions={{{{{}}}}}\n", result, fmt::join(order, ",")),
          std::string(result),
          true,
          transposition(order)};
}
const Work kTranspose = transpositionOf("{d1},{d0}", {1, 0});
const Work kSplitHeads = transpositionOf("{d0},{d2},{d1},{d3}", {0, 2, 1, 3});
const Work kTurnKeys = transpositionOf("{d0},{d2},{d3},{d1}", {0, 2, 3, 1});
const Work kChannelsFirst = transpositionOf("{d0},{d3},{d1},{d2}", {0, 3, 1, 2});

void measure(benchmark::State& state, const Work& work, const ModelPart& part) {
  OurKernel ours(entryOf(work, part));
  std::vector<Peer> peers;
#ifdef HILO_TORCH
  peers = torchModelPart(part);
#endif
  OneDnn theirs;
  if (work.oneDnn) {
    work.oneDnn(theirs, part);
    peers.push_back({"onednn", [&theirs] { return theirs.runUs(); }});
  }
  compare(state, ours, peers);
}

struct Row {
  std::string_view name;
  const Work& work;
  std::vector<std::vector<int64_t>> sizes;
};

void addAll() {
  const std::vector<int64_t> small = {128, 768}, middle = {512, 768}, large = {2048, 3072};
  const Row rows[] = {
      {"layerNorm", kLayerNorm, {small, middle, large}},
      {"residualLayerNorm", kResidualLayerNorm, {small, middle, large}},
      {"rmsNorm", kRmsNorm, {small, middle, large}},
      {"softmax", kSoftmax, {{96, 128, 128}, {512, 1024}}},
      {"geluErf", kBiasGelu, {small, middle, large}},
      {"swiGlu", kSwiGlu, {small, middle, large}},
      {"rowSums", kRowSums, {small, middle, large}},
      {"rowMaxima", kRowMaxima, {small, middle, large}},
      {"rowVariances", kRowVariances, {small, middle, large}},
      {"middleSums", kMiddleSums, {{16, 128, 256}, {64, 512, 256}}},
      {"spaceMeans", kSpaceMeans, {{8, 7, 7, 512}, {8, 56, 56, 64}}},
      {"transpose", kTranspose, {small, middle, large}},
      {"splitHeads", kSplitHeads, {{1, 128, 12, 64}, {8, 512, 12, 64}}},
      {"turnKeys", kTurnKeys, {{1, 128, 12, 64}, {8, 512, 12, 64}}},
      {"channelsFirst", kChannelsFirst, {{8, 7, 7, 512}, {8, 56, 56, 64}}},
  };
  for (const Row& row : rows) {
    for (const bool isBf16 : {false, true}) {
      for (const auto& sizes : row.sizes) {
        const ModelPart part = {row.name, sizes, isBf16};
        const Work work = row.work;
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/{}", row.name, isBf16 ? "bf16" : "f32", fmt::join(sizes, "x")).c_str(),
            [work, part](benchmark::State& state) { measure(state, work, part); })
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  hilo::addAll();
  benchmark::RunSpecifiedBenchmarks();
}
