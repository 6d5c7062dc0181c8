// Lays out off the UI thread. Requests carry a key: a newer request drops or stops the older one of its key.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <QObject>

#include "ui/canvas/layout/nested_layout.h"

namespace hilo {

class LayoutQueue : public QObject {
  Q_OBJECT

 public:
  // The cache may be shared between queues.
  explicit LayoutQueue(std::shared_ptr<LayoutCache> cache = std::make_shared<LayoutCache>(),
                       QObject* parent = nullptr);
  // Stops what runs, and waits for it.
  ~LayoutQueue() override;

  // UI thread, as are the signals. Exactly one of them answers each request that is not replaced or dropped.
  void submit(quint64 key, NestedInput input);
  void drop(quint64 key);
  bool busy() const;

 Q_SIGNALS:
  void finished(quint64 key, std::shared_ptr<const hilo::NestedResult> result);
  void failed(quint64 key, hilo::Diagnostic why);

 private:
  struct Request {
    quint64 key = 0;
    uint64_t number = 0;
    NestedInput input;
    CancelToken cancel;
  };

  void work();
  void deliver(quint64 key, uint64_t number, Result<NestedResult> result);

  std::shared_ptr<LayoutCache> cache_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Request> waiting_;
  CancelToken running_;
  quint64 runningKey_ = 0;
  bool isRunning_ = false;
  bool stopping_ = false;
  uint64_t lastNumber_ = 0;
  absl::flat_hash_map<quint64, uint64_t> newest_;  // by key; UI thread
  std::thread worker_;
};

}  // namespace hilo
