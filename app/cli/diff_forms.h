// What hilo diff can say besides which instructions differ. Each prints, and gives the exit code.
#pragma once

#include <memory>
#include <string>

#include "core/hlo/ir/module.h"

namespace hilo::cli {

struct DiffedModules {
  std::shared_ptr<const Module> before, after;
  std::string beforePath, afterPath;  // the second "" where one file holds both
};

struct DiffForm {
  size_t limit = 40;  // rows
  bool json = false;
  std::string device;     // of --kernels; "" for the one that the module before was compiled for
  std::string from;       // of --lineage: one instruction of either side; "" for all
  bool semantic = false;  // of --unified: without metadata, shardings, layouts
  size_t context = 3;     // of --unified: unchanged lines around each run of changes
};

int printKernelDiff(const DiffedModules& modules, const DiffForm& form);
int printUnifiedDiff(const DiffedModules& modules, const DiffForm& form);
int printLineage(const DiffedModules& modules, const DiffForm& form);

}  // namespace hilo::cli
