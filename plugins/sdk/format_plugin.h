/* What a Hilo plug-in may include: the C interface between Hilo (the host) and a shared library that teaches
 * it a file format, or what a custom call does (custom_call.h), or a language of
 * kernels (kernel_dialect.h). C, so that any compiler and any language can
 * speak it; no C++ type and no exception crosses it.
 *
 * A plug-in exports one function, hilo_plugin(). Everything else hangs off the struct it returns. Memory
 * never changes hands: what a side passes is valid during that call alone, and the other side copies what it
 * keeps.
 *
 * Versions. HILO_PLUGIN_ABI_VERSION changes when a plug-in built before would misbehave; the host refuses any
 * other version by name. Within a version, structs grow at their end only: each begins with its own size, and
 * a reader looks at a field only where the size says that it is there. The first two fields of HiloPlugin
 * never change.
 *
 * Threads. The host calls from any thread, several at once. Strings are UTF-8 and end in a zero byte.
 */
#ifndef HILO_PLUGINS_SDK_FORMAT_PLUGIN_H_
#define HILO_PLUGINS_SDK_FORMAT_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "plugins/sdk/custom_call.h"
#include "plugins/sdk/diagnostic.h"
#include "plugins/sdk/kernel_dialect.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HILO_PLUGIN_ABI_VERSION 1u

/* The name of the one symbol the host looks for. */
#define HILO_PLUGIN_ENTRY "hilo_plugin"

#if defined(__GNUC__)
#define HILO_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define HILO_PLUGIN_EXPORT
#endif

/* What the input calls that of which an instruction of the module was made, and where it stands there. */
typedef struct HiloSourceName {
  const char* instruction; /* its name in the module */
  const char* name;        /* in the input: "%254"; "" where it has none */
  uint32_t line;           /* of the input, from 1 */
  uint32_t column;         /* from 1, in bytes */
} HiloSourceName;

/* One module found in the input. */
typedef struct HiloModule {
  size_t struct_size;
  HiloBytes hlo_module_proto; /* an XLA HloModuleProto, serialized (xla/service/hlo.proto) */
  const char* format;         /* what the input was, for people: "StableHLO text" */
  uint32_t first_line;        /* the line of the input this module begins at; 0: unknown */
  /* Where struct_size covers them: for messages about the module. */
  const HiloSourceName* source_names;
  size_t source_name_count;
} HiloModule;

typedef struct HiloOption {
  const char* name;
  const char* value;
} HiloOption;

/* What to read, and where to say what was found. The host fills it in. */
typedef struct HiloImportRequest {
  size_t struct_size;
  HiloBytes input;
  const char* path; /* what the input is called in messages */
  const HiloOption* options;
  size_t option_count;
  void* receiver; /* first argument of the functions below */
  void (*on_module)(void* receiver, const HiloModule* module);
  void (*on_diagnostic)(void* receiver, const HiloDiagnostic* diagnostic);
  int (*is_cancelled)(void* receiver); /* not 0: stop soon */
} HiloImportRequest;

typedef struct HiloExportRequest {
  size_t struct_size;
  HiloBytes hlo_module_proto;
  const HiloOption* options;
  size_t option_count;
  void* receiver;
  void (*on_output)(void* receiver, HiloBytes output); /* at most once: the whole file */
  void (*on_diagnostic)(void* receiver, const HiloDiagnostic* diagnostic);
} HiloExportRequest;

typedef struct HiloFormat {
  size_t struct_size;
  const char* name;        /* "stablehlo" */
  const char* description; /* one line */
  const char* extensions;  /* ".mlir .mlirbc": endings the exporter writes, the first its own */
  /* Not 0 when the bytes look like this format. Reads no more than it needs; must not trust them. */
  int (*recognizes)(HiloBytes input);
  /* 0 when every module was given to on_module; else an error diagnostic said why not. May be NULL. */
  int (*import_input)(const HiloImportRequest* request);
  /* 0 when the output was given to on_output; else an error diagnostic said why not. May be NULL. */
  int (*export_module)(const HiloExportRequest* request);
} HiloFormat;

typedef struct HiloPlugin {
  size_t struct_size;   /* never moves */
  uint32_t abi_version; /* never moves; HILO_PLUGIN_ABI_VERSION of the header the plug-in was built with */
  const char* name;
  const char* version;
  const char* description; /* one line */
  const HiloFormat* const* formats;
  size_t format_count;
  /* Where struct_size covers them. */
  const HiloCustomCall* const* custom_calls;
  size_t custom_call_count;
  const HiloKernelDialect* const* kernel_dialects;
  size_t kernel_dialect_count;
} HiloPlugin;

/* Exported by the plug-in. `host_abi_version` is the host's own, for a plug-in that speaks several. The
 * struct lives until the process ends; NULL says that the plug-in cannot work here. */
typedef const HiloPlugin* (*HiloPluginEntry)(uint32_t host_abi_version);
HILO_PLUGIN_EXPORT const HiloPlugin* hilo_plugin(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

#endif /* HILO_PLUGINS_SDK_FORMAT_PLUGIN_H_ */
