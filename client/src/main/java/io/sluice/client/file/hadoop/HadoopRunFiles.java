package io.sluice.client.file.hadoop;

import io.sluice.client.file.RemoteDirectory;
import io.sluice.client.file.RunFileInput;
import io.sluice.client.file.RunFileOpener;
import io.sluice.client.file.RunFileSource;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.RunFileKind;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens run files on Hadoop file systems. After a timeout of a file system, files are fetched from
 * their servers for some time. Thread-safe.
 */
final class HadoopRunFiles implements RunFileOpener {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopRunFiles.class);

  private static final int THREADS = 8;
  private static final long IDLE_SECONDS = 10;
  private static final long TIMEOUT_MS = 20_000;
  private static final long PAUSE_MS = 60_000;

  private final RemoteDirectory directory;
  private final boolean available;
  private final long timeoutMs;
  private final LongSupplier nanoTime;
  private final ThreadPoolExecutor executor;
  private final AtomicBoolean refusedBefore = new AtomicBoolean();
  // Value of nanoTime at which files are opened again; 0: now.
  private final AtomicLong pausedUntilNanos = new AtomicLong();

  HadoopRunFiles(RemoteDirectory directory) {
    this(
        directory,
        isThere("org.apache.hadoop.fs.FileSystem", HadoopRunFiles.class.getClassLoader()),
        TIMEOUT_MS,
        System::nanoTime);
  }

  /**
   * @param directory directory that contains all files which may be opened
   * @param timeoutMs timeout of opening a file and of each read
   */
  HadoopRunFiles(
      RemoteDirectory directory, boolean available, long timeoutMs, LongSupplier nanoTime) {
    this.directory = directory;
    this.available = available;
    this.timeoutMs = timeoutMs;
    this.nanoTime = nanoTime;
    this.executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            // The number of slices in flight bounds the queue.
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("sluice-hadoop"));
    executor.allowCoreThreadTimeOut(true);
  }

  static boolean isThere(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  @Override
  public RunFileKind kind() {
    return RunFileKind.REMOTE_FILE;
  }

  @Override
  public boolean mayOpen(RunFileSource source) {
    long until = pausedUntilNanos.get();
    return available && (until == 0 || nanoTime.getAsLong() - until >= 0);
  }

  @Override
  public CompletableFuture<RunFileInput> open(RunFileSource source, String name) {
    CompletableFuture<RunFileInput> opened;
    try {
      String file = directory.fileIn(name);
      opened = CompletableFuture.supplyAsync(() -> HadoopRunFile.open(name, file, this), executor);
    } catch (IOException e) {
      refused(source, e);
      return CompletableFuture.failedFuture(e);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new IOException("the client is closed", e));
    }
    CompletableFuture<RunFileInput> answer = new CompletableFuture<>();
    // A file that is opened after the timeout is closed here.
    CompletableFuture<Void> unused =
        opened.handle(
            (input, failure) -> {
              boolean taken =
                  failure == null ? answer.complete(input) : answer.completeExceptionally(failure);
              if (!taken && input != null) {
                input.close();
              }
              return null;
            });
    return answer
        .orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
        .whenComplete(
            (input, failure) -> {
              if (failure instanceof TimeoutException) {
                pause(name);
              }
            });
  }

  /** Logs the refusal of a file once per client, as all files of the server are refused. */
  private void refused(RunFileSource source, IOException why) {
    if (refusedBefore.compareAndSet(false, true)) {
      LOG.warn(
          "direct read of a remote run file refused, fetching from the server server={} reason={}",
          source.server().getName(),
          why.getMessage());
    }
  }

  /**
   * Reads on another thread, which may hang, and waits for a bounded time.
   *
   * @return the bytes
   */
  byte[] inTime(String name, Read read) throws IOException {
    CompletableFuture<byte[]> bytes = new CompletableFuture<>();
    try {
      executor.execute(
          () -> {
            try {
              bytes.complete(read.run());
            } catch (IOException | RuntimeException | LinkageError e) {
              bytes.completeExceptionally(e);
            }
          });
      return bytes.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      throw new IOException("the client is closed", e);
    } catch (TimeoutException e) {
      pause(name);
      throw new IOException(
          "reading run file " + name + " timed out after " + timeoutMs + " ms", e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IOException("reading run file " + name + " failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading run file " + name, e);
    }
  }

  /** A read that may wait for a file system. */
  interface Read {
    byte[] run() throws IOException;
  }

  private void pause(String name) {
    long until = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MS);
    pausedUntilNanos.set(until == 0 ? 1 : until);
    LOG.warn(
        "file system timed out, fetching run files from their servers file={} timeoutMs={}"
            + " pauseMs={}",
        name,
        timeoutMs,
        PAUSE_MS);
  }

  /** Does not wait for threads that wait for a file system. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
