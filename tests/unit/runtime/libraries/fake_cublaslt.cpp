// cuBLASLt of f32 matrices on the host: what is described is kept by its numbers, and multiplied plainly.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include "core/runtime/libraries/cublaslt.h"

namespace {

struct Described {
  std::map<int, std::array<std::byte, 16>> attributes;
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;

  template <typename T>
  T get(int attribute) const {
    T value{};
    const auto found = attributes.find(attribute);
    if (found != attributes.end()) std::memcpy(&value, found->second.data(), sizeof(T));
    return value;
  }
};
Described* at(void* handle) { return static_cast<Described*>(handle); }
int keep(void* handle, int attribute, const void* value, size_t bytes) {
  if (bytes > 16) return 7;
  std::memcpy(at(handle)->attributes[attribute].data(), value, bytes);
  return 0;
}
int make(void** handle) {
  *handle = new Described;
  return 0;
}
int forget(void* handle) {
  delete at(handle);
  return 0;
}

}  // namespace

namespace hilo::fake_cublaslt {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cublaslt_functions.def"

// The handle is never given back: one for the process.
int create(void** handle) {
  static Described one;
  *handle = &one;
  return 0;
}
int describeProduct(void** product, int computeType, int) { return computeType == 68 ? make(product) : 15; }
int setProduct(void* product, int attribute, const void* value, size_t bytes) {
  return keep(product, attribute, value, bytes);
}
int forgetProduct(void* product) { return forget(product); }
int describeMatrix(void** matrix, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  make(matrix);
  at(*matrix)->type = type;
  at(*matrix)->rows = rows;
  at(*matrix)->columns = columns;
  at(*matrix)->leading = leading;
  return type == 0 && leading >= static_cast<int64_t>(rows) ? 0 : 7;
}
int setMatrix(void* matrix, int attribute, const void* value, size_t bytes) {
  return keep(matrix, attribute, value, bytes);
}
int forgetMatrix(void* matrix) { return forget(matrix); }
int createPreference(void** preference) { return make(preference); }
int setPreference(void* preference, int attribute, const void* value, size_t bytes) {
  return keep(preference, attribute, value, bytes);
}
int forgetPreference(void* preference) { return forget(preference); }
int chooseAlgorithm(void*, void*, void*, void*, void*, void* d, void* preference, int,
                    ProductAlgorithm* algorithms, int* found) {
  // 13 columns are what it knows no algorithm for.
  *found = at(d)->columns == 13 ? 0 : 1;
  algorithms->workspaceBytes = std::min<uint64_t>(64, at(preference)->get<uint64_t>(1));
  algorithms->algorithm[0] = 42;
  return 0;
}

int multiply(void*, void* product, const void* alpha, const void* a, void* layoutA, const void* b,
             void* layoutB, const void* beta, const void* c, void* layoutC, void* d, void* layoutD,
             const void* algorithm, void* workspace, size_t workspaceBytes, void*) {
  const Described &of = *at(product), &la = *at(layoutA), &lb = *at(layoutB), &lc = *at(layoutC),
                  &ld = *at(layoutD);
  if (*static_cast<const uint64_t*>(algorithm) != 42 || workspace == nullptr || workspaceBytes != 64)
    return 7;
  const bool turnsA = of.get<int32_t>(3) == 1, turnsB = of.get<int32_t>(4) == 1;
  const auto epilogue = of.get<uint32_t>(7);
  const auto* bias = of.get<const float*>(8);
  const auto floats = [](const void* p) { return static_cast<const float*>(p); };
  const uint64_t depth = turnsA ? la.rows : la.columns;
  if (depth != (turnsB ? lb.columns : lb.rows)) return 7;
  for (int32_t batch = 0; batch < ld.get<int32_t>(5); ++batch) {
    const float* x = floats(a) + batch * la.get<int64_t>(6);
    const float* y = floats(b) + batch * lb.get<int64_t>(6);
    const auto element = [](const float* m, const Described& l, bool turns, uint64_t i, uint64_t j) {
      return turns ? m[j + i * static_cast<uint64_t>(l.leading)]
                   : m[i + j * static_cast<uint64_t>(l.leading)];
    };
    for (uint64_t j = 0; j < ld.columns; ++j) {
      for (uint64_t i = 0; i < ld.rows; ++i) {
        double sum = 0;
        for (uint64_t l = 0; l < depth; ++l)
          sum += double{element(x, la, turnsA, i, l)} * double{element(y, lb, turnsB, l, j)};
        sum *= *floats(alpha);
        if (*floats(beta) != 0)
          sum += *floats(beta) * element(floats(c) + batch * lc.get<int64_t>(6), lc, false, i, j);
        if ((epilogue & 4) != 0) sum += bias[i];
        if ((epilogue & 2) != 0) sum = std::max(sum, 0.0);
        if ((epilogue & 32) != 0)
          sum = 0.5 * sum * (1 + std::tanh(0.7978845608 * (sum + 0.044715 * sum * sum * sum)));
        static_cast<float*>(d)[static_cast<uint64_t>(batch * ld.get<int64_t>(6)) + i +
                               j * static_cast<uint64_t>(ld.leading)] = static_cast<float>(sum);
      }
    }
  }
  return 0;
}

}  // namespace hilo::fake_cublaslt
