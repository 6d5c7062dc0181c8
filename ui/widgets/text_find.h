// Finding in a text: a plain function, and a worker that keeps it off the UI thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <QObject>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "ui/widgets/text_lines.h"

namespace hilo {

struct FindQuery {
  QString text;
  bool regex = false;
  bool caseSensitive = false;
  bool wholeWord = false;
  friend bool operator==(const FindQuery&, const FindQuery&) = default;
};

struct TextMatch {
  TextPosition at;
  uint32_t length = 0;
  friend bool operator==(const TextMatch&, const TextMatch&) = default;
};

struct TextMatches {
  std::vector<TextMatch> items;  // in order; no match spans lines
  bool truncated = false;        // there are more than were kept
};

inline constexpr size_t kMaxMatches = 200'000;

// Fails with "cancelled" or "invalid-regex". An empty query matches nothing.
Result<TextMatches> findAll(const TextLines& lines, const FindQuery& query, const CancelToken& cancel);

// UI thread. A newer search stops the older one; its answer is dropped.
class TextFinder : public QObject {
  Q_OBJECT

 public:
  explicit TextFinder(QObject* parent = nullptr);
  ~TextFinder() override;
  void start(std::shared_ptr<const TextLines> lines, FindQuery query);

 Q_SIGNALS:
  void found(std::shared_ptr<const hilo::TextMatches> matches);
  void failed(hilo::Diagnostic why);

 private:
  struct Request {
    std::shared_ptr<const TextLines> lines;
    FindQuery query;
    CancelToken cancel;
    uint64_t number = 0;
  };
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Request> waiting_;
  CancelToken running_;
  bool stopping_ = false;
  uint64_t newest_ = 0;  // UI thread
  std::thread worker_;   // started by the first search
};

}  // namespace hilo
