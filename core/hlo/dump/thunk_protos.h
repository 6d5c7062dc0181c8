// The thunks an executable of XLA:CPU or XLA:GPU holds, as those of a printed sequence (thunk_sequence.h).
// Every kind is a line of cpu_thunks.def or gpu_thunks.def and a function that says what its message reads,
// writes and runs, as the buffer_uses() of XLA's thunk of that kind does.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/hlo/dump/thunk_sequence.h"

namespace google::protobuf {
class Message;
}

namespace hilo {

struct ThunksOfProto {
  std::vector<DumpedThunk> thunks;
  // Each thunk that could not be read whole: "unknown-thunk-kind" (it is listed, with no slices known),
  // "bad-thunk-slice" (that slice is left out). At most 100.
  Diagnostics diagnostics;
};

// Of a message that readProtoFile() left: a thunk sequence or an executable. Nullopt: it is neither, or an
// executable without thunks.
std::optional<ThunksOfProto> readThunks(const google::protobuf::Message& message,
                                        const std::string& file = {});

// The same thunks alone, with all the message says of them: a ThunkSequenceProto of XLA:CPU or of XLA:GPU;
// null where readThunks gives nothing.
std::unique_ptr<google::protobuf::Message> thunkSequenceOf(const google::protobuf::Message& message);

}  // namespace hilo
