// The length-prefixed form of HloUnoptimizedSnapshot, for arguments above 2 GiB: the message's length and the
// message without its arguments, then each argument as a ShapeProto behind its length in eight bytes and the
// elements behind that. Source: XLA's runtime/large_hlo_snapshot_serialization and Literal::Serialize.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {

struct DelimitedSnapshot {
  pb::HloUnoptimizedSnapshot head;  // module and descriptors
  std::vector<std::vector<Literal>> arguments;
};

// Error kinds: "snapshot-truncated", "snapshot-version", those of the proto and literal readers.
Result<DelimitedSnapshot> readDelimitedSnapshot(std::string_view bytes);
// `head` has the module and version; descriptors are filled in.
Result<std::string> writeDelimitedSnapshot(pb::HloUnoptimizedSnapshot head,
                                           const std::vector<std::vector<Literal>>& arguments);

}  // namespace hilo
