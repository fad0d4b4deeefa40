package io.sluice.server.background;

import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskSync;
import io.sluice.server.disk.PendingWrite;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves one run to another disk. Copies the file, checks the copy and adds it to the catalog of the
 * target disk. Then switches the run to it, and deletes the old file and record when their readers
 * have finished. A crash leaves one file, or two with the same bytes.
 *
 * <p>Reads through a buffer: with a mapping, a read error would raise SIGBUS. Used by one thread.
 */
final class RunMover {
  private static final Logger LOG = LoggerFactory.getLogger(RunMover.class);

  static final int CHUNK_BYTES = 1 << 20;

  /** Called before each chunk, to limit the rate. */
  interface Gate {
    /**
     * Waits.
     *
     * @return false to cancel the move
     */
    boolean admit(Disk target, int bytes);
  }

  private final RunFiles files;
  private final Gate gate;
  private final ByteBuffer buffer;
  // Copies that wait for deletion. A run is not moved to a disk with a pending deletion of the same
  // run, which would delete the new copy.
  private final Set<PendingDeletion> pendingDeletions = ConcurrentHashMap.newKeySet();

  private record PendingDeletion(RunFile run, Disk disk) {}

  RunMover(RunFiles files, Gate gate) {
    this(files, gate, ByteBuffer.allocateDirect(CHUNK_BYTES));
  }

  /** As the other constructor, with a given buffer of one chunk. */
  RunMover(RunFiles files, Gate gate, ByteBuffer buffer) {
    this.files = files;
    this.gate = gate;
    this.buffer = buffer;
  }

  /**
   * Moves a run.
   *
   * @return whether the run is on the target now; if not, it was not moved or is no longer needed
   */
  boolean move(RunFile run, Disk target) {
    if (pendingDeletions.contains(new PendingDeletion(run, target)) || !run.tryRetain()) {
      return false;
    }
    try {
      Disk source = run.disk();
      PendingWrite write = target.beginWrite(run.length());
      try {
        return move(run, source, target, write);
      } finally {
        write.cancelled();
      }
    } finally {
      run.release();
    }
  }

  private boolean move(RunFile run, Disk source, Disk target, PendingWrite write) {
    String name = RunFiles.fileName(run.id());
    try (FileChannel from = openToRead(run, source)) {
      if (from == null || !copy(run, from, source, target, name)) {
        return false;
      }
    } catch (WriteFailure e) {
      LOG.warn(
          "run not moved file={} to={} problem={}", run, target.name(), e.getCause().toString());
      write.failed(e.getCause());
      return false;
    } catch (IOException e) {
      LOG.warn("run not moved file={} to={} problem={}", run, target.name(), e.toString());
      return false;
    }
    boolean switched = false;
    try {
      check(run, target, name);
      target.catalog().add(run.record());
      if (!run.damage().isEmpty()) {
        target.catalog().recordDamage(run.id(), run.damage());
      }
      // As durable as the old copy, which is deleted next.
      DiskSync.sync(target);
      switched = target.health().state().isReadable() && run.switchTo(target);
      write.succeeded(run.length());
    } catch (IOException e) {
      LOG.warn("run not moved file={} to={} problem={}", run, target.name(), e.toString());
      write.failed(e);
    }
    PendingDeletion old = new PendingDeletion(run, switched ? source : target);
    pendingDeletions.add(old);
    Runnable deletion =
        () ->
            files.onThreadOf(
                old.disk(),
                () -> {
                  delete(old.disk(), run, name);
                  pendingDeletions.remove(old);
                });
    if (switched) {
      // Current readers continue on the old file.
      run.whenUnread(deletion);
    } else {
      deletion.run();
    }
    return switched;
  }

  private static FileChannel openToRead(RunFile run, Disk source) {
    try {
      return run.openOwn();
    } catch (IOException e) {
      LOG.warn("run not moved file={} problem={}", run, e.toString());
      source.health().readFailed(run.failedRead(), e);
      return null;
    }
  }

  /** Copies and commits; false if the move was cancelled. */
  private boolean copy(RunFile run, FileChannel from, Disk source, Disk target, String name)
      throws IOException {
    try (Storage.NewFile to = create(run, target, name)) {
      long position = 0;
      while (position < run.length()) {
        int bytes = (int) Math.min(buffer.capacity(), run.length() - position);
        if (!gate.admit(target, bytes) || run.isDiscarded()) {
          return false;
        }
        long startNanos = source.nanoTime().getAsLong();
        try {
          read(from, position, bytes);
        } catch (IOException e) {
          source.health().readFailed(run.failedRead(position, bytes), e);
          throw e;
        }
        source.health().readSucceeded(bytes, source.nanoTime().getAsLong() - startNanos);
        write(to, position);
        position += bytes;
      }
      try {
        to.commit();
      } catch (IOException e) {
        throw new WriteFailure(e);
      }
      return true;
    }
  }

  private static Storage.NewFile create(RunFile run, Disk target, String name) throws WriteFailure {
    try {
      return target.storage().create(name, run.record().shuffle().application());
    } catch (IOException e) {
      throw new WriteFailure(e);
    }
  }

  private void read(FileChannel from, long position, int bytes) throws IOException {
    buffer.clear().limit(bytes);
    while (buffer.hasRemaining()) {
      if (from.read(buffer, position + buffer.position()) < 0) {
        throw new EOFException("file ends at " + (position + buffer.position()));
      }
    }
    buffer.flip();
  }

  private void write(Storage.NewFile to, long position) throws WriteFailure {
    try {
      while (buffer.hasRemaining()) {
        if (to.channel().write(buffer) <= 0) {
          throw new IOException(
              "the file accepts no more bytes at offset " + (position + buffer.position()));
        }
      }
    } catch (IOException e) {
      throw new WriteFailure(e);
    }
  }

  /** Length, header, trailer and index of the copy. */
  private static void check(RunFile run, Disk target, String name) throws IOException {
    String file = target.name() + "/" + name;
    try (RunReader copy = RunReader.open(target.storage().open(name), file)) {
      if (copy.fileLength() != run.length() || !copy.header().runId().equals(run.id())) {
        throw new IOException(
            file + ": expected " + run.length() + " bytes, has " + copy.fileLength());
      }
    } catch (RunFormatException e) {
      target.health().checksumFailed(file, e.offset());
      throw e;
    }
  }

  private static void delete(Disk disk, RunFile run, String name) {
    if (run.disk() == disk && !run.isDiscarded()) {
      // The run was moved back meanwhile.
      return;
    }
    try {
      disk.catalog().remove(List.of(run.id()));
      disk.storage().delete(name);
      disk.refresh();
    } catch (IOException e) {
      LOG.warn(
          "moved run not deleted disk={} run={} problem={}", disk.name(), run.id(), e.toString());
    }
  }

  /** The target disk failed, not the source. */
  private static final class WriteFailure extends IOException {
    private static final long serialVersionUID = 1L;

    WriteFailure(IOException cause) {
      super(cause);
    }

    @Override
    public synchronized IOException getCause() {
      return (IOException) super.getCause();
    }
  }
}
