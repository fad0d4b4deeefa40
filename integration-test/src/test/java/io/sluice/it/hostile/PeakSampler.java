package io.sluice.it.hostile;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Looks at processes again and again, because an attack may be at its worst for a moment only. */
final class PeakWatch implements AutoCloseable {
  private static final long EVERY_MS = 200;

  private final List<Vitals> processes;
  private final Thread thread = new Thread(this::run, "peak-watch");

  private PeakWatch(List<Vitals> processes) {
    this.processes = processes;
  }

  static PeakWatch start(List<Vitals> processes) {
    PeakWatch watch = new PeakWatch(processes);
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      while (true) {
        for (Vitals process : processes) {
          process.sample();
        }
        TimeUnit.MILLISECONDS.sleep(EVERY_MS);
      }
    } catch (InterruptedException closed) {
      // Seen enough.
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
