/* Says that its struct ends before the formats: nothing past that may be read. */
#include "plugins/sdk/format_plugin.h"

static const HiloPlugin kPlugin = {
    offsetof(HiloPlugin, formats), HILO_PLUGIN_ABI_VERSION, "small", "1.0", "cut short", (const HiloFormat* const*)1, 9};
const HiloPlugin* hilo_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &kPlugin;
}
