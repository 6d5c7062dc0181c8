// What every value parser of hlo/text shares: the lexer over the source, the storage that what is read goes
// into, the problems met, and the small reads (a number, a string, a list). A function named read... returns
// false after it has reported why; nothing it read so far counts then.
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/diagnostic.h"
#include "core/hlo/ir/shape.h"
#include "core/hlo/text/lexer.h"
#include "core/hlo/text/shape_cache.h"

namespace hilo {

class Reader {
 public:
  // `text` must be followed by a NUL and outlive what is read from it; `arena` keeps what is copied.
  Reader(std::string_view text, Arena& arena) : lexer(text), arena(arena), text_(text) {}

  Lexer lexer;
  Arena& arena;
  ShapeCache shapes;

  // --- problems ---
  // Reports at the next piece of text (or at `at`) and returns false.
  bool error(std::string kind, std::string message, std::vector<std::string> notes = {});
  bool errorAt(const char* at, std::string kind, std::string message, std::vector<std::string> notes = {});
  void warnAt(const char* at, std::string kind, std::string message, std::vector<std::string> notes = {});
  // "expected X, found Y" at the next piece.
  bool expected(std::string_view what);
  // At most this many problems are kept; after that only their number grows.
  static constexpr size_t kMaxDiagnostics = 100;
  bool full() const { return errorCount_ >= kMaxDiagnostics; }
  // Whether one more warning would be kept: what goes into one may be dear to compute.
  bool wantsWarning() const { return warningCount_ < kMaxDiagnostics; }
  // The problems in the order they were met, with lines and columns filled in. `firstLine` is the line of the
  // text's first byte in its file.
  Diagnostics takeDiagnostics(const std::string& file, uint32_t firstLine);

  // --- small reads ---
  bool expect(char c) { return lexer.eat(c) || expectedByte(c); }
  bool readInt(int64_t& value);
  bool readInt32(int32_t& value);
  bool readBool(bool& value);
  bool readDouble(double& value);
  // A quoted string, unescaped; a view of the source unless there was something to unescape.
  bool readString(std::string_view& value);
  // A name with or without '%'.
  bool readName(std::string_view& name);
  // A word, '=' included: "size=". The word alone is returned.
  bool readKey(std::string_view& key);
  // "{1,2,3}" or another bracket pair; empty lists allowed. Copied into the arena.
  bool readInts(char open, char close, std::span<const int64_t>& values);
  // "{{0,1},{2}}".
  bool readIntLists(std::span<const std::span<const int64_t>>& lists);
  // open item , item ... close; commas between items. `item` reads one.
  template <typename F>
  bool readList(char open, char close, F&& item) {
    if (!expect(open)) return false;
    if (lexer.eat(close)) return true;
    size_t count = 0;
    do {
      if (!roomForItem(count++) || !item()) return false;
    } while (lexer.eat(','));
    return expect(close);
  }

  // Bounds recursion over nested input: `DepthGuard guard(reader); if (!guard) return false;`
  class DepthGuard {
   public:
    explicit DepthGuard(Reader& reader)
        : reader_(reader), ok_(++reader.depth_ <= kMaxDepth || reader.tooDeep()) {}
    ~DepthGuard() { --reader_.depth_; }
    explicit operator bool() const { return ok_; }

   private:
    Reader& reader_;
    bool ok_;
  };
  static constexpr int kMaxDepth = 200;
  // Lists longer than this are refused, but for operands and literals: nothing real has so many devices or
  // dimensions, and an item can take many times the memory of its text.
  static constexpr size_t kMaxListItems = size_t{1} << 20;
  // Whether a list of `count` items may get one more; reports it when not.
  bool roomForItem(size_t count) { return count < kMaxListItems || tooManyItems(); }

 private:
  friend class DepthGuard;
  struct Problem {
    const char* at;
    Diagnostic diagnostic;
  };
  bool expectedByte(char c);
  bool tooDeep();
  bool tooManyItems();
  void report(Severity severity, const char* at, std::string kind, std::string message,
              std::vector<std::string> notes);

  std::string_view text_;
  std::vector<Problem> problems_;
  size_t errorCount_ = 0;
  size_t warningCount_ = 0;
  int depth_ = 0;
};

}  // namespace hilo
