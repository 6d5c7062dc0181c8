// OpenBLAS as a peer. Its processor must be named in OPENBLAS_CORETYPE before it is loaded where it does not
// know it by itself; bench_dots does so.
#include <cblas-openblas.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/bench/dot_peers.h"

namespace hilo {

Peer openBlasMatmul(int64_t batch, int64_t m, int64_t n, int64_t k) {
  openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  struct Arrays {
    std::vector<float> a, b, c;
  };
  auto arrays = std::make_shared<Arrays>(Arrays{std::vector<float>(static_cast<size_t>(batch * m * k)),
                                                std::vector<float>(static_cast<size_t>(batch * k * n)),
                                                std::vector<float>(static_cast<size_t>(batch * m * n))});
  fillForBench(arrays->a.data(), batch * m * k);
  fillForBench(arrays->b.data(), batch * k * n);
  return {
      "openblas", [=] {
        const auto start = std::chrono::steady_clock::now();
        const auto size = [](int64_t x) { return static_cast<blasint>(x); };
        for (int64_t i = 0; i < batch; ++i) {
          const float *a = arrays->a.data() + i * m * k, *b = arrays->b.data() + i * k * n;
          float* c = arrays->c.data() + i * m * n;
          if (m == 1) {
            cblas_sgemv(CblasRowMajor, CblasTrans, size(k), size(n), 1, b, size(n), a, 1, 0, c, 1);
          } else if (n == 1) {
            cblas_sgemv(CblasRowMajor, CblasNoTrans, size(m), size(k), 1, a, size(k), b, 1, 0, c, 1);
          } else {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(m), size(n), size(k), 1, a, size(k),
                        b, size(n), 0, c, size(n));
          }
        }
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      }};
}

Peer openBlasMatmulOfF64(int64_t m, int64_t n, int64_t k) {
  const auto filled = [](int64_t count) {
    std::vector<double> values(static_cast<size_t>(count));
    fillForBench(values.data(), count);
    return values;
  };
  struct Arrays {
    std::vector<double> a, b, c;
  };
  auto arrays = std::make_shared<Arrays>(Arrays{filled(m * k), filled(k * n), filled(m * n)});
  return {
      "openblas", [=] {
        const auto start = std::chrono::steady_clock::now();
        const auto size = [](int64_t x) { return static_cast<blasint>(x); };
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(m), size(n), size(k), 1, arrays->a.data(),
                    size(k), arrays->b.data(), size(n), 0, arrays->c.data(), size(n));
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      }};
}

}  // namespace hilo
