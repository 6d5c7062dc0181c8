#include "core/workspace/thunks/write_thunks.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/thunk_protos.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/proto_file.h"
#include "core/workspace/thunks/program_thunks.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> notWritable(std::string message, const std::string& file, std::string remedy) {
  return fail("not-writable", std::move(message), {.file = file}, {std::move(remedy)});
}

// Text has no place for fields without a name: it is read back to see whether all is there.
Result<std::string> encoded(const google::protobuf::Message& message, const std::string& target,
                            const std::string& file) {
  TRY(std::string binary, toBinaryProto(message));
  if (!isTextProtoName(target)) return binary;
  std::string text = toTextProto(message);
  const std::unique_ptr<google::protobuf::Message> again(message.New());
  Diagnostics warnings;
  const Status parsed = parseTextMessage(text, *again, warnings, file);
  const auto bytes = toBinaryProto(*again);
  if (!parsed || !bytes || *bytes != binary) {
    return notWritable("some of the thunks' fields are not known by name, and text cannot keep them", file,
                       "write the binary form");
  }
  return text;
}

}  // namespace

Result<WrittenThunks> writtenThunksOfFile(const std::string& path, const std::string& target) {
  TRY(const FileBytes file, readFileBytes(path));
  const FileFormat format = detectKind(file.bytes);
  if (format.kind == FileKind::ThunkSequenceText)
    return notWritable("the thunks are as XLA prints them, which leaves most of them out", path,
                       "take the executable, or its thunk sequence as a proto");
  TRY(const ProtoFile proto, readProtoFile(file.bytes, format, path));
  for (const Diagnostic& diagnostic : proto.diagnostics) {
    if (diagnostic.kind == "unknown-field")
      return notWritable(fmt::format("a field of the text is not known: {}", toString(diagnostic)), path,
                         "take the binary form");
  }
  const auto sequence = proto.message == nullptr ? nullptr : thunkSequenceOf(*proto.message);
  if (sequence == nullptr)
    return fail("no-thunk-sequence", "there are no thunks in the file", {.file = path});
  TRY(std::string bytes, encoded(*sequence, target, path));
  return WrittenThunks{std::move(bytes), {}};
}

Result<WrittenThunks> writtenThunks(const ThunkStudy& study, const std::string& target) {
  const auto program = programOf(study);
  CHECK(program != nullptr, study.title);
  XlaThunks thunks = toXlaThunks(*program);
  TRY(std::string bytes, encoded(thunks.sequence, target, {}));
  return WrittenThunks{std::move(bytes), std::move(thunks.notes)};
}

}  // namespace hilo
