// Any bytes through what opens every file, and through everything that reads files of a dump.
#include <string>

#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/framed_dump.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/dump/memory_report.h"
#include "core/hlo/dump/thunk_protos.h"
#include "core/workspace/open/opened.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)hilo::openContent(bytes, "fuzz.txt");
  if (const auto file = hilo::loadBytes(bytes, "fuzz.txt"); file && file->message)
    (void)hilo::readThunks(*file->message);
  (void)hilo::parseBufferAssignment(bytes);
  (void)hilo::parseThunkSequence(bytes);
  (void)hilo::parseMemoryReport(bytes);
  (void)hilo::parseTextTree(bytes);
  (void)hilo::splitFramedDump(bytes);
  (void)hilo::parseDumpName(bytes);
  (void)hilo::parseDumpName(bytes, "f");
  return 0;
}
