// The same library for MLIR's own tools: `mlir-opt --load-dialect-plugin=hilo_mosaic_plugin.so kernel.mlir`.
#include <mlir/Tools/Plugins/DialectPlugin.h>

#include "plugins/mosaic/dialect.h"
#include "plugins/sdk/format_plugin.h"

extern "C" HILO_PLUGIN_EXPORT mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mosaic_gpu", "0.1",
          [](mlir::DialectRegistry* registry) { registry->insert<hilo::mosaic::MosaicGPUDialect>(); }};
}
