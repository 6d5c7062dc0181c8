// Any bytes: told by kind, read, and written back when there is a module. Also read as a bare module whatever
// they look like, so that the reader itself is reached often.
#include <string_view>

#include "core/hlo/proto/proto_file.h"

namespace {

void readAndWrite(std::string_view bytes, hilo::FileFormat format) {
  const auto file = hilo::readProtoFile(bytes, format);
  if (!file || file->module == nullptr) return;
  const hilo::Snapshot* snapshot = file->snapshot ? &*file->snapshot : nullptr;
  for (const hilo::FileKind kind : {hilo::FileKind::HloModule, hilo::FileKind::HloUnoptimizedSnapshot,
                                    hilo::FileKind::DelimitedUnoptimizedSnapshot}) {
    (void)hilo::writeProtoFile(*file->module, {.kind = kind, .snapshot = snapshot});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const hilo::FileFormat format = hilo::detectKind(bytes);
  if (hilo::prototypeOf(format.kind) != nullptr) readAndWrite(bytes, format);
  if (format.kind != hilo::FileKind::HloModule) {
    readAndWrite(bytes, {hilo::FileKind::HloModule, hilo::Encoding::Binary});
  }
  return 0;
}
