#include "core/hlo/dump/framed_dump.h"

#include "core/hlo/dump/line_scanner.h"

namespace hilo {

std::vector<FramedFile> splitFramedDump(std::string_view text, size_t limit) {
  std::vector<FramedFile> files;
  const char* frameStart = nullptr;
  uint32_t line = 0;
  const auto close = [&](const char* end) {
    if (frameStart != nullptr) files.back().text = {frameStart, static_cast<size_t>(end - frameStart)};
    frameStart = nullptr;
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const char* lineStart = rest.data();
    LineScanner scanner(takeLine(rest));
    ++line;
    if (scanner.eat("*** Begin ")) {
      close(lineStart);
      if (files.size() == limit) return files;
      const auto name = scanner.until(" ***");
      files.push_back(
          {.name = std::string(name.value_or(scanner.rest())), .text = {}, .firstLine = line + 1});
      frameStart = rest.data();
    } else if (scanner.eat("*** End ")) {
      close(lineStart);
    }
  }
  close(text.data() + text.size());
  return files;
}

}  // namespace hilo
