// Products, convolutions and an attention block of the cpu engine against oneDNN, and against OpenBLAS and
// libtorch where they are there. Filters come in the module's order with every run, for all sides.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/bench/dot_peers.h"
#include "tests/bench/onednn_peer.h"

namespace hilo {
namespace {

using dnnl::memory;

Peer peerOf(std::shared_ptr<OneDnn> library) {
  return {"onednn", [library] { return library->runUs(); }};
}

Peer oneDnnMatmul(int64_t batch, int64_t m, int64_t n, int64_t k) {
  auto library = std::make_shared<OneDnn>();
  const auto array = [&](int64_t rows, int64_t columns) {
    return batch == 1 ? library->matrix(rows, columns)
                      : library->array({batch, rows, columns}, {rows * columns, columns, 1});
  };
  const auto a = array(m, k), b = array(k, n), c = array(m, n);
  const dnnl::matmul::primitive_desc primitive({a.get_desc(), b.get_desc(), c.get_desc()}, library->engine);
  library->add(dnnl::matmul(primitive), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
  return peerOf(library);
}

void matmul(benchmark::State& state) {
  const int64_t batch = state.range(0), m = state.range(1), n = state.range(2), k = state.range(3);
  const bool isOne = batch == 1;
  OurKernel ours(fmt::format(
      "a = f32[{0}{1},{3}] parameter(0)\n b = f32[{0}{3},{2}] parameter(1)\n"
      "ROOT c = f32[{0}{1},{2}] dot(a, b), {4}lhs_contracting_dims={{{5}}}, rhs_contracting_dims={{{6}}}\n",
      isOne ? "" : fmt::format("{},", batch), m, n, k,
      isOne ? "" : "lhs_batch_dims={0}, rhs_batch_dims={0}, ", isOne ? 1 : 2, isOne ? 0 : 1));
  std::vector<Peer> peers = {oneDnnMatmul(batch, m, n, k)};
#ifdef HILO_OPENBLAS
  peers.push_back(openBlasMatmul(batch, m, n, k));
#endif
#ifdef HILO_TORCH
  peers.push_back(torchMatmul(batch, m, n, k));
#endif
  compare(state, ours, peers);
}
BENCHMARK(matmul)
    ->ArgNames({"batch", "m", "n", "k"})
    ->Args({1, 16, 16, 16})
    ->Args({1, 32, 32, 32})
    ->Args({1, 64, 64, 64})
    ->Args({1, 128, 128, 128})
    ->Args({1, 256, 256, 256})
    ->Args({1, 512, 512, 512})
    ->Args({1, 1024, 1024, 1024})
    ->Args({1, 2048, 2048, 2048})
    ->Args({96, 512, 512, 64})
    ->Args({96, 512, 64, 512})
    ->Args({1, 1, 4096, 1024})
    ->Args({1, 4096, 1, 1024})
    ->Args({1, 8, 4096, 1024})
    ->Unit(benchmark::kMicrosecond);

// Types that oneDNN multiplies no matrices of.
void matmulOfType(benchmark::State& state, const char* type, std::vector<Peer> peers) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  OurKernel ours(
      fmt::format("a = {3}[{0},{2}] parameter(0)\n b = {3}[{2},{1}] parameter(1)\n"
                  "ROOT c = {3}[{0},{1}] dot(a, b), lhs_contracting_dims={{1}}, "
                  "rhs_contracting_dims={{0}}\n",
                  m, n, k, type));
  compare(state, ours, peers);
}

void matmul_f64(benchmark::State& state) {
  std::vector<Peer> peers;
#ifdef HILO_OPENBLAS
  peers.push_back(openBlasMatmulOfF64(state.range(0), state.range(1), state.range(2)));
#endif
#ifdef HILO_TORCH
  peers.push_back(torchMatmulOfF64(state.range(0), state.range(1), state.range(2)));
#endif
  matmulOfType(state, "f64", peers);
}

void matmul_s32(benchmark::State& state) {
  std::vector<Peer> peers;
#ifdef HILO_TORCH
  peers.push_back(torchMatmulOfS32(state.range(0), state.range(1), state.range(2)));
#endif
  matmulOfType(state, "s32", peers);
}

BENCHMARK(matmul_f64)
    ->ArgNames({"m", "n", "k"})
    ->Args({32, 32, 32})
    ->Args({128, 128, 128})
    ->Args({512, 512, 512})
    ->Args({1024, 1024, 1024})
    ->Args({4096, 1, 1024})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(matmul_s32)
    ->ArgNames({"m", "n", "k"})
    ->Args({32, 32, 32})
    ->Args({128, 128, 128})
    ->Args({512, 512, 512})
    ->Unit(benchmark::kMicrosecond);

Peer oneDnnConvolution(const ConvolutionSizes& c) {
  auto library = std::make_shared<OneDnn>();
  const auto image = [&](int64_t features, int64_t size) {
    return library->array({c.batch, features, size, size},
                          {size * size * features, 1, size * features, features});
  };
  const auto x = image(c.inputFeatures, c.input), y = image(c.outputFeatures, c.output());
  const int64_t in = c.inputFeatures / c.groups, out = c.outputFeatures / c.groups, all = c.outputFeatures;
  OneDnn::Dims sizes = {out, in, c.filter, c.filter}, strides = {1, all, c.filter * in * all, in * all};
  if (c.groups > 1) {
    sizes.insert(sizes.begin(), c.groups);
    strides.insert(strides.begin(), out);
  }
  const auto given = library->array(sizes, strides);
  const dnnl::convolution_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference,
       dnnl::algorithm::convolution_direct,
       x.get_desc(),
       memory::desc(sizes, memory::data_type::f32, memory::format_tag::any),
       y.get_desc(),
       {c.stride, c.stride},
       {c.padding, c.padding},
       {c.padding, c.padding}},
      library->engine);
  memory filter = given;
  if (primitive.weights_desc() != given.get_desc()) {
    filter = memory(primitive.weights_desc(), library->engine);
    library->add(dnnl::reorder(given, filter), {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, filter}});
  }
  library->add(dnnl::convolution_forward(primitive),
               {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, y}});
  return peerOf(library);
}

void convolution(benchmark::State& state) {
  const ConvolutionSizes c = {state.range(0), state.range(1), state.range(2), state.range(3),
                              state.range(4), state.range(5), state.range(6), state.range(7)};
  OurKernel ours(
      fmt::format("x = f32[{0},{1},{1},{2}] parameter(0)\n k = f32[{3},{3},{4},{5}] parameter(1)\n"
                  "ROOT y = f32[{0},{6},{6},{5}] convolution(x, k), window={{size={3}x{3} stride={7}x{7} "
                  "pad={8}_{8}x{8}_{8}}}, "
                  "dim_labels=b01f_01io->b01f, feature_group_count={9}\n",
                  c.batch, c.input, c.inputFeatures, c.filter, c.inputFeatures / c.groups, c.outputFeatures,
                  c.output(), c.stride, c.padding, c.groups));
  std::vector<Peer> peers = {oneDnnConvolution(c)};
#ifdef HILO_TORCH
  peers.push_back(torchConvolution(c));
#endif
  compare(state, ours, peers);
}
BENCHMARK(convolution)
    ->ArgNames({"batch", "in", "size", "out", "filter", "stride", "pad", "groups"})
    ->Args({8, 3, 224, 64, 7, 2, 3, 1})
    ->Args({8, 64, 56, 64, 3, 1, 1, 1})
    ->Args({8, 64, 56, 256, 1, 1, 0, 1})
    ->Args({8, 512, 7, 512, 3, 1, 1, 1})
    ->Args({8, 256, 56, 256, 3, 1, 1, 256})
    ->Args({1, 3, 224, 64, 7, 2, 3, 1})
    ->Args({1, 64, 56, 64, 3, 1, 1, 1})
    ->Args({1, 256, 56, 512, 1, 2, 0, 1})
    ->Args({1, 512, 7, 512, 3, 1, 1, 1})
    ->Unit(benchmark::kMicrosecond);

// The scale is part of the first product. The mask is not: added there it takes oneDNN a hundred
// times as long.
Peer oneDnnAttention(int64_t heads, int64_t length, int64_t depth) {
  auto library = std::make_shared<OneDnn>();
  const auto array = [&](int64_t rows, int64_t columns) {
    return library->array({heads, rows, columns}, {rows * columns, columns, 1});
  };
  const auto q = array(length, depth), v = array(length, depth), result = array(length, depth),
             weights = array(length, length);
  const auto k = library->array({heads, depth, length}, {length * depth, 1, depth});
  const auto mask = library->array({1, length, length}, {length * length, length, 1});
  dnnl::primitive_attr attributes;
  attributes.set_output_scales(0, {1 / std::sqrt(static_cast<float>(depth))});
  const dnnl::matmul::primitive_desc first({q.get_desc(), k.get_desc(), weights.get_desc()}, attributes,
                                           library->engine);
  library->add(dnnl::matmul(first), {{DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, weights}});
  const dnnl::binary::primitive_desc masked(
      {dnnl::algorithm::binary_add, weights.get_desc(), mask.get_desc(), weights.get_desc()},
      library->engine);
  library->add(dnnl::binary(masked),
               {{DNNL_ARG_SRC_0, weights}, {DNNL_ARG_SRC_1, mask}, {DNNL_ARG_DST, weights}});
  const dnnl::softmax_v2_forward::primitive_desc softmax(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, weights.get_desc(),
       weights.get_desc(), 2},
      library->engine);
  library->add(dnnl::softmax_v2_forward(softmax), {{DNNL_ARG_SRC, weights}, {DNNL_ARG_DST, weights}});
  const dnnl::matmul::primitive_desc second({weights.get_desc(), v.get_desc(), result.get_desc()},
                                            library->engine);
  library->add(dnnl::matmul(second),
               {{DNNL_ARG_SRC, weights}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, result}});
  return peerOf(library);
}

void attention(benchmark::State& state) {
  const int64_t heads = state.range(0), length = state.range(1), depth = state.range(2);
  OurKernel ours(fmt::format(R"(
    q = f32[{0},{1},{2}] parameter(0)
    k = f32[{0},{1},{2}] parameter(1)
    v = f32[{0},{1},{2}] parameter(2)
    mask = f32[{1},{1}] parameter(3)
    raw = f32[{0},{1},{1}] dot(q, k), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}
    scale = f32[] constant({3})
    scales = f32[{0},{1},{1}] broadcast(scale), dimensions={{}}
    scaled = f32[{0},{1},{1}] multiply(raw, scales)
    masks = f32[{0},{1},{1}] broadcast(mask), dimensions={{1,2}}
    x = f32[{0},{1},{1}] add(scaled, masks)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    top = f32[{0},{1}] reduce(x, low), dimensions={{2}}, to_apply=max
    tops = f32[{0},{1},{1}] broadcast(top), dimensions={{0,1}}
    below = f32[{0},{1},{1}] subtract(x, tops)
    power = f32[{0},{1},{1}] exponential(below)
    sum = f32[{0},{1}] reduce(power, zero), dimensions={{2}}, to_apply=add
    sums = f32[{0},{1},{1}] broadcast(sum), dimensions={{0,1}}
    weights = f32[{0},{1},{1}] divide(power, sums)
    ROOT y = f32[{0},{1},{2}] dot(weights, v), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}
)",
                             heads, length, depth, 1 / std::sqrt(static_cast<double>(depth))));
  std::vector<Peer> peers = {oneDnnAttention(heads, length, depth)};
#ifdef HILO_TORCH
  peers.push_back(torchAttention(heads, length, depth));
#endif
  compare(state, ours, peers);
}
BENCHMARK(attention)
    ->ArgNames({"heads", "length", "depth"})
    ->Args({96, 512, 64})
    ->Args({12, 128, 64})
    ->Args({32, 1024, 128})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  // OpenBLAS reads it when it is loaded, which has been: once more from the start.
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr && __builtin_cpu_supports("avx512f")) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
    execv("/proc/self/exe", argv);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
