// Makes the graph view's pictures in prompt jobs. A newer order drops or stops the older one. UI thread.
#pragma once

#include <functional>
#include <memory>

#include <QObject>

#include "core/workspace/job_queue.h"
#include "ui/views/graph/graph_picture.h"

namespace hilo {

class GraphWorker : public QObject {
  Q_OBJECT

 public:
  explicit GraphWorker(JobQueue& jobs, QObject* parent = nullptr);
  // Cancels what runs.
  ~GraphWorker() override;

  // An order that is not replaced or dropped is answered by failed() or by made(): once with a refined
  // picture, before that perhaps once with one that was drawn in less time.
  void submit(GraphOrder order);
  // Nothing is to be shown: the module is let go of.
  void drop();
  bool busy() const { return busy_; }
  // No other worker of the program has it.
  const std::string& tag() const { return tag_; }
  // What a node of `module`'s pictures stands for as a module of its own (see extractAsText), after the
  // picture being made. Not answered when the worker is gone before.
  void extract(std::shared_ptr<const Module> module, uint64_t key,
               std::function<void(const Result<std::string>&)> answer);
  void setLayoutFolder(const std::string& folder);

 Q_SIGNALS:
  void made(std::shared_ptr<const hilo::GraphPicture> picture);
  void failed(hilo::Diagnostic why);

 private:
  // The jobs share it; it outlives the worker where one still runs.
  struct Maker;
  void draw(GraphOrder order, bool isRefined);
  void take(GraphOrder order, Result<std::shared_ptr<const GraphPicture>> picture);

  JobQueue& jobs_;
  const std::string tag_;
  std::shared_ptr<Maker> maker_;
  bool busy_ = false;
  JobScope scope_;
};

}  // namespace hilo
