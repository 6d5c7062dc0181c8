#include "core/compiler/codegen/warpgroup/layout_sites.h"

namespace hilo::warpgroup {

using namespace inference;

const LayoutConstant* layoutAt(const KernelLayouts& layouts, const ValueSite& site) {
  const auto variable = layouts.derived.variableAt.find(site);
  if (variable == layouts.derived.variableAt.end()) return nullptr;
  const auto layout = layouts.outcome.layouts.find(variable->second);
  return layout == layouts.outcome.layouts.end() ? nullptr : &layout->second.layout;
}

Result<SharedTransforms> transformsAt(const KernelDescription& kernel, const KernelLayouts& layouts,
                                      const ValueSite& site) {
  const LayoutConstant* layout = layoutAt(layouts, site);
  const auto* transforms = layout ? std::get_if<SharedTransforms>(layout) : nullptr;
  if (transforms) return *transforms;
  return refuse(kernel.ops[site.op], "its array in shared memory has no transforms");
}

}  // namespace hilo::warpgroup
