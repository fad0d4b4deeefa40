package io.sluice.it.hostile;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Samples processes continuously, because the peak of an attack may be short. */
final class PeakSampler implements AutoCloseable {
  private static final long EVERY_MS = 200;

  private final List<ProcessHealth> processes;
  private final Thread thread = new Thread(this::run, "peak-watch");

  private PeakSampler(List<ProcessHealth> processes) {
    this.processes = processes;
  }

  static PeakSampler start(List<ProcessHealth> processes) {
    PeakSampler watch = new PeakSampler(processes);
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      while (true) {
        for (ProcessHealth process : processes) {
          process.sample();
        }
        TimeUnit.MILLISECONDS.sleep(EVERY_MS);
      }
    } catch (InterruptedException closed) {
      // Stop.
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
