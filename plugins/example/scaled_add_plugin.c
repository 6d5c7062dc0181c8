/* A plug-in that gives a custom call its meaning: "hilo.example.scaled_add" of two f32 arrays is scale * a + b, with
 * `scale` an attribute: custom-call(a, b), custom_call_target="hilo.example.scaled_add",
 * backend_config="{scale = 2.0 : f32}". */
#include <string.h>

#include "plugins/sdk/format_plugin.h"

static int refuse(const HiloCustomCallFrame* frame, const char* message) {
  frame->on_error(frame->receiver, "wrong-custom-call", message);
  return 1;
}

static int scaledAdd(const HiloCustomCallFrame* frame) {
  if (frame->operand_count != 2 || frame->result_count != 1) return refuse(frame, "takes two arrays and gives one");
  const HiloBuffer *a = &frame->operands[0], *b = &frame->operands[1], *sum = &frame->results[0];
  if (strcmp(a->element_type, "f32") != 0 || strcmp(b->element_type, "f32") != 0 ||
      strcmp(sum->element_type, "f32") != 0 || a->size_bytes != sum->size_bytes || b->size_bytes != sum->size_bytes)
    return refuse(frame, "takes f32 arrays of one shape");
  double scale = 1;
  for (size_t i = 0; i < frame->attribute_count; ++i) {
    const HiloAttribute* attribute = &frame->attributes[i];
    if (strcmp(attribute->name, "scale") != 0) return refuse(frame, "has no attribute but scale");
    if (attribute->kind != HILO_ATTRIBUTE_FLOAT) return refuse(frame, "scale must be a float");
    scale = attribute->floats[0];
  }
  for (size_t i = 0; i < sum->size_bytes / sizeof(float); ++i)
    ((float*)sum->data)[i] = (float)scale * ((const float*)a->data)[i] + ((const float*)b->data)[i];
  return 0;
}

static const HiloCustomCall kScaledAdd = {sizeof(HiloCustomCall), "hilo.example.scaled_add",
                                          "scale * a + b of f32 arrays", scaledAdd};
static const HiloCustomCall* const kCustomCalls[] = {&kScaledAdd};
static const HiloPlugin kPlugin = {sizeof(HiloPlugin), HILO_PLUGIN_ABI_VERSION,
                                   "scaled-add",       "1.0",
                                   "a custom call",    NULL,
                                   0,                  kCustomCalls,
                                   1};

const HiloPlugin* hilo_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &kPlugin;
}
