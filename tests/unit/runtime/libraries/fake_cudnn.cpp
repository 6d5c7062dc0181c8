// cuDNN's forward convolution of f32 over two dimensions of space, on the host.
#include "core/runtime/libraries/cudnn.h"

namespace hilo::fake_cudnn {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cudnn_functions.def"

struct Described {
  int sizes[4] = {}, strides[4] = {};
  int paddings[2] = {}, steps[2] = {}, dilations[2] = {}, groups = 1;
};
Described* at(void* handle) { return static_cast<Described*>(handle); }
int make(void** handle) {
  *handle = new Described;
  return 0;
}
int forget(void* handle) {
  delete at(handle);
  return 0;
}

// The handle is never given back: one for the process.
int create(void** handle) {
  static Described one;
  *handle = &one;
  return 0;
}
int setStream(void*, void*) { return 0; }
int createTensor(void** tensor) { return make(tensor); }
int setTensor(void* tensor, int type, int rank, const int* sizes, const int* strides) {
  if (type != 0 || rank != 4) return 3000;
  std::copy(sizes, sizes + 4, at(tensor)->sizes);
  std::copy(strides, strides + 4, at(tensor)->strides);
  return 0;
}
int forgetTensor(void* tensor) { return forget(tensor); }
int createFilter(void** filter) { return make(filter); }
int setFilter(void* filter, int type, int format, int rank, const int* sizes) {
  if (type != 0 || rank != 4) return 3000;
  Described& it = *at(filter);
  std::copy(sizes, sizes + 4, it.sizes);
  const int space = sizes[2] * sizes[3];
  const int strides[2][4] = {{sizes[1] * space, space, sizes[3], 1},
                             {sizes[1] * space, 1, sizes[3] * sizes[1], sizes[1]}};
  std::copy(strides[format], strides[format] + 4, it.strides);
  return 0;
}
int forgetFilter(void* filter) { return forget(filter); }
int createConvolution(void** convolution) { return make(convolution); }
int setConvolution(void* convolution, int rank, const int* paddings, const int* strides, const int* dilations,
                   int mode, int) {
  if (rank != 2 || mode != 1) return 3000;
  std::copy(paddings, paddings + 2, at(convolution)->paddings);
  std::copy(strides, strides + 2, at(convolution)->steps);
  std::copy(dilations, dilations + 2, at(convolution)->dilations);
  return 0;
}
int setGroups(void* convolution, int groups) {
  at(convolution)->groups = groups;
  return 0;
}
int forgetConvolution(void* convolution) { return forget(convolution); }
int chooseForward(void*, void*, void*, void*, void*, int, int* found, ConvolutionAlgorithm* algorithms) {
  *found = 1;
  *algorithms = {.algorithm = 6, .workspaceBytes = 128};
  return 0;
}

int forward(void*, const void* alpha, void* input, const void* x, void* filter, const void* w,
            void* convolution, int algorithm, void* workspace, size_t workspaceBytes, const void* beta,
            void* output, void* y) {
  if (algorithm != 6 || workspace == nullptr || workspaceBytes != 128 ||
      *static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0)
    return 3000;
  const Described &in = *at(input), &f = *at(filter), &out = *at(output), &c = *at(convolution);
  const int perGroup = f.sizes[0] / c.groups;
  const auto place = [](const Described& of, int n, int features, int i, int j) {
    return n * of.strides[0] + features * of.strides[1] + i * of.strides[2] + j * of.strides[3];
  };
  for (int n = 0; n < out.sizes[0]; ++n)
    for (int k = 0; k < out.sizes[1]; ++k)
      for (int i = 0; i < out.sizes[2]; ++i)
        for (int j = 0; j < out.sizes[3]; ++j) {
          double sum = 0;
          for (int ch = 0; ch < f.sizes[1]; ++ch)
            for (int r = 0; r < f.sizes[2]; ++r)
              for (int s = 0; s < f.sizes[3]; ++s) {
                const int row = i * c.steps[0] - c.paddings[0] + r * c.dilations[0],
                          column = j * c.steps[1] - c.paddings[1] + s * c.dilations[1];
                if (row < 0 || column < 0 || row >= in.sizes[2] || column >= in.sizes[3]) continue;
                const int from = k / perGroup * f.sizes[1] + ch;
                sum += double{static_cast<const float*>(x)[place(in, n, from, row, column)]} *
                       double{static_cast<const float*>(w)[place(f, k, ch, r, s)]};
              }
          static_cast<float*>(y)[place(out, n, k, i, j)] = static_cast<float>(sum);
        }
  return 0;
}

}  // namespace hilo::fake_cudnn
