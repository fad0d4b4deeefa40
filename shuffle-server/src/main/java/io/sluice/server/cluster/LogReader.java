package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.read.FileReads;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads ranges of a log from memory or disk. Disk reads are queued like those of any other
 * connection. Thread-safe.
 */
final class LogReader {
  private static final long TIMEOUT_MS = 60_000;

  private final FileReads reads;
  private final long epoch;
  private final ByteBufAllocator allocator;
  private final Reports reports;

  /** Receives blocks that were read and are damaged. */
  interface Reports {
    /**
     * Verifies a block in its file in the background. If it is damaged there, it is lost, and the
     * next read finds that.
     *
     * @param offset logical offset of the block
     */
    void report(ShuffleLog log, int partition, long offset);
  }

  LogReader(FileReads reads, long epoch, ByteBufAllocator allocator, Reports reports) {
    this.reads = reads;
    this.epoch = epoch;
    this.allocator = allocator;
    this.reports = reports;
  }

  Reports reports() {
    return reports;
  }

  /**
   * @return owned: the bytes of the ranges, concatenated
   */
  ByteBuf read(ShuffleLog log, List<LogRange> ranges) throws IOException, InterruptedException {
    ClientConnection reader = new ClientConnection(log.key().application(), "move", "this server");
    CompletableFuture<FetchedBytes> answer = reads.read(reader, epoch, log.read(ranges), true);
    try (FetchedBytes found = answer.get(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
      return copied(found);
    } catch (ExecutionException e) {
      throw new UnreadableException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new UnreadableException("disk read timed out after " + TIMEOUT_MS + " ms", e);
    } finally {
      // A late result is closed by its reader.
      answer.cancel(false);
    }
  }

  private ByteBuf copied(FetchedBytes found) throws IOException {
    ByteBuf body = allocator.directBuffer(found.length(), found.length());
    boolean whole = false;
    try {
      for (FetchedBytes.Piece piece : found.pieces()) {
        if (piece instanceof FetchedBytes.MemoryPiece memory) {
          body.writeBytes(memory.buffer().duplicate());
        } else if (piece instanceof FetchedBytes.FilePiece file) {
          copy(file, body);
        }
      }
      whole = true;
      return body;
    } finally {
      if (!whole) {
        body.release();
      }
    }
  }

  private static void copy(FetchedBytes.FilePiece file, ByteBuf body) throws IOException {
    long position = file.position();
    int left = file.length();
    while (left > 0) {
      int read = body.writeBytes(file.channel(), position, left);
      if (read <= 0) {
        throw new EOFException("run file ends at " + position + ", expected " + left + " more");
      }
      position += read;
      left -= read;
    }
  }
}
