/* What a plug-in does for kernels that custom calls carry, or that lie in files: their payload as text, what
 * a person asks of it first, and what is wrong with it. See format_plugin.h for versions, memory and threads.
 */
#ifndef HILO_PLUGINS_SDK_KERNEL_DIALECT_H_
#define HILO_PLUGINS_SDK_KERNEL_DIALECT_H_

#include "plugins/sdk/diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HiloKernel {
  size_t struct_size;
  const char* format; /* what the payload was, for people: "Mosaic GPU bytecode, version 6" */
  HiloBytes text;     /* the kernel as a person reads it; places of diagnostics are lines of it */
  /* A JSON object: launches, references to memory, barriers, counts of operations, and what each group of
   * threads does in order. docs/kernel_dialects.md has its fields. */
  HiloBytes description;
} HiloKernel;

typedef struct HiloKernelRequest {
  size_t struct_size;
  HiloBytes input;
  const char* path;                                            /* what the input is called in messages */
  void* receiver;                                              /* first argument of the functions below */
  void (*on_kernel)(void* receiver, const HiloKernel* kernel); /* at most once */
  /* Of what cannot be read, and of a kernel that was read and is not valid. */
  void (*on_diagnostic)(void* receiver, const HiloDiagnostic* diagnostic);
  int (*is_cancelled)(void* receiver); /* not 0: stop soon */
} HiloKernelRequest;

typedef struct HiloKernelDialect {
  size_t struct_size;
  const char* name;        /* "mosaic_gpu" */
  const char* description; /* one line */
  /* Not 0 when the bytes look like this dialect. Must not trust them. */
  int (*recognizes)(HiloBytes input);
  /* 0 when on_kernel was called; else an error diagnostic said why not. */
  int (*read_kernel)(const HiloKernelRequest* request);
} HiloKernelDialect;

#ifdef __cplusplus
}
#endif

#endif /* HILO_PLUGINS_SDK_KERNEL_DIALECT_H_ */
