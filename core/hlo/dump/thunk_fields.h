// What a thunk's message says besides the bytes it uses and the thunks it runs. Private to the room.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/dump/thunk_sequence.h"

namespace google::protobuf {
class Message;
}

namespace hilo {

// In one line for people: slices and shapes are left out, long values are cut.
std::string describeThunk(const google::protobuf::Message& impl);
// Every field that is set, whole, by its path: {"launch_dimensions.block_counts.coordinates.x", "2"}. Of a
// slice there is its shape, not where it lies. What the schema does not have is {"field 7", "3"}.
std::vector<ThunkField> fieldsOf(const google::protobuf::Message& impl);
// Of the message itself alone those that the schema does not have.
std::vector<ThunkField> unknownFieldsOf(const google::protobuf::Message& message);

}  // namespace hilo
