package io.sluice.server.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A remote file system that may not be reachable yet. A background thread retries until it is open;
 * until then every call fails at once. Afterwards the client of the file system handles outages.
 *
 * <p>If the file system is open before the timeout of {@link #await}, the caller recovers the files
 * of earlier epochs. Otherwise {@link Late} is called before the file system is used.
 *
 * <p>Thread-safe.
 */
final class RemoteConnection implements RemoteFileSystem {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteConnection.class);

  private static final long CLOSE_WAIT_MS = 5_000;

  /** Opens the file system; blocks. */
  interface Opener {
    RemoteFileSystem open() throws IOException;
  }

  /** Called when the file system opens after {@link #await} has returned. */
  interface Late {
    /**
     * Deletes files of earlier epochs, which are no longer referenced.
     *
     * @param files borrows
     */
    void opened(RemoteFileSystem files) throws IOException;
  }

  private final String base;
  private final Opener opener;
  private final Late late;
  private final long retryMs;
  private final Thread thread = new Thread(this::connect, "remote-connect");

  @GuardedBy("this")
  private RemoteFileSystem files;

  @GuardedBy("this")
  private IOException problem;

  @GuardedBy("this")
  private boolean awaited = true;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param base URI for messages, until the file system is open
   * @param retryMs time between attempts
   */
  RemoteConnection(String base, Opener opener, Late late, long retryMs) {
    this.base = base;
    this.opener = opener;
    this.late = late;
    this.retryMs = retryMs;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Waits until the file system is open. May be called once; if it opens later, {@link Late} is
   * called.
   *
   * @return whether it is open
   * @throws MissingClassesException if it cannot be loaded
   */
  synchronized boolean await(long timeoutMs) throws MissingClassesException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    try {
      while (files == null && !(problem instanceof MissingClassesException)) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (leftMs <= 0) {
          LOG.warn(
              "remote file system does not answer, starting without it, will retry base={}"
                  + " problem={}",
              base,
              problem == null ? "no answer within the timeout" : problem.getMessage());
          return false;
        }
        wait(leftMs);
      }
    } finally {
      awaited = false;
    }
    if (problem instanceof MissingClassesException missing) {
      throw missing;
    }
    return true;
  }

  private void connect() {
    while (!isClosed()) {
      try {
        use(opener.open());
        return;
      } catch (MissingClassesException e) {
        failed(e);
        return;
      } catch (IOException e) {
        failed(e);
      } catch (RuntimeException e) {
        failed(new IOException(OneLineMessage.of(e), e));
      }
      if (!pause()) {
        return;
      }
    }
  }

  /**
   * @param opened takes
   */
  private void use(RemoteFileSystem opened) throws IOException {
    boolean usable = false;
    try {
      if (!publish(opened)) {
        late.opened(opened);
        synchronized (this) {
          files = closed ? null : opened;
        }
        LOG.info("remote file system is open base={}", base);
      }
      usable = true;
    } finally {
      if (!usable || isClosed()) {
        opened.close();
      }
    }
  }

  /** Publishes the file system; returns whether a caller of {@link #await} receives it. */
  private synchronized boolean publish(RemoteFileSystem opened) {
    if (!awaited || closed) {
      return closed;
    }
    files = opened;
    problem = null;
    notifyAll();
    return true;
  }

  private synchronized void failed(IOException failure) {
    if (problem == null) {
      LOG.warn(
          "remote file system cannot be opened, will retry base={} problem={}",
          base,
          failure.getMessage());
    }
    problem = failure;
    notifyAll();
  }

  /** Waits before the next attempt; false if closed. */
  private synchronized boolean pause() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(retryMs);
    try {
      for (long left = retryMs; left > 0 && !closed; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return !closed;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** The open file system; fails at once if it is not open. */
  private synchronized RemoteFileSystem open() throws IOException {
    if (files == null) {
      throw new IOException(
          "remote file system "
              + base
              + " is not open"
              + (problem == null ? "" : ": " + problem.getMessage()));
    }
    return files;
  }

  /** The configured URI, until the file system is open. */
  @Override
  public synchronized String base() {
    return files == null ? base : files.base();
  }

  @Override
  public RemoteOutput create(String path) throws IOException {
    return open().create(path);
  }

  @Override
  public RemoteInput open(String path) throws IOException {
    return open().open(path);
  }

  @Override
  public void delete(String path) throws IOException {
    open().delete(path);
  }

  @Override
  public void deleteEmptyDirectory(String path) throws IOException {
    open().deleteEmptyDirectory(path);
  }

  @Override
  public List<RemoteEntry> list(String path) throws IOException {
    return open().list(path);
  }

  @Override
  public RemoteSpace space() throws IOException {
    return open().space();
  }

  /** Does not wait for a file system that hangs while it is opened. */
  @Override
  public void close() throws IOException {
    RemoteFileSystem toClose;
    synchronized (this) {
      closed = true;
      toClose = files;
      files = null;
      notifyAll();
    }
    if (toClose != null) {
      toClose.close();
    }
    try {
      thread.join(CLOSE_WAIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
