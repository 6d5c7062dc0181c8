// Makes the graph view's pictures off the UI thread. A newer order drops or stops the older one.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include <QObject>

#include "ui/views/graph/graph_picture.h"

namespace hilo {

class GraphWorker : public QObject {
  Q_OBJECT

 public:
  explicit GraphWorker(QObject* parent = nullptr);
  // Stops what runs, and waits for it.
  ~GraphWorker() override;

  // UI thread, as are the signals. An order that is not replaced or dropped is answered by failed() or by
  // made(): once with a refined picture, before that perhaps once with one that was drawn in less time. With
  // `quick` the first picture waits for no other program.
  void submit(GraphOrder order, bool quick = false);
  void drop();
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void made(std::shared_ptr<const hilo::GraphPicture> picture);
  void failed(hilo::Diagnostic why);

 private:
  struct Request {
    uint64_t number = 0;
    GraphOrder order;
    bool quick = false;
    CancelToken cancel;
  };

  void work();
  void answer(Request request);
  void post(uint64_t number, Result<GraphPicture> picture);
  void deliver(uint64_t number, const Result<std::shared_ptr<const GraphPicture>>& picture);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Request> waiting_;
  CancelToken running_;
  bool stopping_ = false;
  uint64_t newest_ = 0;  // UI thread, as is the next
  bool busy_ = false;
  PictureMaker maker_;  // the worker's
  std::thread worker_;
};

}  // namespace hilo
