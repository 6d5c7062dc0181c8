// What the strip says of each step of a series: sizes and outcomes the series knows, and what comparing steps
// in the background, or showing one, found out.
#pragma once

#include <QObject>

#include "core/workspace/job_queue.h"
#include "ui/views/passes/pass_strip.h"
#include "ui/views/passes/step_content.h"

namespace hilo {

class StripFacts : public QObject {
  Q_OBJECT

 public:
  // Both must outlive it.
  StripFacts(JobQueue& jobs, PassStrip& strip, QObject* parent = nullptr);

  // Null shows nothing.
  void setSeries(std::shared_ptr<const PassSeries> series);
  // Of a dump's steps, or of XLA's beside ours, what changed; answered later.
  void compareSteps();
  void note(size_t step, const StepContent& content);

 Q_SIGNALS:
  void failed(const hilo::Diagnostic& why);

 private:
  void measureSteps();
  void measurePairs();

  JobQueue& jobs_;
  JobScope scope_;
  PassStrip& strip_;
  std::shared_ptr<const PassSeries> series_;
};

// What is compared says something of an order.
bool hasOrder(const StepDiff& diff);

}  // namespace hilo
