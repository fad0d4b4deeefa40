package io.sluice.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The way to blocks that map attempts keep in their local output. Given with a read, which asks it
 * for what the servers do not have. Belongs to the read's task thread.
 */
public interface LocalOutput extends Closeable {
  /** Whether an attempt has, or may have, local output. Cheap: asked for every incomplete one. */
  boolean mayHave(long mapAttempt);

  /**
   * Begins to fetch the local blocks of attempts, with a bounded number of bytes in flight. May be
   * called again while earlier pieces are under way; never waits. Nothing is taken before the
   * servers have given all that they have, so fetching stops for that long where the bound is
   * reached.
   *
   * @param pieces attempts for which {@link #mayHave} is true
   */
  void request(List<Piece> pieces);

  /**
   * Waits, for a bounded time, for the next answer; they come in any order, one for each piece. A
   * piece that nothing comes of in that time is answered with a failure.
   *
   * @return null when every piece has been answered
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  Answer next() throws IOException;

  /** Frees everything, at any time. Never waits. Idempotent. */
  @Override
  void close();

  /**
   * The local output of one attempt for one partition.
   *
   * @param mapIndex which map task it is a try of
   */
  record Piece(int partition, long mapAttempt, int mapIndex) {}

  /**
   * What came of one piece.
   *
   * @param blocks owned by the caller, who closes it: whole blocks back to back (docs/formats.md),
   *     in any order of sequence, perhaps none; null if they cannot be had
   * @param bytes length of blocks
   * @param failure why they cannot be had; null otherwise
   */
  record Answer(Piece piece, InputStream blocks, long bytes, String failure) {}
}
