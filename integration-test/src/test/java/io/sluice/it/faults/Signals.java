package io.sluice.it.faults;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Suspends, resumes and limits a process. */
public final class Signals {
  private static final long LIMIT_SECONDS = 60;

  private Signals() {}

  public static void stop(long pid) throws IOException, InterruptedException {
    send("-STOP", pid);
  }

  public static void resume(long pid) throws IOException, InterruptedException {
    send("-CONT", pid);
  }

  /** Lets each write of a file fail, at any position, until the end of the process. */
  static void limitFiles(long pid) throws IOException, InterruptedException {
    run("prlimit", "--pid", Long.toString(pid), "--fsize=0:");
  }

  private static void send(String signal, long pid) throws IOException, InterruptedException {
    run("kill", signal, Long.toString(pid));
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("command failed: " + List.of(command));
    }
  }
}
