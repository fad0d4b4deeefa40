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
 * A remote file system that may not answer yet. A thread of its own opens it, and tries again until
 * it is open; until then every call fails at once, and nobody waits. Once open, it is the file
 * system's client that deals with outages.
 *
 * <p>What an earlier life left there is recovered by whoever waits for the connection; if it comes
 * too late for that, it is {@link Late} that is told before the file system can be used.
 *
 * <p>Thread-safe.
 */
final class RemoteConnection implements RemoteFileSystem {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteConnection.class);

  private static final long CLOSE_WAIT_MS = 5_000;

  /** Opens the file system; waits for it. */
  interface Opener {
    RemoteFileSystem open() throws IOException;
  }

  /** Told that the file system can be used, after nobody waits for it any more. */
  interface Late {
    /**
     * Clears away what nobody refers to any more.
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
  private boolean waitedFor = true;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param base for messages while it is not open
   * @param retryMs between two tries
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
   * Waits until the file system can be used. May be called once; afterwards a file system that is
   * not open yet counts as one that comes late.
   *
   * @return whether it can be
   * @throws MissingClassesException it never can be
   */
  synchronized boolean await(long timeoutMs) throws MissingClassesException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    try {
      while (files == null && !(problem instanceof MissingClassesException)) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (leftMs <= 0) {
          LOG.warn(
              "remote file system does not answer, starting without it base={} problem={}",
              base,
              problem == null ? "no answer yet" : problem.getMessage());
          return false;
        }
        wait(leftMs);
      }
    } finally {
      waitedFor = false;
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
        failed(new IOException(OneLine.of(e), e));
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
        LOG.info("remote file system answers base={}", base);
      }
      usable = true;
    } finally {
      if (!usable || isClosed()) {
        opened.close();
      }
    }
  }

  /** Whether somebody waits for it, who has it now. */
  private synchronized boolean publish(RemoteFileSystem opened) {
    if (!waitedFor || closed) {
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
          "remote file system cannot be opened, trying again base={} problem={}",
          base,
          failure.getMessage());
    }
    problem = failure;
    notifyAll();
  }

  /** Whether to go on. */
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

  /** The open file system; fails at once if there is none. */
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

  /** As it was asked for, until it is open. */
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
