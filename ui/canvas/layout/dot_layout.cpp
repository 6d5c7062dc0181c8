#include "ui/canvas/layout/dot_layout.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "ui/canvas/layout/curve.h"

extern char** environ;

namespace hilo {
namespace {

constexpr float kPixelsPerInch = 72;

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  bool open() const { return ends_[0] >= 0; }
  int end(int which) const { return ends_[which]; }
  void closeEnd(int which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  int ends_[2];
};

struct ProcessOutput {
  std::string out;
  std::string err;
  int exitStatus = 0;
};

// A program's child: killed, and always waited for, when this goes.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

// Writes what the pipe takes, reads what is there, until both outputs are closed. SIGPIPE is blocked
// by the caller.
Status pump(Pipe& in, Pipe& out, Pipe& err, std::string_view text, const CancelToken& cancel,
            std::chrono::milliseconds limit, ProcessOutput& result) {
  const auto end = std::chrono::steady_clock::now() + limit;
  fcntl(in.end(1), F_SETFL, O_NONBLOCK);
  char buffer[16 * 1024];
  while (out.end(0) >= 0 || err.end(0) >= 0) {
    if (cancel.cancelled()) return fail("cancelled", "layout cancelled");
    if (std::chrono::steady_clock::now() > end) {
      return fail("dot-slow", fmt::format("Graphviz's dot did not answer within {} ms", limit.count()));
    }
    pollfd waits[3] = {{in.end(1), POLLOUT, 0}, {out.end(0), POLLIN, 0}, {err.end(0), POLLIN, 0}};
    if (poll(waits, 3, 5) <= 0) continue;
    if (waits[0].revents != 0) {
      const ssize_t written = write(in.end(1), text.data(), text.size());
      if (written > 0) text.remove_prefix(static_cast<size_t>(written));
      if (text.empty() || (written < 0 && errno != EAGAIN)) in.closeEnd(1);
    }
    auto drain = [&](const pollfd& wait, Pipe& pipe, std::string& into) {
      if (wait.revents == 0) return;
      const ssize_t count = read(pipe.end(0), buffer, sizeof buffer);
      if (count > 0) {
        into.append(buffer, static_cast<size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        pipe.closeEnd(0);
      }
    };
    drain(waits[1], out, result.out);
    drain(waits[2], err, result.err);
  }
  return {};
}

Result<ProcessOutput> runDot(const std::string& text, const CancelToken& cancel,
                             std::chrono::milliseconds limit, DotEffort effort) {
  Pipe in, out, err;
  if (!in.open() || !out.open() || !err.open()) return fail("dot-failed", "no pipe could be opened for dot");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.end(0), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.end(1), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.end(1), STDERR_FILENO);
  char program[] = "dot", format[] = "-Tplain", quick[] = "-Gnslimit=4", quickRank[] = "-Gnslimit1=4";
  char* arguments[] = {program, format, quick, quickRank, nullptr};
  if (effort == DotEffort::kFull) arguments[2] = nullptr;
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail("dot-not-found", fmt::format("Graphviz's dot could not be started: {}", strerror(error)), {},
                {"install the graphviz package for the best drawing of small graphs"});
  }
  Child child(pid);
  in.closeEnd(0);
  out.closeEnd(1);
  err.closeEnd(1);
  // A dot that dies while we write must not end this process.
  sigset_t pipeSignal, before;
  sigemptyset(&pipeSignal);
  sigaddset(&pipeSignal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipeSignal, &before);
  ProcessOutput result;
  const Status pumped = pump(in, out, err, text, cancel, limit, result);
  const timespec now{0, 0};
  if (sigismember(&before, SIGPIPE) == 0) {
    while (sigtimedwait(&pipeSignal, nullptr, &now) > 0) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  TRY_STATUS(pumped);
  result.exitStatus = child.wait();
  return result;
}

// Words of one line of the plain format.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view next() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    const size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }
  float nextNumber() {
    const std::string_view word = next();
    float value = std::nanf("");
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) ok_ = false;
    return value;
  }
  // The node of "n12".
  uint32_t nextNode(size_t count) {
    const std::string_view word = next();
    uint32_t value = UINT32_MAX;
    if (word.size() > 1) std::from_chars(word.data() + 1, word.data() + word.size(), value);
    if (value >= count) ok_ = false;
    return value;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

struct PlainEdge {
  std::pair<uint32_t, uint32_t> ends;
  std::vector<LayoutPoint> line;
};

std::vector<LayoutPoint> flatten(const std::vector<LayoutPoint>& control) {
  std::vector<LayoutPoint> line{control[0]};
  for (size_t i = 0; i + 3 < control.size(); i += 3) appendBezier(line, &control[i]);
  return line;
}

// Leads the ends of a line to the offsets asked for.
void moveEnds(const LayoutInput& input, const LayoutEdge& edge, const LayoutResult& result,
              std::vector<LayoutPoint>& line) {
  const bool right = input.direction == LayoutDirection::kRight;
  auto move = [&](float offset, uint32_t node, LayoutPoint& end, std::vector<LayoutPoint>::iterator where) {
    if (std::isinf(offset)) return;
    LayoutPoint asked = end;
    (right ? asked.y : asked.x) = (right ? result.centres[node].y : result.centres[node].x) + offset;
    const float half = (right ? input.nodes[node].width : input.nodes[node].height) / 2;
    const float centre = right ? result.centres[node].x : result.centres[node].y;
    float& along = right ? asked.x : asked.y;
    along = along > centre ? centre + half : centre - half;
    line.insert(where, asked);
  };
  if (line.empty()) return;
  const LayoutPoint last = line.back();
  LayoutPoint first = line.front();
  move(edge.fromOffset, edge.from, first, line.begin());
  LayoutPoint end = last;
  move(edge.toOffset, edge.to, end, line.end());
}

}  // namespace

std::string dotText(const LayoutInput& input) {
  std::string text = fmt::format(
      "digraph g {{\nrankdir={}; nodesep={:.3f}; ranksep={:.3f}; node [shape=box, fixedsize=true, "
      "label=\"\"];\n"
      "edge [arrowhead=none];\n",
      input.direction == LayoutDirection::kRight ? "LR" : "TB", input.nodeGap / kPixelsPerInch,
      input.layerGap / kPixelsPerInch);
  std::string first, last;
  for (size_t i = 0; i < input.nodes.size(); ++i) {
    const LayoutNode& node = input.nodes[i];
    fmt::format_to(std::back_inserter(text), "n{} [width={:.4f}, height={:.4f}];\n", i,
                   std::max(node.width, 1.0f) / kPixelsPerInch, std::max(node.height, 1.0f) / kPixelsPerInch);
    if (node.pin == LayoutPin::kFirst) fmt::format_to(std::back_inserter(first), " n{};", i);
    if (node.pin == LayoutPin::kLast) fmt::format_to(std::back_inserter(last), " n{};", i);
  }
  if (!first.empty()) text += fmt::format("{{ rank=source;{} }}\n", first);
  if (!last.empty()) text += fmt::format("{{ rank=sink;{} }}\n", last);
  for (const LayoutEdge& edge : input.edges) {
    if (edge.from != edge.to) fmt::format_to(std::back_inserter(text), "n{} -> n{};\n", edge.from, edge.to);
  }
  return text + "}\n";
}

Result<LayoutResult> parseDotPlain(const LayoutInput& input, std::string_view text) {
  LayoutResult result;
  result.engine = LayoutEngine::kDot;
  result.centres.resize(input.nodes.size(), {-1, -1});
  result.shortened.assign(input.edges.size(), 0);
  std::multimap<std::pair<uint32_t, uint32_t>, std::vector<LayoutPoint>> lines;
  bool finished = false;
  auto pixels = [&](Words& words) {
    const float x = words.nextNumber() * kPixelsPerInch;
    const float y = words.nextNumber() * kPixelsPerInch;
    return LayoutPoint{x, result.height - y};
  };
  while (!text.empty() && !finished) {
    const size_t end = std::min(text.find('\n'), text.size());
    Words words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kind = words.next();
    if (kind == "graph") {
      words.nextNumber();
      result.width = words.nextNumber() * kPixelsPerInch;
      result.height = words.nextNumber() * kPixelsPerInch;
    } else if (kind == "node") {
      const uint32_t node = words.nextNode(input.nodes.size());
      const LayoutPoint centre = pixels(words);
      if (words.ok()) result.centres[node] = centre;
    } else if (kind == "edge") {
      const uint32_t from = words.nextNode(input.nodes.size());
      const uint32_t to = words.nextNode(input.nodes.size());
      const float count = words.nextNumber();
      if (!words.ok() || !(count >= 4 && count < 100'000))
        return fail("dot-failed", "dot gave an edge without a line");
      std::vector<LayoutPoint> control(static_cast<size_t>(count));
      for (LayoutPoint& point : control) point = pixels(words);
      lines.emplace(std::pair(from, to), flatten(control));
    } else if (kind == "stop") {
      finished = true;
    }
    if (!words.ok()) return fail("dot-failed", "dot's answer could not be read");
  }
  if (!finished) return fail("dot-failed", "dot's answer is cut short");
  for (size_t e = 0; e < input.edges.size(); ++e) {
    const LayoutEdge& edge = input.edges[e];
    result.lineStart.push_back(static_cast<uint32_t>(result.points.size()));
    if (edge.from == edge.to) continue;
    const auto found = lines.find({edge.from, edge.to});
    if (found == lines.end()) return fail("dot-failed", "dot left out an edge");
    moveEnds(input, edge, result, found->second);
    result.points.insert(result.points.end(), found->second.begin(), found->second.end());
    lines.erase(found);
  }
  result.lineStart.push_back(static_cast<uint32_t>(result.points.size()));
  return result;
}

Result<LayoutResult> layoutWithDot(const LayoutInput& input, const CancelToken& cancel,
                                   std::chrono::milliseconds limit, DotEffort effort) {
  TRY(const ProcessOutput output, runDot(dotText(input), cancel, limit, effort));
  if (output.exitStatus != 0 && WIFEXITED(output.exitStatus) && WEXITSTATUS(output.exitStatus) == 127) {
    return fail("dot-not-found", "Graphviz's dot is not installed");
  }
  if (output.exitStatus != 0)
    return fail("dot-failed", fmt::format("dot failed: {}", output.err.substr(0, 400)));
  return parseDotPlain(input, output.out);
}

}  // namespace hilo
