/* What a plug-in does for a custom call: a C function that gets typed buffers and attributes, registered by
 * the target's name in HiloPlugin. C, as all of the interface: see format_plugin.h for versions, memory and
 * threads.
 *
 * A handler is called whenever a program comes to the custom call, on any thread, for several devices at
 * once. It reads its operands, writes all of its results, and keeps no pointer. Arrays lie in the order of
 * their layout, an element after the other; types under 8 bits take a byte each, pred is 0 or 1, complex
 * numbers two parts.
 */
#ifndef HILO_PLUGINS_SDK_CUSTOM_CALL_H_
#define HILO_PLUGINS_SDK_CUSTOM_CALL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HiloBuffer {
  size_t struct_size;
  const char* element_type; /* as HLO text writes it: "f32", "bf16", "s4" */
  const int64_t* dimensions;
  const int64_t* minor_to_major; /* the layout; as many numbers as dimensions */
  size_t rank;
  void* data; /* of an operand: not to be written */
  size_t size_bytes;
} HiloBuffer;

typedef enum HiloAttributeKind {
  HILO_ATTRIBUTE_BOOL = 0,    /* integers[0] */
  HILO_ATTRIBUTE_INTEGER = 1, /* integers[0] */
  HILO_ATTRIBUTE_FLOAT = 2,   /* floats[0] */
  HILO_ATTRIBUTE_STRING = 3,  /* text; of a dictionary its JSON */
  HILO_ATTRIBUTE_INTEGERS = 4,
  HILO_ATTRIBUTE_FLOATS = 5
} HiloAttributeKind;

/* An attribute of the call, from the dictionary in its backend_config: {axis = 1 : i64, eps = 0.5 : f32}. */
typedef struct HiloAttribute {
  size_t struct_size;
  const char* name;
  HiloAttributeKind kind;
  const char* text;
  const int64_t* integers;
  const double* floats;
  size_t count; /* of integers or floats */
} HiloAttribute;

typedef struct HiloCustomCallFrame {
  size_t struct_size;
  const char* instruction; /* its name, for messages */
  const HiloBuffer* operands;
  size_t operand_count;
  const HiloBuffer* results;
  size_t result_count;
  const HiloAttribute* attributes; /* by name */
  size_t attribute_count;
  const char* backend_config; /* as written, whatever it is */
  int64_t device;             /* the number of the device it runs as */
  void* receiver;             /* first argument of the functions below */
  void (*on_error)(void* receiver, const char* kind, const char* message);
  int (*is_cancelled)(void* receiver); /* not 0: stop soon */
} HiloCustomCallFrame;

typedef struct HiloCustomCall {
  size_t struct_size;
  const char* target;      /* custom_call_target */
  const char* description; /* one line */
  /* 0 when the results are written; else on_error was called with the reason. */
  int (*execute)(const HiloCustomCallFrame* frame);
} HiloCustomCall;

#ifdef __cplusplus
}
#endif

#endif /* HILO_PLUGINS_SDK_CUSTOM_CALL_H_ */
