package io.sluice.it.faults;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Suspends and resumes a process. */
final class Signals {
  private static final long LIMIT_SECONDS = 60;

  private Signals() {}

  static void stop(long pid) throws IOException, InterruptedException {
    send("-STOP", pid);
  }

  static void resume(long pid) throws IOException, InterruptedException {
    send("-CONT", pid);
  }

  private static void send(String signal, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(pid)).inheritIO().start();
    if (!kill.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("signal not sent signal=" + signal + " pid=" + pid);
    }
  }
}
