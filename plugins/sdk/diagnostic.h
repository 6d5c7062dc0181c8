/* Bytes, and what is wrong with them: of every call of the interface (format_plugin.h). */
#ifndef HILO_PLUGINS_SDK_DIAGNOSTIC_H_
#define HILO_PLUGINS_SDK_DIAGNOSTIC_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HiloBytes {
  const char* data;
  size_t size;
} HiloBytes;

typedef enum HiloSeverity { HILO_NOTE = 0, HILO_WARNING = 1, HILO_ERROR = 2 } HiloSeverity;

typedef struct HiloDiagnostic {
  size_t struct_size;
  HiloSeverity severity;
  const char* kind;    /* stable, lower-case, hyphenated: "syntax-error" */
  const char* message; /* for a person */
  uint32_t line;       /* from 1; 0: unknown */
  uint32_t column;     /* from 1, in bytes; 0: unknown */
  const char* const* notes;
  size_t note_count;
} HiloDiagnostic;

#ifdef __cplusplus
}
#endif

#endif /* HILO_PLUGINS_SDK_DIAGNOSTIC_H_ */
