#include "core/hlo/proto/message_io.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <limits>

#include "core/hlo/proto/wire.h"

namespace hilo {
namespace {

constexpr size_t kMaxMessageBytes = std::numeric_limits<int>::max();
constexpr size_t kMaxWarnings = 100;

std::unexpected<Diagnostic> tooLarge(std::string message) {
  return fail("proto-too-large", std::move(message));
}

// A lower bound for what the messages of a text proto take when parsed: each opens a brace outside strings.
uint64_t textMemoryBytes(std::string_view text) {
  constexpr uint64_t kMessageBytes = 200;  // HloComputationProto and ShapeProto, the usual ones, take more
  uint64_t messages = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    messages += c == '{' || c == '<';
    if (c == '#') at = std::min(text.find('\n', at), text.size());
    if (c != '"' && c != '\'') continue;
    for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) at += text[at] == '\\';
  }
  return messages * kMessageBytes;
}

// Protobuf counts lines and columns from 0.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  TextErrors(Diagnostics& warnings, const std::string& file) : warnings_(warnings), file_(file) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (first.kind.empty()) first = make(Severity::kError, "text-proto-syntax", line, column, message);
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (warnings_.size() < kMaxWarnings) {
      warnings_.push_back(make(Severity::kWarning, "unknown-field", line, column, message));
    }
  }

  Diagnostic first;

 private:
  Diagnostic make(Severity severity, std::string kind, int line, int column,
                  const std::string& message) const {
    const Place place{.file = file_, .line = uint32_t(line + 1), .column = uint32_t(column + 1)};
    return {severity, std::move(kind), message, place, {}};
  }

  Diagnostics& warnings_;
  const std::string& file_;
};

}  // namespace

Status parseBinaryMessage(std::string_view bytes, google::protobuf::Message& message,
                          const WireLimits& limits) {
  if (bytes.size() > kMaxMessageBytes) return tooLarge("a protobuf message cannot be larger than 2 GiB");
  const std::string& type = message.GetDescriptor()->name();
  const WireFit fit = fitWire(bytes, *message.GetDescriptor(), limits);
  if (!fit.fits) {
    return fail("proto-corrupt",
                fmt::format("{} is corrupt at byte {}: {}", type, fit.problemOffset, fit.problem));
  }
  if (fit.tooLarge) {
    return tooLarge(fmt::format("{} of {} bytes would take more than {} bytes of memory", type, bytes.size(),
                                fit.memoryBytes));
  }
  google::protobuf::io::ArrayInputStream raw(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream input(&raw);
  input.SetTotalBytesLimit(static_cast<int>(kMaxMessageBytes));
  input.SetRecursionLimit(kMaxWireDepth + 2);
  if (!message.ParseFromCodedStream(&input)) {
    return fail("proto-corrupt", fmt::format("{} does not parse (text in it that is not UTF-8?)", type));
  }
  return {};
}

Status parseTextMessage(std::string_view text, google::protobuf::Message& message, Diagnostics& warnings,
                        const std::string& file) {
  if (text.size() > kMaxMessageBytes) return tooLarge("a protobuf message cannot be larger than 2 GiB");
  // Text is several times longer than the binary form, so half of what that may take a byte is as much.
  const WireLimits limits;
  const uint64_t memory = textMemoryBytes(text);
  if (memory > std::max<uint64_t>(limits.freeBytes, text.size() * limits.ratio / 2)) {
    return tooLarge(
        fmt::format("text proto of {} bytes would take more than {} bytes of memory", text.size(), memory));
  }
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  google::protobuf::TextFormat::Parser parser;
  TextErrors errors(warnings, file);
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMaxWireDepth);
  if (parser.Parse(&input, &message)) return {};
  if (errors.first.kind.empty()) return fail("text-proto-syntax", "the text does not parse", {.file = file});
  return std::unexpected(errors.first);
}

std::string toTextProto(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

Result<std::string> toBinaryProto(const google::protobuf::Message& message) {
  const size_t size = message.ByteSizeLong();
  if (size > kMaxMessageBytes) return tooLarge("a protobuf message cannot be larger than 2 GiB");
  std::string bytes;
  bytes.reserve(size);
  {
    google::protobuf::io::StringOutputStream raw(&bytes);
    google::protobuf::io::CodedOutputStream output(&raw);
    output.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&output);
  }
  return bytes;
}

bool isTextProtoName(std::string_view path) {
  return path.ends_with(".textproto") || path.ends_with(".pbtxt") || path.ends_with(".txtpb");
}

Result<std::unique_ptr<google::protobuf::Message>> parseMessage(std::string_view bytes, FileFormat format,
                                                                Diagnostics& warnings,
                                                                const std::string& file) {
  const google::protobuf::Message* prototype = prototypeOf(format.kind);
  if (prototype == nullptr) {
    return fail("not-a-proto", fmt::format("{} is not a protobuf message", fileKindName(format.kind)),
                {.file = file});
  }
  std::unique_ptr<google::protobuf::Message> message(prototype->New());
  if (format.encoding == Encoding::Text) {
    TRY_STATUS(parseTextMessage(bytes, *message, warnings, file));
    return message;
  }
  const Status parsed = parseBinaryMessage(bytes, *message);
  if (parsed) return message;
  Diagnostic error = parsed.error();
  error.place.file = file;
  return std::unexpected(std::move(error));
}

}  // namespace hilo
