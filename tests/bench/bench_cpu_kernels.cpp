// The cpu engine's kernels against oneDNN's, one after the other in the same run and on as many threads
// (OMP_NUM_THREADS and the processors the process may use).
#include <fmt/format.h>

#include "tests/bench/onednn_peer.h"

namespace hilo {
namespace {

constexpr int64_t kRows = 2048, kColumns = 1024;

void softmax(benchmark::State& state) {
  OurKernel ours(R"(
    x = f32[2048,1024] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    top = f32[2048] reduce(x, low), dimensions={1}, to_apply=max
    tops = f32[2048,1024] broadcast(top), dimensions={0}
    below = f32[2048,1024] subtract(x, tops)
    power = f32[2048,1024] exponential(below)
    sum = f32[2048] reduce(power, zero), dimensions={1}, to_apply=add
    sums = f32[2048,1024] broadcast(sum), dimensions={0}
    ROOT y = f32[2048,1024] divide(power, sums)
)");
  OneDnn theirs;
  auto in = theirs.matrix(kRows, kColumns), out = theirs.matrix(kRows, kColumns);
  const dnnl::softmax_v2_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, in.get_desc(), out.get_desc(),
       1},
      theirs.engine);
  theirs.add(dnnl::softmax_v2_forward(primitive), {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
  compare(state, ours, theirs);
}
BENCHMARK(softmax)->Unit(benchmark::kMicrosecond);

void layerNorm(benchmark::State& state) {
  OurKernel ours(R"(
    x = f32[2048,1024] parameter(0)
    scale = f32[1024] parameter(1)
    shift = f32[1024] parameter(2)
    zero = f32[] constant(0)
    part = f32[] constant(0.0009765625)
    parts = f32[2048] broadcast(part), dimensions={}
    sum = f32[2048] reduce(x, zero), dimensions={1}, to_apply=add
    mean = f32[2048] multiply(sum, parts)
    means = f32[2048,1024] broadcast(mean), dimensions={0}
    centred = f32[2048,1024] subtract(x, means)
    squares = f32[2048,1024] multiply(centred, centred)
    square = f32[2048] reduce(squares, zero), dimensions={1}, to_apply=add
    variance = f32[2048] multiply(square, parts)
    epsilon = f32[] constant(1e-5)
    epsilons = f32[2048] broadcast(epsilon), dimensions={}
    safe = f32[2048] add(variance, epsilons)
    inverse = f32[2048] rsqrt(safe)
    inverses = f32[2048,1024] broadcast(inverse), dimensions={0}
    normal = f32[2048,1024] multiply(centred, inverses)
    scales = f32[2048,1024] broadcast(scale), dimensions={1}
    scaled = f32[2048,1024] multiply(normal, scales)
    shifts = f32[2048,1024] broadcast(shift), dimensions={1}
    ROOT y = f32[2048,1024] add(scaled, shifts)
)");
  OneDnn theirs;
  auto in = theirs.matrix(kRows, kColumns), out = theirs.matrix(kRows, kColumns);
  auto scale = theirs.array({kColumns}, {1}), shift = theirs.array({kColumns}, {1});
  using Flags = dnnl::normalization_flags;
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, in.get_desc(), 1e-5F, Flags::use_scale | Flags::use_shift},
      theirs.engine);
  theirs.add(dnnl::layer_normalization_forward(primitive),
             {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}, {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift}});
  compare(state, ours, theirs);
}
BENCHMARK(layerNorm)->Unit(benchmark::kMicrosecond);

// (x + bias) through the tanh form of gelu, plus the residual.
void biasGeluResidual(benchmark::State& state) {
  OurKernel ours(R"(
    x = f32[2048,1024] parameter(0)
    bias = f32[1024] parameter(1)
    residual = f32[2048,1024] parameter(2)
    rows = f32[2048,1024] broadcast(bias), dimensions={1}
    biased = f32[2048,1024] add(x, rows)
    c1 = f32[] constant(0.044715)
    c1s = f32[2048,1024] broadcast(c1), dimensions={}
    c2 = f32[] constant(0.7978845608)
    c2s = f32[2048,1024] broadcast(c2), dimensions={}
    one = f32[] constant(1)
    ones = f32[2048,1024] broadcast(one), dimensions={}
    half = f32[] constant(0.5)
    halves = f32[2048,1024] broadcast(half), dimensions={}
    square = f32[2048,1024] multiply(biased, biased)
    cube = f32[2048,1024] multiply(square, biased)
    small = f32[2048,1024] multiply(cube, c1s)
    inner = f32[2048,1024] add(biased, small)
    scaled = f32[2048,1024] multiply(inner, c2s)
    curve = f32[2048,1024] tanh(scaled)
    raised = f32[2048,1024] add(curve, ones)
    gated = f32[2048,1024] multiply(raised, biased)
    gelu = f32[2048,1024] multiply(gated, halves)
    ROOT y = f32[2048,1024] add(gelu, residual)
)");
  OneDnn theirs;
  auto in = theirs.matrix(kRows, kColumns), out = theirs.matrix(kRows, kColumns),
       residual = theirs.matrix(kRows, kColumns);
  auto bias = theirs.array({1, kColumns}, {kColumns, 1});
  dnnl::post_ops after;
  after.append_eltwise(1, dnnl::algorithm::eltwise_gelu_tanh, 0, 0);
  after.append_binary(dnnl::algorithm::binary_add, residual.get_desc());
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::binary::primitive_desc primitive(
      {dnnl::algorithm::binary_add, in.get_desc(), bias.get_desc(), out.get_desc()}, attributes,
      theirs.engine);
  theirs.add(dnnl::binary(primitive), {{DNNL_ARG_SRC_0, in},
                                       {DNNL_ARG_SRC_1, bias},
                                       {DNNL_ARG_DST, out},
                                       {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, residual}});
  compare(state, ours, theirs);
}
BENCHMARK(biasGeluResidual)->Unit(benchmark::kMicrosecond);

void reduction(benchmark::State& state, std::string_view dimension, OneDnn::Dims to, OneDnn::Dims strides) {
  OurKernel ours(
      fmt::format("x = f32[2048,1024] parameter(0)\n zero = f32[] constant(0)\n"
                  "ROOT y = f32[{}] reduce(x, zero), dimensions={{{}}}, to_apply=add\n",
                  dimension == "1" ? kRows : kColumns, dimension));
  OneDnn theirs;
  auto in = theirs.matrix(kRows, kColumns), out = theirs.array(to, strides);
  const dnnl::reduction::primitive_desc primitive(
      {dnnl::algorithm::reduction_sum, in.get_desc(), out.get_desc(), 0, 0}, theirs.engine);
  theirs.add(dnnl::reduction(primitive), {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
  compare(state, ours, theirs);
}
void rowSums(benchmark::State& state) { reduction(state, "1", {kRows, 1}, {1, 1}); }
BENCHMARK(rowSums)->Unit(benchmark::kMicrosecond);
void columnSums(benchmark::State& state) { reduction(state, "0", {1, kColumns}, {kColumns, 1}); }
BENCHMARK(columnSums)->Unit(benchmark::kMicrosecond);

void transpose(benchmark::State& state) {
  OurKernel ours(
      "x = f32[2048,1024] parameter(0)\n ROOT y = f32[1024,2048] transpose(x), dimensions={1,0}\n");
  OneDnn theirs;
  auto in = theirs.array({kRows, kColumns}, {kColumns, 1}), out = theirs.array({kRows, kColumns}, {1, kRows});
  theirs.add(dnnl::reorder(in, out), {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, out}});
  compare(state, ours, theirs);
}
BENCHMARK(transpose)->Unit(benchmark::kMicrosecond);

void matmul(benchmark::State& state) {
  const int64_t n = state.range(0);
  OurKernel ours(
      fmt::format("a = f32[{0},{0}] parameter(0)\n b = f32[{0},{0}] parameter(1)\n"
                  "ROOT c = f32[{0},{0}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
                  n));
  OneDnn theirs;
  auto a = theirs.matrix(n, n), b = theirs.matrix(n, n), c = theirs.matrix(n, n);
  const dnnl::matmul::primitive_desc primitive({a.get_desc(), b.get_desc(), c.get_desc()}, theirs.engine);
  theirs.add(dnnl::matmul(primitive), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
  compare(state, ours, theirs);
}
BENCHMARK(matmul)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hilo

BENCHMARK_MAIN();
