#include "core/workspace/open/verify_file.h"

#include "core/hlo/verify/verify.h"

namespace hilo {

Diagnostics verifyFile(const OpenedFile& file) {
  Diagnostics all = file.diagnostics;
  VerifyOptions options;
  options.fileName = file.path;
  options.firstLine = file.firstLine;
  for (Diagnostic& diagnostic : verify(*file.module, options)) all.push_back(std::move(diagnostic));
  for (const auto& other : file.others) {
    for (Diagnostic& diagnostic : verifyFile(*other)) all.push_back(std::move(diagnostic));
  }
  return all;
}

Diagnostics verifyModule(const Module& module) { return verify(module); }

}  // namespace hilo
