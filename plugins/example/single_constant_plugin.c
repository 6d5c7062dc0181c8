/* The smallest plug-in there is: a format whose files hold "constant" and one number, read as a module that
 * returns it. Plain C; the module is written byte by byte as protobuf so that nothing but the SDK is needed. */
#include <stdlib.h>
#include <string.h>

#include "plugins/sdk/format_plugin.h"

static int recognizes(HiloBytes input) { return input.size > 9 && memcmp(input.data, "constant ", 9) == 0; }

static int refuse(const HiloImportRequest* request, const char* message) {
  HiloDiagnostic diagnostic = {sizeof(HiloDiagnostic), HILO_ERROR, "syntax-error", message, 1, 10, NULL, 0};
  request->on_diagnostic(request->receiver, &diagnostic);
  return 1;
}

/* HloModuleProto of: ENTRY main { ROOT constant.1 = f32[] constant(VALUE) }, VALUE in its last four bytes but
 * for the fields after it. */
static const char kModule[] =
    "\x0a\x08" "constant"                             /* name */
    "\x12\x04" "main"                                 /* entry_computation_name */
    "\x1a\x35"                                        /* computations */
    "\x0a\x04" "main"                                 /*   name */
    "\x12\x29"                                        /*   instructions */
    "\x0a\x0a" "constant.1" "\x12\x08" "constant"     /*     name, opcode */
    "\x1a\x02\x10\x0b"                                /*     shape: f32[] */
    "\x98\x02\x01"                                    /*     id 1 */
    "\x42\x0a\x0a\x02\x10\x0b" "\x42\x04";            /*     literal: f32[], f32s */
static const char kAfterValue[] = "\x28\x01\x30\x01"  /*   id 1, root_id 1 */
                                  "\x30\x01";         /* entry_computation_id 1 */

static int importInput(const HiloImportRequest* request) {
  char number[32] = {0};
  size_t length = request->input.size - 9;
  if (length >= sizeof number) return refuse(request, "the number is too long");
  memcpy(number, request->input.data + 9, length);
  char* end = NULL;
  float value = strtof(number, &end);
  while (*end == '\n') ++end;
  if (end == number || *end != '\0') return refuse(request, "expected a number");

  char bytes[sizeof kModule - 1 + sizeof value + sizeof kAfterValue - 1];
  memcpy(bytes, kModule, sizeof kModule - 1);
  memcpy(bytes + sizeof kModule - 1, &value, sizeof value);
  memcpy(bytes + sizeof kModule - 1 + sizeof value, kAfterValue, sizeof kAfterValue - 1);
  HiloModule module = {sizeof(HiloModule), {bytes, sizeof bytes}, "one constant", 1};
  request->on_module(request->receiver, &module);
  return 0;
}

static const HiloFormat kFormat = {
    sizeof(HiloFormat), "single-constant", "files that hold \"constant\" and a number", "", recognizes, importInput, NULL};
static const HiloFormat* const kFormats[] = {&kFormat};
static const HiloPlugin kPlugin = {sizeof(HiloPlugin), HILO_PLUGIN_ABI_VERSION,
                                   "example",          "1.0",
                                   "the smallest plug-in", kFormats, 1};

const HiloPlugin* hilo_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &kPlugin;
}
