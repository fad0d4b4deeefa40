package io.sluice.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Reads blocks from the local output of map attempts. A read uses it for blocks that the servers do
 * not have. Owned by the task thread of the read.
 */
public interface LocalOutput extends Closeable {
  /** Whether an attempt may have local output. Cheap: called for every incomplete attempt. */
  boolean mayHave(long mapAttempt);

  /**
   * Begins to fetch local blocks, with a bounded number of bytes in flight. May be called again
   * while earlier pieces are in flight; never waits. The read takes no answer before all servers
   * are done, so fetching pauses when the bound is reached.
   *
   * @param pieces pieces of attempts for which {@link #mayHave} is true
   */
  void request(List<Piece> pieces);

  /**
   * Waits for the next answer for a bounded time. Answers arrive in any order, one for each piece;
   * a piece without blocks within that time is answered with a failure.
   *
   * @return the next answer; null if every piece has been answered
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  Answer next() throws IOException;

  /** Frees all resources, at any time. Never waits. Idempotent. */
  @Override
  void close();

  /**
   * The local output of one attempt for one partition.
   *
   * @param mapIndex index of the map task of the attempt
   */
  record Piece(int partition, long mapAttempt, int mapIndex) {}

  /**
   * The result of one piece.
   *
   * @param blocks owned by the caller, which closes it: whole adjacent blocks (docs/formats.md), in
   *     any order of their numbers, possibly none; null if they are not available
   * @param bytes length of blocks
   * @param failure reason why the blocks are not available; null otherwise
   */
  record Answer(Piece piece, InputStream blocks, long bytes, String failure) {}
}
