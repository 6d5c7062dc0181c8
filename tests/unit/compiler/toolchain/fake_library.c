/* In the place of NVIDIA's libraries: what each says when it is asked for its version. */
#include <stddef.h>

size_t cublasLtGetVersion(void) { return 130100; }
size_t cudnnGetVersion(void) { return 91900; }
int cufftGetVersion(int* version) {
  *version = 12000;
  return 0;
}
int cusolverGetVersion(int* version) {
  *version = 12004;
  return 0;
}
int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}
int cuptiGetVersion(int* version) {
  *version = 130001;
  return 1; /* it fails */
}
int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
