// A look at protobuf wire data before it is parsed: does it fit a message type, how well, and how much memory
// would its parsed form take. Reads every length once, allocates nothing that depends on the input.
#pragma once

#include <cstdint>
#include <string_view>

namespace google::protobuf {
class Descriptor;
}

namespace hilo {

// How much memory a message may take when parsed: freeBytes, or ratio times its size in the file when
// that is more.
struct WireLimits {
  uint64_t freeBytes = uint64_t{256} << 20;
  uint64_t ratio = 16;
};

struct WireFit {
  bool fits = false;           // every known field has the right wire type, all lengths add up
  const char* problem = "";    // when it does not fit: why
  uint64_t problemOffset = 0;  // byte position of the problem
  uint64_t knownFields = 0;    // over all levels
  uint64_t unknownFields = 0;  // field numbers the schema does not have
  uint64_t oddStrings = 0;     // strings that are not UTF-8 or hold control characters
  uint64_t memoryBytes = 0;    // estimate of the parsed message's size
  bool tooLarge = false;       // the walk ended early, at the limit: what was seen until then fits
};

// Messages nested deeper than this do not fit: the parser would refuse them too.
inline constexpr int kMaxWireDepth = 100;

WireFit fitWire(std::string_view bytes, const google::protobuf::Descriptor& type,
                const WireLimits& limits = {});

// Which of the fields 1 to 63 the message has on its top level, as bits; 0 when that cannot be walked.
uint64_t wireTopFields(std::string_view bytes);

// Whether the message holds, at its first occurrence on each level, the field path given by numbers:
// wireHasPath(bytes, {1, 3}) is "field 1 is there and its message has a field 3".
bool wireHasPath(std::string_view bytes, std::span<const int> path);

// Reads a base-128 varint and advances. False when it is cut off or longer than ten bytes.
bool readVarint(std::string_view& bytes, uint64_t& value);

}  // namespace hilo
