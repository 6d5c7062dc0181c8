/* Built for an interface this program does not have. */
#include "plugins/sdk/format_plugin.h"

static const HiloPlugin kPlugin = {sizeof(HiloPlugin), HILO_PLUGIN_ABI_VERSION + 7, "later", "1.0", "from later", 0, 0};
const HiloPlugin* hilo_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &kPlugin;
}
