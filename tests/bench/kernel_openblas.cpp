#include "tests/bench/kernel_works.h"

#include <cblas-openblas.h>

#include <chrono>
#include <memory>

namespace hilo {

std::vector<Peer> openBlasPeers(const KernelWork& work) {
  if (work.isBf16 || work.sizes.size() != 2) return {};
  const int64_t rows = work.sizes[0], columns = work.sizes[1];
  struct Arrays {
    std::vector<float> in, out, ones;
  };
  auto arrays = std::make_shared<Arrays>();
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns);
  arrays->in.resize(static_cast<size_t>(rows * columns));
  fillForBench(arrays->in.data(), rows * columns);
  std::function<void(Arrays&)> run;
  if (work.name == "transpose") {
    arrays->out.resize(arrays->in.size());
    run = [=](Arrays& a) {
      cblas_somatcopy(CblasRowMajor, CblasTrans, m, n, 1.0F, a.in.data(), n, a.out.data(), m);
    };
  } else if (work.name == "rowSums" || work.name == "columnSums") {
    const bool byRow = work.name == "rowSums";
    arrays->out.resize(static_cast<size_t>(byRow ? rows : columns));
    arrays->ones.assign(static_cast<size_t>(byRow ? columns : rows), 1.0F);
    run = [=](Arrays& a) {
      cblas_sgemv(CblasRowMajor, byRow ? CblasNoTrans : CblasTrans, m, n, 1.0F, a.in.data(), n, a.ones.data(),
                  1, 0.0F, a.out.data(), 1);
    };
  } else {
    return {};
  }
  return {
      {"openblas", [arrays, run] {
         const auto start = std::chrono::steady_clock::now();
         run(*arrays);
         return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
       }}};
}

}  // namespace hilo
