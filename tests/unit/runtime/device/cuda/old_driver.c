/* A driver of CUDA 11.4: no cuLaunchKernelEx. Only what is looked at before that is here. */
#define DONE(symbol) \
  int symbol(void) { return 0; }

int cuDriverGetVersion(int* version) {
  *version = 11040;
  return 0;
}
DONE(cuInit)
DONE(cuGetErrorName)
DONE(cuGetErrorString)
DONE(cuDeviceGetCount)
DONE(cuDeviceGet)
DONE(cuDeviceGetName)
DONE(cuDeviceGetAttribute)
DONE(cuDeviceTotalMem_v2)
DONE(cuDeviceGetDefaultMemPool)
DONE(cuMemPoolGetAttribute)
DONE(cuMemPoolSetAttribute)
DONE(cuDevicePrimaryCtxRetain)
DONE(cuDevicePrimaryCtxRelease_v2)
DONE(cuCtxSetCurrent)
DONE(cuModuleLoadDataEx)
DONE(cuModuleUnload)
DONE(cuModuleGetFunction)
DONE(cuModuleGetGlobal_v2)
DONE(cuFuncGetAttribute)
DONE(cuFuncSetAttribute)
