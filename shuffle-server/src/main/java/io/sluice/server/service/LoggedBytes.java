package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.FetchReply;
import io.sluice.server.log.LogPiece;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Bytes found in a log. Thread-safe as far as {@link #close} goes; the rest is immutable. */
final class LoggedBytes implements FetchedBytes {
  private final FetchReply head;
  private final int length;
  private final List<LogPiece> held;
  private final List<Piece> pieces;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LoggedBytes(FetchReply head, int length, List<LogPiece> held, List<Piece> pieces) {
    this.head = head;
    this.length = length;
    this.held = held;
    this.pieces = List.copyOf(pieces);
  }

  /**
   * Opens the files that pieces lie in.
   *
   * @param found takes: released if this fails
   * @throws SluiceException LOST if a file is gone
   */
  static LoggedBytes of(long epoch, List<LogPiece> found) throws SluiceException {
    List<Piece> pieces = new ArrayList<>(found.size());
    int length = 0;
    long fromMemory = 0;
    try {
      for (LogPiece piece : found) {
        if (piece instanceof LogPiece.InMemory memory) {
          pieces.add(new MemoryPiece(memory.buffer()));
          fromMemory += piece.length();
        } else {
          LogPiece.InFile file = (LogPiece.InFile) piece;
          pieces.add(new FilePiece(file.run().channel(), file.position(), file.length()));
        }
        length += piece.length();
      }
    } catch (IOException e) {
      found.forEach(LogPiece::release);
      throw new SluiceException(
          StatusCode.LOST, "a run file cannot be opened: " + e.getMessage(), e);
    }
    FetchReply head = FetchReply.newBuilder().setEpoch(epoch).setFromMemory(fromMemory).build();
    return new LoggedBytes(head, length, found, pieces);
  }

  @Override
  public FetchReply head() {
    return head;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public List<Piece> pieces() {
    return pieces;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      held.forEach(LogPiece::release);
    }
  }
}
