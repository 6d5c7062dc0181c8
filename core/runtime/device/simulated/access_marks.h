// What check mode keeps of memory: of each cell who wrote and who read it last.
//
// Threads of a warp mostly use cells side by side, at one time. Of a line of cells that is one run, of a few
// bytes, which says of every cell what marks of its own would. A line that no run describes is spread: its
// cells have marks of their own from then on.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace hilo {

// Who wrote or read last. Time is counted in events that order threads, and goes on from launch to launch.
struct AccessMark {
  uint32_t time = 0;    // twice; one more of an atomic access. 0: nobody
  uint32_t thread = 0;  // in the grid; several of a block, or of several (access_check.h)
  friend bool operator==(const AccessMark&, const AccessMark&) = default;
};

// Of a cell of memory: 4 bytes, or less where less is accessed at a time.
struct CellMarks {
  AccessMark written, read;
  friend bool operator==(const CellMarks&, const CellMarks&) = default;
};

// Of a line: threads one after the other, each at `1 << unitShift` cells.
struct RunMarks {
  uint32_t time = 0, before = 0;  // of the first `cells`, and of those they have not come to
  uint32_t thread = 0;            // at cell 0
  uint8_t cells = 0, unitShift = 0;
  AccessMark of(uint32_t cell) const { return {cell < cells ? time : before, thread + (cell >> unitShift)}; }
  bool isWhole() const;  // one time for all its cells
};

constexpr uint32_t kLineShift = 5, kLineCells = 1u << kLineShift;
inline bool RunMarks::isWhole() const { return cells == kLineCells || time == 0; }

struct LineMarks {
  RunMarks written, read;
  bool isSpread() const { return written.time == kSpread; }
  static constexpr uint32_t kSpread = ~uint32_t{0};
};

// At first nobody used anything. Takes memory of the system as it is written.
class MarkArray {
 public:
  bool isEmpty() const { return cells_ == nullptr; }
  // Empty afterwards where there is no memory for them. Without runs every cell has marks of its own.
  void make(uint64_t cells, bool hasRuns);
  bool hasRuns() const { return lines_ != nullptr; }
  // The line of a cell, where there are runs.
  LineMarks& line(uint64_t cell) { return lines_[cell >> kLineShift]; }
  // A cell's own marks: its line is spread.
  CellMarks* at(uint64_t cell) {
    if (hasRuns() && !line(cell).isSpread()) spread(cell >> kLineShift);
    return cells_.get() + cell;
  }
  CellMarks* ownAt(uint64_t cell) { return cells_.get() + cell; }  // of a line that is spread
  CellMarks valueAt(uint64_t cell) const;

 private:
  void spread(uint64_t line);

  struct Free {
    void operator()(void* marks) const { std::free(marks); }
  };
  std::unique_ptr<CellMarks[], Free> cells_;
  std::unique_ptr<LineMarks[], Free> lines_;
};

}  // namespace hilo
