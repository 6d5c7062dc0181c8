#include "plugins/stablehlo/locations.h"

#include <llvm/ADT/SmallVector.h>

namespace hilo::stablehlo {
namespace {

constexpr int kMaxDepth = 1000;
// Parts of one location that are looked into: a location may share parts so often that all of it has no end.
constexpr int kMaxParts = 10'000;

// The outermost name: JAX's path of the primitive, "jit(f)/add". Where several locations were fused, their
// names are joined as XLA joins them.
std::string nameOf(mlir::Location location, int& parts, int depth = 0) {
  if (depth > kMaxDepth || ++parts > kMaxParts) return {};
  if (const auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    // A name that is a frame's function has a file position inside and no path in it.
    return named.getName().str();
  }
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    std::string names;
    for (mlir::Location part : fused.getLocations()) {
      const std::string name = nameOf(part, parts, depth + 1);
      if (!name.empty()) names += (names.empty() ? "" : ";") + name;
    }
    return names;
  }
  return {};
}

// What is left below the operation's own name.
mlir::Location placeBelowName(mlir::Location location) {
  if (const auto named = llvm::dyn_cast<mlir::NameLoc>(location)) return named.getChildLoc();
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location); fused && !fused.getLocations().empty())
    return placeBelowName(fused.getLocations()[0]);
  return location;
}

}  // namespace

const pb::OpMetadata& Locations::metadataOf(mlir::Location location) {
  const auto [found, isNew] = metadata_.try_emplace(location);
  if (!isNew) return found->second;
  pb::OpMetadata metadata;
  int parts = 0;
  metadata.set_op_name(nameOf(location, parts));
  const mlir::Location place = placeBelowName(location);
  parts_ = 0;
  const Frame frame = frameOf(place, 0, 0);
  if (frame.place) {
    metadata.set_source_file(frame.place.getFilename().str());
    metadata.set_source_line(static_cast<int32_t>(frame.place.getStartLine()));
    metadata.set_source_column(static_cast<int32_t>(frame.place.getStartColumn()));
    if (frame.place.getEndLine() != frame.place.getStartLine() ||
        frame.place.getEndColumn() != frame.place.getStartColumn()) {
      metadata.set_source_end_line(static_cast<int32_t>(frame.place.getEndLine()));
      metadata.set_source_end_column(static_cast<int32_t>(frame.place.getEndColumn()));
    }
  }
  // A lone position in a file is no call chain.
  if (!llvm::isa<mlir::FileLineColRange>(place)) metadata.set_stack_frame_id(frame.id);
  return metadata_[location] = std::move(metadata);
}

Locations::Frame Locations::frameOf(mlir::Location location, int32_t parent, int depth) {
  if (depth > kMaxDepth || ++parts_ > kMaxParts) return {.id = parent};
  if (const auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    const Frame caller = frameOf(call.getCaller(), parent, depth + 1);
    return frameOf(call.getCallee(), caller.id, depth + 1);
  }
  if (const auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    const auto place = llvm::dyn_cast<mlir::FileLineColRange>(named.getChildLoc());
    if (!place) return frameOf(named.getChildLoc(), parent, depth + 1);
    return {.id = addFrame(named.getName(), place, parent), .place = place};
  }
  if (const auto place = llvm::dyn_cast<mlir::FileLineColRange>(location))
    return {.id = depth == 0 ? 0 : addFrame("", place, parent), .place = place};
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location); fused && !fused.getLocations().empty())
    return frameOf(fused.getLocations()[0], parent, depth + 1);
  return {.id = parent};
}

int32_t Locations::fileId(llvm::StringRef name) {
  const auto [found, isNew] = files_.try_emplace(name, index_.file_names_size() + 1);
  if (isNew) index_.add_file_names(name.str());
  return found->second;
}

int32_t Locations::functionId(llvm::StringRef name) {
  const auto [found, isNew] = functions_.try_emplace(name, index_.function_names_size() + 1);
  if (isNew) index_.add_function_names(name.str());
  return found->second;
}

int32_t Locations::addFrame(llvm::StringRef function, mlir::FileLineColRange place, int32_t parent) {
  const std::array<int64_t, 6> key{fileId(place.getFilename()), functionId(function), place.getStartLine(),
                                   place.getStartColumn(),      place.getEndLine(),   place.getEndColumn()};
  const auto [at, isNewPlace] = places_.try_emplace(key, index_.file_locations_size() + 1);
  if (isNewPlace) {
    auto* location = index_.add_file_locations();
    location->set_file_name_id(static_cast<int32_t>(key[0]));
    location->set_function_name_id(static_cast<int32_t>(key[1]));
    location->set_line(static_cast<int32_t>(key[2]));
    location->set_column(static_cast<int32_t>(key[3]));
    location->set_end_line(static_cast<int32_t>(key[4]));
    location->set_end_column(static_cast<int32_t>(key[5]));
  }
  const auto [frame, isNewFrame] = frames_.try_emplace({at->second, parent}, index_.stack_frames_size() + 1);
  if (isNewFrame) {
    auto* made = index_.add_stack_frames();
    made->set_file_location_id(at->second);
    made->set_parent_frame_id(parent);
  }
  return frame->second;
}

}  // namespace hilo::stablehlo
