#include "core/workspace/open/refined_file.h"

#include "core/compiler/passes/canonicalize/refine_shapes.h"

namespace hilo {

Result<std::shared_ptr<const OpenedFile>> refinedFile(const OpenedFile& file, std::string_view shapes) {
  TRY(const auto arguments, parseArgumentSpecs(shapes == "none" ? "" : shapes, *file.module));
  auto refined = std::make_shared<OpenedFile>(file);
  TRY(refined->module, refineShapes(*file.module, arguments));
  // What the file says besides is of the module as it was.
  refined->isText = false;
  refined->others.clear();
  refined->origin = nullptr;
  refined->sourceNames = nullptr;
  return refined;
}

}  // namespace hilo
