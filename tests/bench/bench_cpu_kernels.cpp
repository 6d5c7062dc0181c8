// The cpu engine's kernels against oneDNN's, and OpenBLAS's and libtorch's where they are installed, in turn
// in the same run and on as many threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and the processors the
// process may use say how many. OpenBLAS 0.3.21 needs OPENBLAS_CORETYPE=SkylakeX on newer processors.
#include <fmt/format.h>

#include <cstring>

#include "core/runtime/device/host/thread_pool.h"
#include "tests/bench/onednn_peer.h"
#include "tests/bench/openblas_peer.h"
#include "tests/bench/torch_peer.h"

namespace hilo {
namespace {

// What a peer without oneDNN's primitives is asked for, by name (torch_peer.h, openblas_peer.h).
std::vector<Peer> otherPeers([[maybe_unused]] std::string_view work, [[maybe_unused]] int64_t rows,
                             [[maybe_unused]] int64_t columns) {
  std::vector<Peer> peers;
#ifdef HILO_TORCH
  std::ranges::move(torchPeers(work, rows, columns), std::back_inserter(peers));
#endif
#ifdef HILO_OPENBLAS
  std::ranges::move(openblasPeers(work, rows, columns), std::back_inserter(peers));
#endif
  return peers;
}

void compareAll(benchmark::State& state, OurKernel& ours, OneDnn& theirs, std::string_view work) {
  std::vector<Peer> peers = otherPeers(work, state.range(0), state.range(1));
  peers.push_back({"onednn", [&theirs] { return theirs.runUs(); }});
  compare(state, ours, peers);
}

void softmax(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  OurKernel ours(fmt::format(R"(
    x = f32[{0},{1}] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    top = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=max
    tops = f32[{0},{1}] broadcast(top), dimensions={{0}}
    below = f32[{0},{1}] subtract(x, tops)
    power = f32[{0},{1}] exponential(below)
    sum = f32[{0}] reduce(power, zero), dimensions={{1}}, to_apply=add
    sums = f32[{0},{1}] broadcast(sum), dimensions={{0}}
    ROOT y = f32[{0},{1}] divide(power, sums)
)",
                             rows, columns));
  OneDnn theirs;
  auto in = theirs.matrix(rows, columns), out = theirs.matrix(rows, columns);
  const dnnl::softmax_v2_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, in.get_desc(), out.get_desc(),
       1},
      theirs.engine);
  theirs.add(dnnl::softmax_v2_forward(primitive), {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
  compareAll(state, ours, theirs, "softmax");
}
BENCHMARK(softmax)->Args({512, 1024})->Args({2048, 1024})->Args({4096, 4096})->Unit(benchmark::kMicrosecond);

void layerNorm(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  OurKernel ours(fmt::format(R"(
    x = f32[{0},{1}] parameter(0)
    scale = f32[{1}] parameter(1)
    shift = f32[{1}] parameter(2)
    zero = f32[] constant(0)
    part = f32[] constant({2})
    parts = f32[{0}] broadcast(part), dimensions={{}}
    sum = f32[{0}] reduce(x, zero), dimensions={{1}}, to_apply=add
    mean = f32[{0}] multiply(sum, parts)
    means = f32[{0},{1}] broadcast(mean), dimensions={{0}}
    centred = f32[{0},{1}] subtract(x, means)
    squares = f32[{0},{1}] multiply(centred, centred)
    square = f32[{0}] reduce(squares, zero), dimensions={{1}}, to_apply=add
    variance = f32[{0}] multiply(square, parts)
    epsilon = f32[] constant(1e-5)
    epsilons = f32[{0}] broadcast(epsilon), dimensions={{}}
    safe = f32[{0}] add(variance, epsilons)
    inverse = f32[{0}] rsqrt(safe)
    inverses = f32[{0},{1}] broadcast(inverse), dimensions={{0}}
    normal = f32[{0},{1}] multiply(centred, inverses)
    scales = f32[{0},{1}] broadcast(scale), dimensions={{1}}
    scaled = f32[{0},{1}] multiply(normal, scales)
    shifts = f32[{0},{1}] broadcast(shift), dimensions={{1}}
    ROOT y = f32[{0},{1}] add(scaled, shifts)
)",
                             rows, columns, 1.0 / static_cast<double>(columns)));
  OneDnn theirs;
  auto in = theirs.matrix(rows, columns), out = theirs.matrix(rows, columns);
  auto scale = theirs.array({columns}, {1}), shift = theirs.array({columns}, {1});
  using Flags = dnnl::normalization_flags;
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, in.get_desc(), 1e-5F, Flags::use_scale | Flags::use_shift},
      theirs.engine);
  theirs.add(dnnl::layer_normalization_forward(primitive),
             {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}, {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift}});
  compareAll(state, ours, theirs, "layer-norm");
}
BENCHMARK(layerNorm)
    ->Args({64, 1024})
    ->Args({128, 768})
    ->Args({256, 768})
    ->Args({512, 768})
    ->Args({2048, 768})
    ->Args({4096, 1024})
    ->Unit(benchmark::kMicrosecond);

// (x + bias) through the tanh form of gelu, plus the residual.
void biasGeluResidual(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  OurKernel ours(fmt::format(R"(
    x = f32[{0},{1}] parameter(0)
    bias = f32[{1}] parameter(1)
    residual = f32[{0},{1}] parameter(2)
    rows = f32[{0},{1}] broadcast(bias), dimensions={{1}}
    biased = f32[{0},{1}] add(x, rows)
    c1 = f32[] constant(0.044715)
    c1s = f32[{0},{1}] broadcast(c1), dimensions={{}}
    c2 = f32[] constant(0.7978845608)
    c2s = f32[{0},{1}] broadcast(c2), dimensions={{}}
    one = f32[] constant(1)
    ones = f32[{0},{1}] broadcast(one), dimensions={{}}
    half = f32[] constant(0.5)
    halves = f32[{0},{1}] broadcast(half), dimensions={{}}
    square = f32[{0},{1}] multiply(biased, biased)
    cube = f32[{0},{1}] multiply(square, biased)
    small = f32[{0},{1}] multiply(cube, c1s)
    inner = f32[{0},{1}] add(biased, small)
    scaled = f32[{0},{1}] multiply(inner, c2s)
    curve = f32[{0},{1}] tanh(scaled)
    raised = f32[{0},{1}] add(curve, ones)
    gated = f32[{0},{1}] multiply(raised, biased)
    gelu = f32[{0},{1}] multiply(gated, halves)
    ROOT y = f32[{0},{1}] add(gelu, residual)
)",
                             rows, columns));
  OneDnn theirs;
  auto in = theirs.matrix(rows, columns), out = theirs.matrix(rows, columns),
       residual = theirs.matrix(rows, columns);
  auto bias = theirs.array({1, columns}, {columns, 1});
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
  compareAll(state, ours, theirs, "gelu");
}
BENCHMARK(biasGeluResidual)
    ->Args({128, 768})
    ->Args({512, 1024})
    ->Args({2048, 3072})
    ->Unit(benchmark::kMicrosecond);

void reduction(benchmark::State& state, std::string_view dimensions, std::string_view work) {
  const int64_t rows = state.range(0), columns = state.range(1);
  const bool overRows = dimensions.contains('0'), overColumns = dimensions.contains('1');
  const int64_t left = overRows ? 1 : rows, right = overColumns ? 1 : columns;
  OurKernel ours(
      fmt::format("x = f32[{},{}] parameter(0)\n zero = f32[] constant(0)\n"
                  "ROOT y = f32[{}] reduce(x, zero), dimensions={{{}}}, to_apply=add\n",
                  rows, columns, left * right == 1 ? "" : fmt::format("{}", left * right), dimensions));
  OneDnn theirs;
  auto in = theirs.matrix(rows, columns), out = theirs.matrix(left, right);
  const dnnl::reduction::primitive_desc primitive(
      {dnnl::algorithm::reduction_sum, in.get_desc(), out.get_desc(), 0, 0}, theirs.engine);
  theirs.add(dnnl::reduction(primitive), {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
  compareAll(state, ours, theirs, work);
}
void reductionShapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({512, 256})->Args({2048, 1024})->Args({4096, 4096})->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(reduction, rowSums, "1", "row-sums")->Apply(reductionShapes);
BENCHMARK_CAPTURE(reduction, columnSums, "0", "column-sums")->Apply(reductionShapes);
BENCHMARK_CAPTURE(reduction, fullSum, "0,1", "full-sum")->Apply(reductionShapes);

void transpose(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  OurKernel ours(
      fmt::format("x = f32[{0},{1}] parameter(0)\n ROOT y = f32[{1},{0}] transpose(x), dimensions={{1,0}}\n",
                  rows, columns));
  OneDnn theirs;
  auto in = theirs.matrix(rows, columns), out = theirs.array({rows, columns}, {1, rows});
  theirs.add(dnnl::reorder(in, out), {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, out}});
  compareAll(state, ours, theirs, "transpose");
}
BENCHMARK(transpose)->Args({512, 512})->Args({2048, 1024})->Args({4096, 4096})->Unit(benchmark::kMicrosecond);

[[gnu::target_clones("avx512f", "avx2", "default")]] float plainSum(const float* x, int64_t count) {
  constexpr int64_t kAtOnce = 64;
  float sums[kAtOnce] = {};
  for (int64_t i = 0; i + kAtOnce <= count; i += kAtOnce) {
    for (int64_t j = 0; j < kAtOnce; ++j) sums[j] += x[i + j];
  }
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

// What memory allows: an array of the shape summed in f32 by the plainest loop, and copied, in microseconds.
// No reduction is quicker than the first, and nothing that makes as much as it reads than the second, unless
// it writes past the caches.
void memory(benchmark::State& state) {
  const int64_t count = state.range(0) * state.range(1);
  std::vector<float> from(static_cast<size_t>(count)), to(static_cast<size_t>(count));
  fillForBench(from.data(), count);
  const auto shortest = [&](const std::function<void(int64_t, int64_t)>& work) {
    double us = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 8; ++i) {
      const auto start = std::chrono::steady_clock::now();
      hostThreads().parallelFor(count, count / hostThreads().threads(), work);
      const auto end = std::chrono::steady_clock::now();
      us = std::min(us, std::chrono::duration<double, std::micro>(end - start).count());
    }
    return us;
  };
  double readUs = std::numeric_limits<double>::infinity(), copyUs = readUs;
  for (auto _ : state) {
    readUs = std::min(readUs, shortest([&](int64_t begin, int64_t end) {
                        benchmark::DoNotOptimize(plainSum(from.data() + begin, end - begin));
                      }));
    copyUs = std::min(copyUs, shortest([&](int64_t begin, int64_t end) {
                        std::memcpy(to.data() + begin, from.data() + begin,
                                    sizeof(float) * static_cast<size_t>(end - begin));
                      }));
  }
  state.counters["read_us"] = readUs;
  state.counters["copy_us"] = copyUs;
}
BENCHMARK(memory)
    ->Args({64, 1024})
    ->Args({128, 768})
    ->Args({512, 256})
    ->Args({256, 768})
    ->Args({512, 512})
    ->Args({512, 768})
    ->Args({2048, 768})
    ->Args({2048, 1024})
    ->Args({4096, 1024})
    ->Args({4096, 4096})
    ->Unit(benchmark::kMicrosecond);

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
