/* Kernels for programs that tests write by hand, in the form compiler/codegen gives its own: arguments first,
 * then results. */
#include <stdint.h>

void add_s32(void* const* buffers, int64_t begin, int64_t end) {
  const int32_t* value = buffers[0];
  int32_t* sum = buffers[1];
  for (int64_t i = begin; i < end; ++i) sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)value[i]);
}

void fill_s32(void* const* buffers, int64_t begin, int64_t end) {
  const int32_t* value = buffers[0];
  int32_t* filled = buffers[1];
  for (int64_t i = begin; i < end; ++i) filled[i] = *value;
}

void store_far_away(void* const* buffers, int64_t begin, int64_t end) {
  (void)end;
  *(volatile char*)begin = *(char*)buffers[0];
}
