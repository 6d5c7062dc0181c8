#include "app/cli/argument_shapes.h"

#include "app/cli/report.h"
#include "core/workspace/open/refined_file.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {

void addArgumentShapes(CLI::App& command, std::string& shapes) {
  command.add_option(
      "--argument-shapes", shapes,
      "Shapes that the arguments of a module with open sizes have, one a parameter between commas: "
      "f32[3,2], the number a size argument is, or _ for the shape as it is; none where there are none");
}

Result<std::shared_ptr<const OpenedFile>> openRefined(const std::string& path, const std::string& shapes) {
  return refinedOf(openFile(path), shapes);
}

Result<std::shared_ptr<const OpenedFile>> refinedOf(Result<std::shared_ptr<const OpenedFile>> opened,
                                                    const std::string& shapes) {
  auto file = wholeOf(std::move(opened));
  if (!file || shapes.empty()) return file;
  auto refined = refinedFile(**file, shapes);
  if (!refined) printError(refined.error());
  return refined;
}

}  // namespace hilo::cli
