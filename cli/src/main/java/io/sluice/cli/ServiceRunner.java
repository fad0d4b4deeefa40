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
 * Runs a service until a signal or its decommission.
 *
 * <p>SIGTERM and SIGINT run the JVM's shutdown hooks. The hook of this class makes the main thread
 * stop the service, waits for it, and halts the JVM with the exit code of the service instead of
 * the signal's. It also waits for a start in progress, so that no partial state is left.
 */
final class ServiceRunner {
  private static final Logger log = LoggerFactory.getLogger(ServiceRunner.class);

  /**
   * Timeout of a clean stop. Longer than the stop timeout of any service, so it applies only to a
   * hang.
   */
  private static final long STOP_TIMEOUT_SECONDS = 120;

  private final Callable<Service> starter;
  private final Path readyFile;
  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean decommissioned;
  private final AtomicInteger exitCode = new AtomicInteger(ExitCode.FAILED.status());

  /**
   * Creates a runner; {@link #run} starts the service.
   *
   * @param readyFile file to write when the service accepts connections; null: none
   */
  ServiceRunner(Callable<Service> starter, Path readyFile) {
    this.starter = starter;
    this.readyFile = readyFile;
  }

  /** Starts the service, waits for a stop request, and stops the service. Returns the exit code. */
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
      log.info("The {} is ready: pid={} ports={}", service.name(), pid(), service.ports());
      service.decommissioned().thenRun(this::stopAfterDecommission);
      stopRequested.await();
    } finally {
      log.debug("Stopping the {}", service.name());
      deleteReadyFile();
      service.stop().close();
    }
    log.debug("The {} has stopped", service.name());
    return (decommissioned ? ExitCode.DECOMMISSIONED : ExitCode.DONE).status();
  }

  private void stopAfterDecommission() {
    decommissioned = true;
    stopRequested.countDown();
  }

  /** Requests a stop as a signal does, but does not exit the JVM. */
  void stop() {
    stopRequested.countDown();
  }

  private void stopFromSignal() {
    stopRequested.countDown();
    try {
      if (!stopped.await(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        log.error(
            "Clean stop did not finish in time; halting the process: timeoutSeconds={}",
            STOP_TIMEOUT_SECONDS);
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
      log.debug("Process ends by a signal");
    }
  }

  private void deleteReadyFile() {
    if (readyFile != null) {
      try {
        Files.deleteIfExists(readyFile);
      } catch (IOException e) {
        log.warn("Cannot delete the ready file: file={} reason={}", readyFile, e.getMessage());
      }
    }
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }
}
