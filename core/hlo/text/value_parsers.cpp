#include "core/hlo/text/value_parsers.h"

namespace hilo {
namespace {

using IntList = absl::InlinedVector<int64_t, 8>;

// "1x2x3".
bool readTimes(Reader& reader, IntList& values) {
  if (!values.empty()) return reader.error("duplicate-attribute", "this part of the value is given twice");
  do {
    if (!reader.roomForItem(values.size()) || !reader.readInt(values.emplace_back())) return false;
  } while (*reader.lexer.position() == 'x' && reader.lexer.eat('x'));
  return true;
}

// "low_high" or "low_high_interior", at most `limit` numbers.
bool readUnderscored(Reader& reader, size_t limit, IntList& values) {
  values.clear();
  do {
    if (!reader.readInt(values.emplace_back())) return false;
  } while (values.size() < limit && *reader.lexer.position() == '_' && reader.lexer.eat('_'));
  return values.size() >= 2 || reader.expected("'_' and the padding's high side");
}

struct WindowFields {
  IntList size, stride, lhsDilate, rhsDilate, reversal;
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> pad;
};

bool readWindowPad(Reader& reader, WindowFields& fields) {
  IntList lowHigh;
  do {
    if (!reader.roomForItem(fields.pad.size()) || !readUnderscored(reader, 2, lowHigh)) return false;
    fields.pad.emplace_back(lowHigh[0], lowHigh[1]);
  } while (*reader.lexer.position() == 'x' && reader.lexer.eat('x'));
  return true;
}

bool readWindowField(Reader& reader, WindowFields& fields) {
  const char* at = reader.lexer.here();
  std::string_view key;
  if (!reader.readKey(key)) return false;
  if (key == "size") return readTimes(reader, fields.size);
  if (key == "stride") return readTimes(reader, fields.stride);
  if (key == "pad") return readWindowPad(reader, fields);
  if (key == "lhs_dilate") return readTimes(reader, fields.lhsDilate);
  if (key == "rhs_dilate") return readTimes(reader, fields.rhsDilate);
  if (key == "rhs_reversal") return readTimes(reader, fields.reversal);
  return reader.errorAt(at, "unknown-attribute", fmt::format("a window has no '{}'", key));
}

// Fills `roles` (position by role letter) and `spatial` from one part of dim_labels. `first` and `second` are
// the two role letters.
bool readLabelPart(Reader& reader, std::string_view part, char first, char second, int64_t& firstAt,
                   int64_t& secondAt, std::span<const int64_t>& spatial) {
  IntList positions;
  for (char c : part) {
    if (c >= '0' && c <= '9') positions.push_back(-1);
  }
  bool ok = true, seenFirst = false, seenSecond = false;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    const int64_t at = static_cast<int64_t>(i);
    if (c == first) {
      ok = ok && !seenFirst;
      seenFirst = true;
      firstAt = at;
    } else if (c == second) {
      ok = ok && !seenSecond;
      seenSecond = true;
      secondAt = at;
    } else if (c >= '0' && c <= '9') {
      const size_t index = static_cast<size_t>(c - '0');
      ok = ok && index < positions.size() && positions[index] == -1;
      if (ok) positions[index] = at;
    } else if (c != '?') {
      ok = false;
    }
  }
  spatial = reader.arena.copy(std::span<const int64_t>(positions.data(), positions.size()));
  return ok;
}

bool isLabelByte(char c) {
  return (c >= '0' && c <= '9') || c == 'b' || c == 'f' || c == 'i' || c == 'o' || c == '?';
}

std::string_view readLabels(Reader& reader) {
  const char* start = reader.lexer.here();
  const char* p = start;
  while (isLabelByte(*p)) ++p;
  reader.lexer.moveTo(p);
  return {start, static_cast<size_t>(p - start)};
}

bool readMetadataField(Reader& reader, OpMetadata& metadata) {
  const char* at = reader.lexer.here();
  std::string_view key;
  if (!reader.readKey(key)) return false;
  // The commonest first.
  if (key == "op_name") return reader.readString(metadata.opName);
  if (key == "stack_frame_id") {
    if (!reader.readInt32(metadata.stackFrameId)) return false;
    metadata.writesStackFrameZero = metadata.stackFrameId == 0;
    return true;
  }
  if (key == "source_file") return reader.readString(metadata.sourceFile);
  if (key == "source_line") return reader.readInt32(metadata.sourceLine);
  if (key == "op_type") return reader.readString(metadata.opType);
  if (key == "source_end_line") return reader.readInt32(metadata.sourceEndLine);
  if (key == "source_column") return reader.readInt32(metadata.sourceColumn);
  if (key == "source_end_column") return reader.readInt32(metadata.sourceEndColumn);
  if (key == "profile_type") return reader.readInts('{', '}', metadata.profileType);
  if (key == "deduplicated_name") return reader.readString(metadata.deduplicatedName);
  if (key == "scheduling_name") return reader.readString(metadata.schedulingName);
  if (key == "metadata_payload") return reader.readString(metadata.payload);
  // Fields of older and newer versions are no reason to lose the instruction.
  if (reader.wantsWarning()) {
    reader.warnAt(at, "unknown-attribute", fmt::format("metadata has no field '{}'; it is dropped", key));
  }
  bool escaped = false;
  if (reader.lexer.quoted(&escaped)) return true;
  if (reader.lexer.braces()) return true;
  if (!reader.lexer.word().empty()) return true;
  return reader.expected("a value");
}

bool readIndex(Reader& reader, std::span<const int64_t>& index) { return reader.readInts('{', '}', index); }

bool readAliasEntry(Reader& reader, AliasEntry& entry) {
  if (!readIndex(reader, entry.outputIndex) || !reader.expect(':')) return false;
  if (reader.lexer.peek() != '(') return reader.readInt(entry.parameter);
  if (!reader.expect('(') || !reader.readInt(entry.parameter)) return false;
  if (reader.lexer.eat(',') && !readIndex(reader, entry.parameterIndex)) return false;
  if (reader.lexer.eat(',')) {
    if (reader.lexer.eatWord("must-alias")) {
      entry.kind = AliasEntry::Kind::Must;
    } else if (!reader.lexer.eatWord("may-alias")) {
      return reader.expected("may-alias or must-alias");
    }
  }
  return reader.expect(')');
}

bool readTensorSparsity(Reader& reader, TensorSparsity& sparsity) {
  if (!reader.expect('{')) return false;
  while (!reader.lexer.eat('}')) {
    const char* at = reader.lexer.here();
    std::string_view key;
    if (!reader.readKey(key)) return false;
    if (key == "sparsity") {
      IntList pair;
      if (!readTimes(reader, pair)) return false;
      if (pair.size() != 2) return reader.errorAt(at, "bad-value", "sparsity is two numbers, as in 2x4");
      sparsity.numNonZero = pair[0];
      sparsity.blockSize = pair[1];
    } else if (key == "dimension") {
      if (!reader.readInt(sparsity.dimension)) return false;
    } else if (key == "stride") {
      if (!reader.readInt(sparsity.stride)) return false;
    } else {
      return reader.errorAt(at, "unknown-attribute", fmt::format("a sparsity config has no '{}'", key));
    }
  }
  return true;
}

bool readTolerance(Reader& reader, ResultAccuracy& accuracy) {
  accuracy.hasTolerance = true;
  return reader.readList('{', '}', [&] {
    const char* at = reader.lexer.here();
    std::string_view key;
    if (!reader.readKey(key)) return false;
    if (key == "atol") return reader.readDouble(accuracy.atol);
    if (key == "rtol") return reader.readDouble(accuracy.rtol);
    if (key == "ulps") return reader.readInt(accuracy.ulps);
    return reader.errorAt(at, "unknown-attribute", fmt::format("a tolerance has no '{}'", key));
  });
}

}  // namespace

bool readWindow(Reader& reader, Window& window) {
  const char* at = reader.lexer.here();
  WindowFields fields;
  if (!reader.expect('{')) return false;
  while (!reader.lexer.eat('}')) {
    if (!readWindowField(reader, fields)) return false;
  }
  const size_t rank = fields.size.size();
  const auto fits = [&](size_t count) { return count == 0 || count == rank; };
  if (!fits(fields.stride.size()) || !fits(fields.pad.size()) || !fits(fields.lhsDilate.size()) ||
      !fits(fields.rhsDilate.size()) || !fits(fields.reversal.size())) {
    return reader.errorAt(at, "bad-window", "the parts of this window have different numbers of dimensions");
  }
  auto dimensions = reader.arena.allocateArray<WindowDimension>(rank);
  for (size_t i = 0; i < rank; ++i) {
    WindowDimension dimension{.size = fields.size[i]};
    if (!fields.stride.empty()) dimension.stride = fields.stride[i];
    if (!fields.pad.empty()) std::tie(dimension.paddingLow, dimension.paddingHigh) = fields.pad[i];
    if (!fields.lhsDilate.empty()) dimension.baseDilation = fields.lhsDilate[i];
    if (!fields.rhsDilate.empty()) dimension.windowDilation = fields.rhsDilate[i];
    if (!fields.reversal.empty()) dimension.windowReversal = fields.reversal[i] == 1;
    new (&dimensions[i]) WindowDimension(dimension);
  }
  window.dimensions = dimensions;
  return true;
}

bool readDimLabels(Reader& reader, ConvolutionDimensionNumbers& numbers) {
  const char* at = reader.lexer.here();
  const std::string_view input = readLabels(reader);
  if (!reader.expect('_')) return false;
  const std::string_view kernel = readLabels(reader);
  if (!reader.lexer.eatArrow()) return reader.expected("'->'");
  const std::string_view output = readLabels(reader);
  if (!readLabelPart(reader, input, 'b', 'f', numbers.inputBatch, numbers.inputFeature,
                     numbers.inputSpatial) ||
      !readLabelPart(reader, kernel, 'i', 'o', numbers.kernelInputFeature, numbers.kernelOutputFeature,
                     numbers.kernelSpatial) ||
      !readLabelPart(reader, output, 'b', 'f', numbers.outputBatch, numbers.outputFeature,
                     numbers.outputSpatial)) {
    return reader.errorAt(at, "bad-dim-labels", "dimension labels are like b01f_01io->b01f, each label once");
  }
  if (numbers.inputSpatial.size() != numbers.kernelSpatial.size() ||
      numbers.inputSpatial.size() != numbers.outputSpatial.size()) {
    return reader.errorAt(at, "bad-dim-labels",
                          "input, kernel and output have different numbers of spatial labels");
  }
  return true;
}

bool readPadding(Reader& reader, std::span<const PaddingDimension>& padding) {
  std::vector<PaddingDimension> dimensions;
  IntList numbers;
  // A scalar's padding is written as nothing at all.
  const char c = reader.lexer.peek();
  if (!hasClass(c, kCharDigit) && c != '-') {
    padding = {};
    return true;
  }
  do {
    if (!reader.roomForItem(dimensions.size()) || !readUnderscored(reader, 3, numbers)) return false;
    dimensions.push_back({numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0});
  } while (*reader.lexer.position() == 'x' && reader.lexer.eat('x'));
  padding = reader.arena.copy(dimensions);
  return true;
}

bool readSliceRanges(Reader& reader, std::span<const SliceRange>& ranges) {
  absl::InlinedVector<SliceRange, 8> list;
  const bool read = reader.readList('{', '}', [&] {
    SliceRange& range = list.emplace_back();
    if (!reader.expect('[') || !reader.readInt(range.start)) return false;
    if (!reader.expect(':') || !reader.readInt(range.limit)) return false;
    if (reader.lexer.eat(':') && !reader.readInt(range.stride)) return false;
    return reader.expect(']');
  });
  if (!read) return false;
  ranges = reader.arena.copy(std::span<const SliceRange>(list.data(), list.size()));
  return true;
}

bool readMetadata(Reader& reader, OpMetadata& metadata) {
  if (!reader.expect('{')) return false;
  while (!reader.lexer.eat('}')) {
    if (!readMetadataField(reader, metadata)) return false;
    reader.lexer.eat(',');
  }
  return true;
}

bool readFrontendAttributes(Reader& reader, std::span<const FrontendAttribute>& attributes) {
  absl::InlinedVector<FrontendAttribute, 8> list;
  const bool read = reader.readList('{', '}', [&] {
    FrontendAttribute& attribute = list.emplace_back();
    if (!reader.readKey(attribute.name)) return false;
    if (reader.lexer.peek() != '{') return reader.readString(attribute.value);
    const auto json = reader.lexer.braces();
    if (!json) return reader.error("unterminated-braces", "this value's '{' is never closed");
    attribute.value = *json;
    return true;
  });
  if (!read) return false;
  attributes = reader.arena.copy(std::span<const FrontendAttribute>(list.data(), list.size()));
  return true;
}

bool readStatistics(Reader& reader, StatisticsViz& statistics) {
  std::vector<Statistic> list;
  bool first = true;
  const bool read = reader.readList('{', '}', [&] {
    std::string_view key;
    if (!reader.readKey(key)) return false;
    if (std::exchange(first, false)) return reader.readInt(statistics.indexToVisualize);
    return reader.readDouble(list.emplace_back(Statistic{key}).value);
  });
  if (!read) return false;
  statistics.statistics = reader.arena.copy(list);
  return true;
}

bool readAliasing(Reader& reader, std::span<const AliasEntry>& entries) {
  std::vector<AliasEntry> list;
  if (!reader.readList('{', '}', [&] { return readAliasEntry(reader, list.emplace_back()); })) return false;
  entries = reader.arena.copy(list);
  return true;
}

bool readBufferDonors(Reader& reader, std::span<const BufferDonor>& donors) {
  std::vector<BufferDonor> list;
  const bool read = reader.readList('{', '}', [&] {
    BufferDonor& donor = list.emplace_back();
    return reader.expect('(') && reader.readInt(donor.parameter) && reader.expect(',') &&
           readIndex(reader, donor.parameterIndex) && reader.expect(')');
  });
  if (!read) return false;
  donors = reader.arena.copy(list);
  return true;
}

bool readResultAccuracy(Reader& reader, ResultAccuracy& accuracy) {
  std::string_view key;
  if (!reader.expect('{')) return false;
  const char* at = reader.lexer.here();
  if (!reader.readKey(key)) return false;
  if (key == "tolerance") {
    if (!readTolerance(reader, accuracy)) return false;
  } else if (key == "mode") {
    if (reader.lexer.eatWord("highest") || reader.lexer.eatWord("HIGHEST")) {
      accuracy.mode = 1;
    } else if (!reader.lexer.eatWord("default") && !reader.lexer.eatWord("DEFAULT")) {
      return reader.expected("default or highest");
    }
  } else {
    return reader.errorAt(at, "unknown-attribute", fmt::format("a result accuracy has no '{}'", key));
  }
  return reader.expect('}');
}

bool readSparsityConfig(Reader& reader, SparsityConfig& config) {
  if (!reader.expect('{')) return false;
  while (!reader.lexer.eat('}')) {
    const char* at = reader.lexer.here();
    std::string_view key;
    if (!reader.readKey(key)) return false;
    if (key != "lhs" && key != "rhs") {
      return reader.errorAt(at, "unknown-attribute", fmt::format("a sparsity config has no '{}'", key));
    }
    if (!readTensorSparsity(reader, (key == "lhs" ? config.lhs : config.rhs).emplace())) return false;
  }
  return true;
}

bool readBoolList(Reader& reader, std::span<const bool>& values) {
  absl::InlinedVector<bool, 64> list;
  if (reader.lexer.peek() == '{') {
    if (!reader.readList('{', '}', [&] { return reader.readBool(list.emplace_back()); })) return false;
  } else if (!reader.readBool(list.emplace_back())) {
    return false;
  }
  values = reader.arena.copy(std::span<const bool>(list.data(), list.size()));
  return true;
}

bool readPrecisionList(Reader& reader, std::span<const Precision>& values) {
  absl::InlinedVector<Precision, 4> list;
  const bool read = reader.readList('{', '}', [&] {
    const char* at = reader.lexer.here();
    const auto precision = enumFromText<Precision>(reader.lexer.word());
    if (precision) {
      list.push_back(*precision);
      return true;
    }
    reader.lexer.moveTo(at);
    return reader.expected("a precision: default, high or highest");
  });
  if (!read) return false;
  values = reader.arena.copy(std::span<const Precision>(list.data(), list.size()));
  return true;
}

}  // namespace hilo
