// MLIR's locations as HLO's metadata: the name becomes op_name, the call chain stack frames, its innermost
// place source_file and source_line. Source: XLA's location_exporter and stack_frame_index_builder.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/Location.h>

#include <map>

#include "plugins/stablehlo/hlo_builder.h"

namespace hilo::stablehlo {

class Locations {
 public:
  // Cached by location. Of locations nested more than a thousand deep, the rest is left out.
  const pb::OpMetadata& metadataOf(mlir::Location location);
  // All frames met so far, for the module.
  pb::StackFrameIndexProto take() { return std::move(index_); }

 private:
  struct Frame {
    int32_t id = 0;  // 0: none
    mlir::FileLineColRange place;
  };
  // The frame `location` ends in, called from `parent`.
  Frame frameOf(mlir::Location location, int32_t parent, int depth);
  int32_t addFrame(llvm::StringRef function, mlir::FileLineColRange place, int32_t parent);
  int32_t fileId(llvm::StringRef name);
  int32_t functionId(llvm::StringRef name);

  llvm::DenseMap<mlir::Location, pb::OpMetadata> metadata_;
  llvm::StringMap<int32_t> files_, functions_;
  std::map<std::array<int64_t, 6>, int32_t> places_;
  std::map<std::pair<int32_t, int32_t>, int32_t> frames_;
  pb::StackFrameIndexProto index_;
  int parts_ = 0;  // of the location being looked into
};

}  // namespace hilo::stablehlo
