#include "core/hlo/dump/buffer_assignment.h"
#include "core/hlo/dump/line_scanner.h"

namespace hilo {
namespace {

// "{0,1}" or "{}".
std::optional<std::vector<int64_t>> readIndex(LineScanner& scanner) {
  if (!scanner.eat("{")) return std::nullopt;
  std::vector<int64_t> index;
  while (!scanner.eat("}")) {
    const auto number = scanner.number();
    if (!number) return std::nullopt;
    index.push_back(*number);
    scanner.eat(",");
  }
  return index;
}

// "fusion{0,1}": an instruction's name and a shape index, which is left out when empty.
struct Position {
  std::string instruction;
  std::vector<int64_t> shapeIndex;
};
Position readPosition(std::string_view text) {
  const size_t brace = text.find('{');
  Position position{std::string(text.substr(0, brace)), {}};
  if (brace == std::string_view::npos) return position;
  LineScanner scanner(text.substr(brace));
  position.shapeIndex = readIndex(scanner).value_or(std::vector<int64_t>());
  return position;
}

class AssignmentParser {
 public:
  AssignmentParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<BufferAssignment> parse() {
    if (!text_.starts_with("BufferAssignment:")) {
      return fail("not-a-buffer-assignment", "the text does not begin with 'BufferAssignment:'",
                  {.file = file_, .line = 1});
    }
    while (!text_.empty()) {
      const std::string_view line = takeLine(text_);
      ++line_;
      if (!readLine(line)) {
        return fail("bad-buffer-assignment", fmt::format("'{}' is not as XLA prints it", line.substr(0, 80)),
                    {.file = file_, .line = line_});
      }
    }
    std::ranges::sort(assignment_.buffers, {}, &LogicalBuffer::id);
    const auto same = std::ranges::unique(assignment_.buffers, {}, &LogicalBuffer::id);
    assignment_.buffers.erase(same.begin(), same.end());
    return std::move(assignment_);
  }

 private:
  enum class Section : uint8_t { Allocations, Values, Sequence, LiveRanges, Other };

  bool readLine(std::string_view line) {
    LineScanner scanner(line);
    if (scanner.eat("BufferAssignment:")) return true;
    if (scanner.eat("allocation ")) return readAllocation(scanner);
    if (scanner.eat(" value: ")) return readValue(scanner);
    if (scanner.eat("Total bytes used: ")) {
      const auto bytes = scanner.number();
      if (bytes) assignment_.totalBytes = *bytes;
      return bytes.has_value();
    }
    if (scanner.eat("Used values:")) return enter(Section::Values);
    if (scanner.eat("HloLiveRange")) return enter(Section::Other);
    if (line == "  InstructionSequence:") return enter(Section::Sequence);
    if (line == "  BufferLiveRange:") return enter(Section::LiveRanges);
    if (line.starts_with("  Live ranges at")) return enter(Section::Other);
    if (section_ == Section::Sequence) return readSequence(scanner);
    if (section_ == Section::LiveRanges) return readLiveRange(scanner);
    // The section on values repeats what the allocations say, with uses; the others are for people.
    return true;
  }

  bool enter(Section section) {
    section_ = section;
    return true;
  }

  // "3: size 96, color 1, parameter 1, shape |f64[12]| at ShapeIndex {}, output shape is |..|, constant:"
  bool readAllocation(LineScanner& scanner) {
    BufferAllocation allocation;
    const auto index = scanner.number();
    if (!index || !scanner.eat(": size ")) return false;
    const auto size = scanner.number();
    if (!size) return false;
    allocation.index = *index;
    allocation.sizeBytes = *size;
    while (scanner.eat(", ")) {
      if (!readProperty(scanner, allocation)) return false;
    }
    if (!scanner.eat(":")) return false;
    assignment_.allocations.push_back(std::move(allocation));
    return enter(Section::Allocations);
  }

  static bool readProperty(LineScanner& scanner, BufferAllocation& allocation) {
    if (scanner.eat("color ")) {
      const auto color = scanner.number();
      allocation.color = color.value_or(0);
      return color.has_value();
    }
    if (scanner.eat("parameter ")) return readParameter(scanner, allocation);
    if (scanner.eat("output shape is |")) {
      const auto shape = scanner.until("|");
      allocation.outputShape = shape.value_or("");
      return shape.has_value();
    }
    if (scanner.eat("constant")) return allocation.isConstant = true;
    if (scanner.eat("thread-local")) return allocation.isThreadLocal = true;
    if (scanner.eat("maybe-live-out")) return allocation.maybeLiveOut = true;
    if (scanner.eat("preallocated-temp")) return allocation.isPreallocatedTemp = true;
    // A property of a newer XLA.
    const size_t end = scanner.rest().find_first_of(",:");
    return end != std::string_view::npos && scanner.eat(scanner.rest().substr(0, end));
  }

  static bool readParameter(LineScanner& scanner, BufferAllocation& allocation) {
    const auto number = scanner.number();
    if (!number || !scanner.eat(", shape |")) return false;
    const auto shape = scanner.until("| at ShapeIndex ");
    const auto index = shape ? readIndex(scanner) : std::nullopt;
    if (!index) return false;
    allocation.isEntryParameter = true;
    allocation.parameterNumber = *number;
    allocation.parameterShape = *shape;
    allocation.parameterShapeIndex = *index;
    return true;
  }

  // "<59 loop_abs_fusion{0} @0> (size=407040,offset=0): f64[12,2,2120]{2,1,0}"
  bool readValue(LineScanner& scanner) {
    if (assignment_.allocations.empty() || !scanner.eat("<")) return false;
    const auto id = scanner.number();
    if (!id || !scanner.eat(" ")) return false;
    const auto position = scanner.until(" @");
    const auto color = position ? scanner.number() : std::nullopt;
    if (!color || !scanner.eat("> (size=")) return false;
    const auto size = scanner.number();
    if (!size || !scanner.eat(",offset=")) return false;
    const auto offset = scanner.number();
    if (!offset || !scanner.eat(")")) return false;
    scanner.eat(": ");
    const Position at = readPosition(*position);
    assignment_.allocations.back().assigned.push_back({*id, *offset, *size});
    assignment_.buffers.push_back({.id = *id,
                                   .sizeBytes = *size,
                                   .computation = {},
                                   .instruction = at.instruction,
                                   .shapeIndex = at.shapeIndex,
                                   .color = *color,
                                   .shape = std::string(scanner.rest())});
    return true;
  }

  // "    3:loop_abs_fusion"
  bool readSequence(LineScanner& scanner) {
    scanner.skipSpaces();
    if (scanner.atEnd()) return true;
    if (!scanner.number() || !scanner.eat(":")) return false;
    assignment_.sequence.emplace_back(scanner.rest());
    return true;
  }

  // "    loop_abs_fusion{0}:3-4"
  bool readLiveRange(LineScanner& scanner) {
    scanner.skipSpaces();
    if (scanner.atEnd()) return true;
    const size_t colon = scanner.rest().rfind(':');
    if (colon == std::string_view::npos) return false;
    const Position at = readPosition(scanner.rest().substr(0, colon));
    LineScanner range(scanner.rest().substr(colon + 1));
    const auto start = range.number();
    if (!start || !range.eat("-")) return false;
    const auto end = range.number();
    if (!end) return false;
    assignment_.liveRanges.push_back({at.instruction, at.shapeIndex, *start, *end});
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  uint32_t line_ = 0;
  Section section_ = Section::Allocations;
  BufferAssignment assignment_;
};

}  // namespace

Result<BufferAssignment> parseBufferAssignment(std::string_view text, const std::string& file) {
  return AssignmentParser(text, file).parse();
}

}  // namespace hilo
