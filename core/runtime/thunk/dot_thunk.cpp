#include <fmt/format.h>

#include <dnnl.hpp>

#include "core/runtime/thunk/thunk.h"

namespace hilo {
namespace {

using Dims = dnnl::memory::dims;

dnnl::memory::desc matrix(int64_t batch, int64_t rows, int64_t columns, const std::vector<int64_t>& strides) {
  Dims sizes = {batch, rows, columns}, steps(strides.begin(), strides.end());
  // A dimension of one element may have any stride; oneDNN takes it for the distance between lines, which
  // must not be shorter than a line.
  if (rows == 1) steps[1] = std::max<int64_t>(1, columns * steps[2]);
  if (columns == 1) steps[2] = rows == 1 ? 1 : std::max<int64_t>(1, steps[1] == 1 ? rows : 1);
  if (batch == 1) {
    sizes.erase(sizes.begin());
    steps.erase(steps.begin());
  }
  return {sizes, dnnl::memory::data_type::f32, steps};
}

void multiply(const DotThunk& thunk, const ThunkContext& context) {
  static const dnnl::engine& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  const auto lhs = matrix(thunk.batch, thunk.m, thunk.k, thunk.lhsStrides),
             rhs = matrix(thunk.batch, thunk.k, thunk.n, thunk.rhsStrides),
             result = matrix(thunk.batch, thunk.m, thunk.n, thunk.resultStrides);
  // Made anew each time: oneDNN keeps the primitives themselves, by their description.
  const dnnl::matmul product(dnnl::matmul::primitive_desc(dnnl::matmul::desc(lhs, rhs, result), engine));
  dnnl::stream stream(engine);
  product.execute(stream, {{DNNL_ARG_SRC, dnnl::memory(lhs, engine, context.at(thunk.lhs))},
                           {DNNL_ARG_WEIGHTS, dnnl::memory(rhs, engine, context.at(thunk.rhs))},
                           {DNNL_ARG_DST, dnnl::memory(result, engine, context.at(thunk.result))}});
  stream.wait();
}

}  // namespace

// By oneDNN, in f32. A product over nothing is zero, which oneDNN does not say.
Status execute(const DotThunk& thunk, const ThunkContext& context) {
  if (thunk.type != ElementType::F32) {
    return fail("unsupported-type",
                fmt::format("a product of {} has no library function", elementTypeName(thunk.type)));
  }
  if (thunk.batch == 0 || thunk.m == 0 || thunk.n == 0) return {};
  if (thunk.k == 0) {
    std::fill_n(reinterpret_cast<float*>(context.at(thunk.result)), thunk.result.sizeBytes / 4, 0.0f);
    return {};
  }
  try {
    multiply(thunk, context);
  } catch (const dnnl::error& error) {
    return fail("library-failed",
                fmt::format("oneDNN cannot multiply [{},{},{}] by [{},{},{}]: {}", thunk.batch, thunk.m,
                            thunk.k, thunk.batch, thunk.k, thunk.n, error.what()));
  }
  return {};
}

}  // namespace hilo
