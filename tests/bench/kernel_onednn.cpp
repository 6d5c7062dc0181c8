// The work of `bench_cpu_kernels` as primitives of oneDNN.
#include <map>

#include "tests/bench/kernel_works.h"
#include "tests/bench/onednn_peer.h"

namespace hilo {
namespace {

using dnnl::memory;
using AddWork = std::function<void(OneDnn&, const KernelWork&)>;

// oneDNN's arrays of the work's type.
struct Arrays {
  OneDnn& library;
  const KernelWork& work;

  memory dense(std::vector<int64_t> sizes) const {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
    return library.array(sizes, strides, type());
  }
  memory x() const { return dense(work.sizes); }
  // Of a row's sizes, with as many dimensions as x.
  memory row() const {
    std::vector<int64_t> sizes(work.sizes.size(), 1);
    sizes.back() = work.sizes.back();
    return dense(sizes);
  }
  memory::data_type type() const { return work.isBf16 ? memory::data_type::bf16 : memory::data_type::f32; }
};

void addNorm(OneDnn& library, const KernelWork& work, const memory& from, const memory& to) {
  using Flags = dnnl::normalization_flags;
  const int64_t columns = work.sizes.back();
  const memory scale = library.array({columns}, {1}), shift = library.array({columns}, {1});
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, from.get_desc(), 1e-5F, Flags::use_scale | Flags::use_shift},
      library.engine);
  library.add(dnnl::layer_normalization_forward(primitive),
              {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}, {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift}});
}

void layerNorm(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
  addNorm(library, work, arrays.x(), arrays.x());
}

void residualLayerNorm(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
  const memory x = arrays.x(), other = arrays.x(), sum = arrays.x();
  const dnnl::binary::primitive_desc add(
      {dnnl::algorithm::binary_add, x.get_desc(), other.get_desc(), sum.get_desc()}, library.engine);
  library.add(dnnl::binary(add), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, sum}});
  addNorm(library, work, sum, arrays.x());
}

void softmax(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
  const memory x = arrays.x(), y = arrays.x();
  const dnnl::softmax_v2_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, x.get_desc(), y.get_desc(),
       static_cast<int>(work.sizes.size()) - 1},
      library.engine);
  library.add(dnnl::softmax_v2_forward(primitive), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

// x + shift, then gelu.
void biasGelu(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
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

// (x + shift) through the tanh form of gelu, plus the other.
void biasGeluResidual(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
  const memory x = arrays.x(), shift = arrays.row(), other = arrays.x(), y = arrays.x();
  dnnl::post_ops after;
  after.append_eltwise(1, dnnl::algorithm::eltwise_gelu_tanh, 0, 0);
  after.append_binary(dnnl::algorithm::binary_add, other.get_desc());
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::binary::primitive_desc add(
      {dnnl::algorithm::binary_add, x.get_desc(), shift.get_desc(), y.get_desc()}, attributes,
      library.engine);
  library.add(dnnl::binary(add), {{DNNL_ARG_SRC_0, x},
                                  {DNNL_ARG_SRC_1, shift},
                                  {DNNL_ARG_DST, y},
                                  {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, other}});
}

// x by its logistic, by the other array.
void swiGlu(OneDnn& library, const KernelWork& work) {
  const Arrays arrays{library, work};
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

AddWork reduction(dnnl::algorithm algorithm, std::initializer_list<size_t> dimensions) {
  return [algorithm, dimensions = std::vector<size_t>(dimensions)](OneDnn& library, const KernelWork& work) {
    const Arrays arrays{library, work};
    std::vector<int64_t> sizes = work.sizes;
    for (const size_t dimension : dimensions) sizes[dimension] = 1;
    const memory x = arrays.x(), y = arrays.dense(sizes);
    const dnnl::reduction::primitive_desc primitive({algorithm, x.get_desc(), y.get_desc(), 0, 0},
                                                    library.engine);
    library.add(dnnl::reduction(primitive), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  };
}

// The result's dimension d is x's dimension order[d].
AddWork transposition(std::vector<size_t> order) {
  return [order](OneDnn& library, const KernelWork& work) {
    const Arrays arrays{library, work};
    std::vector<int64_t> strides(order.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= work.sizes[order[i]]) strides[order[i]] = stride;
    const memory x = arrays.x(), y = library.array(work.sizes, strides, arrays.type());
    library.add(dnnl::reorder(x, y), {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, y}});
  };
}

}  // namespace

std::vector<Peer> oneDnnPeers(const KernelWork& work) {
  using dnnl::algorithm;
  // No root of squares, and variances not alone.
  static const std::map<std::string_view, AddWork> kWorks = {
      {"layerNorm", layerNorm},
      {"residualLayerNorm", residualLayerNorm},
      {"softmax", softmax},
      {"geluErf", biasGelu},
      {"biasGeluResidual", biasGeluResidual},
      {"swiGlu", swiGlu},
      {"rowSums", reduction(algorithm::reduction_sum, {1})},
      {"rowMaxima", reduction(algorithm::reduction_max, {1})},
      {"columnSums", reduction(algorithm::reduction_sum, {0})},
      {"fullSum", reduction(algorithm::reduction_sum, {0, 1})},
      {"middleSums", reduction(algorithm::reduction_sum, {1})},
      {"spaceMeans", reduction(algorithm::reduction_mean, {1, 2})},
      {"transpose", transposition({1, 0})},
      {"splitHeads", transposition({0, 2, 1, 3})},
      {"turnKeys", transposition({0, 2, 3, 1})},
      {"channelsFirst", transposition({0, 3, 1, 2})},
  };
  const auto found = kWorks.find(work.name);
  if (found == kWorks.end()) return {};
  auto library = std::make_shared<OneDnn>();
  try {
    found->second(*library, work);
  } catch (const dnnl::error& error) {
    // oneDNN has no bf16 on processors without AVX-512; ours is then measured alone.
    if (error.status != dnnl_unimplemented) throw;
    return {};
  }
  return {{"onednn", [library] { return library->runUs(); }}};
}

}  // namespace hilo
