package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;

/**
 * A point inside tasks at which task attempts wait until the driver opens it. It is a directory
 * that driver and executors share, with one file per waiting attempt. Once open it stays open.
 *
 * @param directory directory of this gate, created by {@link #create}
 */
record Gate(String directory) implements java.io.Serializable {
  private static final String OPEN = "open";
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final Duration LIMIT = Duration.ofMinutes(3);

  static Gate create(Path directory) throws IOException {
    Files.createDirectories(directory);
    return new Gate(directory.toString());
  }

  /** Task: waits here until the gate is open. */
  void pass() {
    if (isOpen()) {
      return;
    }
    TaskContext task = TaskContext.get();
    try {
      Files.writeString(Path.of(directory, "waits-" + task.taskAttemptId()), Executors.current());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await(
        () -> {
          task.killTaskIfInterrupted();
          return isOpen();
        });
  }

  void open() throws IOException {
    if (!isOpen()) {
      Files.createFile(Path.of(directory, OPEN));
    }
  }

  /** Driver: waits until {@code count} attempts have arrived, or until waiting is pointless. */
  void awaitArrivals(int count, BooleanSupplier pointless) {
    await(() -> pointless.getAsBoolean() || arrivals() >= count);
  }

  private long arrivals() {
    try (Stream<Path> files = Files.list(Path.of(directory))) {
      return files.filter(file -> !file.endsWith(OPEN)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isOpen() {
    return Files.exists(Path.of(directory, OPEN));
  }

  private void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IllegalStateException("timeout of the gate directory=" + directory);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
