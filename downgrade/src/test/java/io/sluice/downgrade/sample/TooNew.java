package io.sluice.downgrade.sample;

/** Uses a method and a class without replacement. */
public final class TooNew {
  private TooNew() {}

  static void run() {
    Thread.onSpinWait();
  }

  static ProcessHandle process(ProcessHandle process) {
    return process;
  }
}
