// Work on input from a stranger, in a child process: a reader that gives up by ending its
// process ends the child.
//
// MLIR does that on damaged bytecode (it makes room for as many items as a file claims), and its text parser
// on nesting that its stack does not hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hilo {

struct Contained {
  enum class End : uint8_t { Whole, NotStarted, Damaged, Cancelled };
  End end = End::NotStarted;
  std::string bytes;  // where it is whole: what the work gave
};
// Processor time and memory of the child are bounded by the size of what it reads.
Contained runContained(const std::function<std::string()>& work, size_t inputBytes,
                       const std::function<bool()>& isCancelled);

// ---- what crosses: numbers and texts, one after the other

void put(std::string& out, uint64_t number);
void put(std::string& out, const std::string& text);

// Bounded by the bytes there are: the child may have been overrun.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  uint64_t number();
  std::string text();

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace hilo
