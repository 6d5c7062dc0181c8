// The remaining structured attribute values to and from their messages. What is read views into `arena`.
#pragma once

#include <optional>

#include "core/base/arena.h"
#include "core/hlo/ir/payloads.h"
#include "core/hlo/ir/stack_frames.h"
#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo {

OpMetadata readMetadata(const pb::OpMetadata& proto, Arena& arena);
void writeMetadata(const OpMetadata& metadata, pb::OpMetadata& proto);
// Takes out of the message what OpMetadata holds, so that what is left is what it cannot hold.
void clearReadMetadata(pb::OpMetadata& proto);

Window readWindow(const pb::Window& proto, Arena& arena);
void writeWindow(const Window& window, pb::Window& proto);

ConvolutionDimensionNumbers readConvolutionDimensions(const pb::ConvolutionDimensionNumbers& proto,
                                                      Arena& arena);
void writeConvolutionDimensions(const ConvolutionDimensionNumbers& numbers,
                                pb::ConvolutionDimensionNumbers& proto);

// Sorted by name, as XLA prints them.
std::span<const FrontendAttribute> readFrontendAttributes(const pb::FrontendAttributes& proto, Arena& arena);
void writeFrontendAttributes(std::span<const FrontendAttribute> attributes, pb::FrontendAttributes& proto);

// The proto lists leaves by index; nullopt when the indices make no tree or an unreasonably large one.
std::optional<OriginalValue> readOriginalValue(const pb::OriginalValueProto& proto, Arena& arena);
void writeOriginalValue(const OriginalValue& value, pb::OriginalValueProto& proto);

SparsityConfig readSparsity(const pb::SparsityConfig& proto);
void writeSparsity(const SparsityConfig& config, pb::SparsityConfig& proto);

StackFrameTables readStackFrames(const pb::StackFrameIndexProto& proto, Arena& arena);
void writeStackFrames(const StackFrameTables& tables, pb::StackFrameIndexProto& proto);

}  // namespace hilo
