// Bytes to protobuf messages and back, within limits that hold for any input.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/proto/file_kind.h"
#include "core/hlo/proto/wire.h"

namespace hilo {

// Errors: "proto-corrupt" (with the byte offset), "proto-too-large" (2 GiB, or the limits above).
Status parseBinaryMessage(std::string_view bytes, google::protobuf::Message& message,
                          const WireLimits& limits = {});

// Fields the schema does not have are skipped, each with a warning "unknown-field".
// Errors: "text-proto-syntax" with line and column.
Status parseTextMessage(std::string_view text, google::protobuf::Message& message, Diagnostics& warnings,
                        const std::string& file = {});

std::string toTextProto(const google::protobuf::Message& message);
// Deterministic: map entries are sorted. Error: "proto-too-large" above 2 GiB.
Result<std::string> toBinaryProto(const google::protobuf::Message& message);

// Whether a file of this name is one of text: it ends in .textproto, .pbtxt or .txtpb.
bool isTextProtoName(std::string_view path);

// Parses by detected kind; nullptr in the Result never occurs. Kinds that are no protobuf: "not-a-proto".
Result<std::unique_ptr<google::protobuf::Message>> parseMessage(std::string_view bytes, FileFormat format,
                                                                Diagnostics& warnings,
                                                                const std::string& file = {});

}  // namespace hilo
