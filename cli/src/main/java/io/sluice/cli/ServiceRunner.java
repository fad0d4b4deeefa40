package io.sluice.cli;

import io.sluice.cli.control.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a service until the process is told to end.
 *
 * <p>SIGTERM or SIGINT runs the JVM's shutdown hooks; ours asks the main thread to stop the service
 * and waits for that, then ends the JVM with the outcome as exit code instead of the signal's. A
 * start that was interrupted by the signal is waited for as well, so that nothing is left half
 * done.
 */
final class ServiceRunner {
  private static final Logger log = LoggerFactory.getLogger(ServiceRunner.class);

  /** Above every service's own bound for a clean stop, as a last resort against a hang. */
  private static final long STOP_PATIENCE_SECONDS = 120;

  private final Callable<Service> starter;
  private final Path readyFile;
  private final CountDownLatch stopAsked = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean left;
  private final AtomicInteger exitCode = new AtomicInteger(ExitCode.FAILED.status());

  /**
   * Does not start anything yet.
   *
   * @param readyFile null: none is wanted
   */
  ServiceRunner(Callable<Service> starter, Path readyFile) {
    this.starter = starter;
    this.readyFile = readyFile;
  }

  /** Starts, waits for the end, stops. Returns the exit code. */
  int run() throws Exception {
    Thread hook = new Thread(this::stopFromSignal, "stop-on-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      int code = startAndStop();
      exitCode.set(code);
      return code;
    } finally {
      stopped.countDown();
      removeHook(hook);
    }
  }

  private int startAndStop() throws Exception {
    Service service = starter.call();
    try {
      if (readyFile != null) {
        ReadyFile.write(readyFile, service.ports());
      }
      log.info("{} is ready pid={} {}", service.name(), pid(), service.ports());
      service.left().thenRun(this::leave);
      stopAsked.await();
    } finally {
      log.debug("{} stops", service.name());
      deleteReadyFile();
      service.stop().close();
    }
    log.debug("{} has stopped", service.name());
    return (left ? ExitCode.DECOMMISSIONED : ExitCode.DONE).status();
  }

  private void leave() {
    left = true;
    stopAsked.countDown();
  }

  /** Ends {@link #run} as a signal does, without ending the JVM. */
  void stop() {
    stopAsked.countDown();
  }

  private void stopFromSignal() {
    stopAsked.countDown();
    try {
      if (!stopped.await(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        log.error("the stop took too long seconds={}", STOP_PATIENCE_SECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(exitCode.get());
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      log.debug("the process ends by a signal");
    }
  }

  private void deleteReadyFile() {
    if (readyFile != null) {
      try {
        Files.deleteIfExists(readyFile);
      } catch (IOException e) {
        log.warn("ready file cannot be deleted file={} reason={}", readyFile, e.getMessage());
      }
    }
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }
}
